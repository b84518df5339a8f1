/** Made-up H.264 and AAC streams as RTP packets, for tests of the receive path. Nothing in them can be decoded. */

import type { AccessUnit, Track } from '../codec/track.ts';
import { packetizeH264 } from './h264/h264-packetizer.ts';
import { MediaReceiver, type MediaReceiverOptions, type ReceivedTrack } from './media-receiver.ts';
import { writeSenderReport } from './rtcp/rtcp-writer.ts';
import { writeRtpHeader } from './rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from './rtp-packet.ts';

/** 320 × 240, 25 frames per second, no reordering; written by x264. */
export const SAMPLE_SPS = Buffer.from('6764000dacb40a0fd808800000030080000019078a1550', 'hex');
export const SAMPLE_PPS = Buffer.from('68ef0fcb', 'hex');
/** 1920 × 1080, two reordered pictures. */
export const SAMPLE_SPS_1080 = Buffer.from('67640028acd940780227e5c044000003000400000300c83c60c658', 'hex');
export const SAMPLE_PPS_1080 = Buffer.from('68ebe3cb22c0', 'hex');
/** 704 × 576 interlaced. */
export const SAMPLE_SPS_INTERLACED = Buffer.from('6764001eacd940b024d8088000000300800000190f8a14cb', 'hex');
export const SAMPLE_PPS_INTERLACED = Buffer.from('68fba3cb22c0', 'hex');

export const VIDEO_PT = 96;
export const AUDIO_PT = 97;
const MAX_PAYLOAD_BYTES = 200;

export type SliceKind = 'idr' | 'reference' | 'disposable';

/** A slice with `text` as its data. `isFirst`: it begins its picture. */
export function slice(kind: SliceKind, text: string, isFirst = true): Buffer {
  const header = { idr: 0x65, reference: 0x41, disposable: 0x01 }[kind];
  // first_mb_in_slice 0 or 1, slice_type 7, pic_parameter_set_id 0.
  const head = isFirst ? [0x88, 0x80] : [0x42, 0x20];
  return Buffer.concat([Buffer.from([header, ...head]), Buffer.from(text)]);
}

/** The NAL units of an access unit's data, as the text after their first three bytes. */
export function sliceTexts(data: Uint8Array): string[] {
  const bytes = Buffer.from(data);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    texts.push(bytes.toString('latin1', at + 7, end));
    at = end;
  }
  return texts;
}

export function rtpPacket(
  payloadType: number,
  sequenceNumber: number,
  rtpTimestamp: number,
  payload: Uint8Array,
  isMarked: boolean,
  ssrc = 0x5eed,
): Buffer {
  const packet = Buffer.alloc(RTP_HEADER_BYTES + payload.length);
  writeRtpHeader(packet, 0, payloadType, isMarked, sequenceNumber, rtpTimestamp, ssrc);
  packet.set(payload, RTP_HEADER_BYTES);
  return packet;
}

export type MarkerHabit = 'last' | 'never' | 'every-nalu';

/** Packs pictures into numbered packets. */
export class SamplePackets {
  sequence: number;
  readonly #marker: MarkerHabit;

  constructor(firstSequence = 65_530, marker: MarkerHabit = 'last') {
    this.sequence = firstSequence;
    this.#marker = marker;
  }

  picture(rtpTimestamp: number, nalus: readonly Uint8Array[]): Buffer[] {
    const packets: Buffer[] = [];
    nalus.forEach((nalu, index) => {
      const payloads = packetizeH264([nalu], MAX_PAYLOAD_BYTES, 'none');
      payloads.forEach((payload, piece) => {
        const isNaluEnd = piece === payloads.length - 1;
        const isEnd = isNaluEnd && index === nalus.length - 1;
        const isMarked = this.#marker === 'every-nalu' ? isNaluEnd : this.#marker === 'last' && isEnd;
        packets.push(rtpPacket(VIDEO_PT, this.sequence++ & 0xffff, rtpTimestamp >>> 0, payload, isMarked));
      });
    });
    return packets;
  }
}

export const VIDEO_TRACK: ReceivedTrack = {
  encoding: 'h264',
  payloadType: VIDEO_PT,
  clockRateHz: 90_000,
  channelCount: 1,
  fmtp: new Map([
    ['sprop-parameter-sets', `${SAMPLE_SPS.toString('base64')},${SAMPLE_PPS.toString('base64')}`],
  ]),
  ssrc: null,
};

export const VIDEO_TRACK_WITHOUT_SETS: ReceivedTrack = { ...VIDEO_TRACK, fmtp: new Map() };

/** 48 kHz stereo. */
export const AUDIO_TRACK: ReceivedTrack = {
  encoding: 'aac',
  payloadType: AUDIO_PT,
  clockRateHz: 48_000,
  channelCount: 2,
  fmtp: new Map([
    ['mode', 'AAC-hbr'],
    ['config', '1190'],
    ['sizelength', '13'],
    ['indexlength', '3'],
    ['indexdeltalength', '3'],
  ]),
  ssrc: null,
};

/** A copy of an access unit that may be kept. */
export interface KeptUnit extends AccessUnit {
  readonly texts: string[];
}

/** A receiver and everything that came out of it. */
export class RecordingReceiver {
  readonly receiver: MediaReceiver;
  readonly units: KeptUnit[] = [];
  readonly announced: (readonly Track[])[] = [];
  /** `code × frames` in order; consecutive entries with the same code are added up. */
  readonly dropped: [code: string, frames: number][] = [];

  constructor(options: Partial<Omit<MediaReceiverOptions, 'events'>> = {}) {
    this.receiver = new MediaReceiver({
      tracks: [VIDEO_TRACK],
      transport: 'tcp',
      localSsrc: 1,
      ...options,
      events: {
        onTracks: (tracks) => this.announced.push(tracks),
        onAccessUnit: (unit) => {
          const data = Uint8Array.from(unit.data);
          const isVideo = this.announced.at(-1)?.[unit.trackIndex]?.kind === 'video';
          this.units.push({ ...unit, data, texts: isVideo ? sliceTexts(data) : [] });
        },
        onDropped: (frames, code) => {
          const last = this.dropped.at(-1);
          if (last?.[0] === code) last[1] += frames;
          else this.dropped.push([code, frames]);
        },
      },
    });
  }

  feed(packets: readonly Uint8Array[], arrivalMonoMs = 0, trackIndex = 0): void {
    for (const packet of packets) this.receiver.rtp(trackIndex, packet, 0, packet.length, arrivalMonoMs);
  }

  get isUnfit(): boolean {
    return this.receiver.isUnfit;
  }

  /** Text of the first slice of each picture that came out. */
  get pictures(): string[] {
    return this.units.filter((unit) => unit.texts.length > 0).map((unit) => unit.texts.join('|'));
  }
}

/** Ticks of the video clock per picture at 25 pictures per second. */
export const FRAME_TICKS = 3_600;
/** Data that fills several packets. */
export const LONG = 'x'.repeat(1_000);

/** `count` pictures starting at `from`, with a key frame every `gop`; each is a single slice of several packets. */
export function pictures(packets: SamplePackets, from: number, count: number, gop = 10): Buffer[][] {
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    const kind = index % gop === 0 ? 'idr' : 'reference';
    return packets.picture(index * FRAME_TICKS, [slice(kind, `${index}:${LONG}`)]);
  });
}

/** Numbers of the pictures made by `pictures` that came out of the receiver. */
export function numbers(recorder: RecordingReceiver): number[] {
  return recorder.pictures.map((text) => Number(text.split(':')[0]));
}

/** `epochSec`: the sender's clock, seconds since 1900. */
export function senderReport(ssrc: number, epochSec: number, rtpTimestamp: number): Buffer {
  const ntpSec = Math.floor(epochSec);
  const ntpFraction = Math.floor((epochSec - ntpSec) * 2 ** 32);
  return writeSenderReport(
    { ssrc, ntpSec, ntpFraction, rtpTimestamp, packetCount: 1, octetCount: 1 },
    'test',
  );
}
