/** How a camera's track is described to RTSP clients, and how its access units become packets: the frames stay as they are. */

import { decodeFlacFrame } from '../../codec/flac/flac-decoder.ts';
import { encodeG711 } from '../../codec/pcm/g711.ts';
import { encodeSpropParameterSets } from '../../codec/sprop-parameter-sets.ts';
import type {
  AacTrack,
  AccessUnit,
  CodedTrack,
  FlacTrack,
  H264Track,
  H265Track,
  OpusTrack,
} from '../../codec/track.ts';
import { MAX_AAC_FRAME_BYTES, packetizeAac } from '../../rtp/aac/aac-packetizer.ts';
import { FramePackets } from '../../rtp/frame-packets.ts';
import { packetizeH264 } from '../../rtp/h264/h264-packetizer.ts';
import { packetizeH265 } from '../../rtp/h265/h265-packetizer.ts';
import { packetizeSamples, samplesPerPayload } from '../../rtp/sample-packetizer.ts';
import type { WrittenMedia } from '../../rtsp/sdp/description-writer.ts';

/** Stays below an Ethernet frame with IP, UDP and RTP headers, and what tunnels add. */
export const MAX_PAYLOAD_BYTES = 1_400;
const VIDEO_PAYLOAD_TYPE = 96;
const AUDIO_PAYLOAD_TYPE = 97;
/** RFC 3551 §6, of 8 kHz. */
const G711_PAYLOAD_TYPES = { pcmu: 0, pcma: 8 } as const;
const G711_LAWS = { pcmu: 'mu-law', pcma: 'a-law' } as const;
const G711_RATE_HZ = 8_000;
const VIDEO_CLOCK_RATE_HZ = 90_000;
const LENGTH_BYTES = 4;

export interface SentTrack {
  /** Among the camera's tracks. */
  readonly trackIndex: number;
  readonly kind: 'video' | 'audio';
  /** Ticks per second of the access units. */
  readonly timescaleHz: number;
  readonly media: Omit<WrittenMedia, 'control'>;
  /** A client that knows another track with the same name can go on with this one: the rest comes with the frames. */
  readonly name: string;
  /** Hot. The unit is borrowed. `extension`: of the first packet's header. null: the unit cannot be sent. */
  packets(unit: AccessUnit, extension?: Uint8Array): FramePackets | null;
}

/** Those of a camera's tracks that RTP carries, the video first. */
export function sentTracks(tracks: readonly CodedTrack[]): SentTrack[] {
  const sent = tracks.flatMap((track, trackIndex) => sentTrack(track, trackIndex) ?? []);
  return sent.sort((one, other) => Number(one.kind === 'audio') - Number(other.kind === 'audio'));
}

/** Hot. Where a unit is on the RTP clock of its track. */
export function rtpTicks({ timescaleHz, media }: SentTrack, ptsTicks: number): number {
  return media.clockRateHz === timescaleHz
    ? ptsTicks
    : Math.round((ptsTicks * media.clockRateHz) / timescaleHz);
}

function sentTrack(track: CodedTrack, trackIndex: number): SentTrack | null {
  switch (track.codec) {
    case 'h264':
      return h264Sent(track, trackIndex);
    case 'h265':
      return h265Sent(track, trackIndex);
    case 'aac':
      return aacSent(track, trackIndex);
    case 'opus':
      return opusSent(track, trackIndex);
    case 'flac':
      return samplesSent(track, trackIndex);
    default:
      return null;
  }
}

function h264Sent(track: H264Track, trackIndex: number): SentTrack {
  const sets = [...track.sps, ...track.pps];
  const profile = Buffer.from(track.sps[0]?.subarray(1, 4) ?? [])
    .toString('hex')
    .toUpperCase();
  const parameters = `packetization-mode=1;profile-level-id=${profile};sprop-parameter-sets=${encodeSpropParameterSets(sets)}`;
  return videoSent(track, trackIndex, 'H264', parameters, sets, (nalus) =>
    packetizeH264(nalus, MAX_PAYLOAD_BYTES, 'stap-a'),
  );
}

function h265Sent(track: H265Track, trackIndex: number): SentTrack {
  const { vps, sps, pps } = track;
  const [vpsText, spsText, ppsText] = [vps, sps, pps].map(encodeSpropParameterSets);
  const parameters = `sprop-vps=${vpsText};sprop-sps=${spsText};sprop-pps=${ppsText}`;
  return videoSent(track, trackIndex, 'H265', parameters, [...vps, ...sps, ...pps], (nalus) =>
    packetizeH265(nalus, MAX_PAYLOAD_BYTES, 'ap'),
  );
}

/** `sets`: in front of each key frame, for decoders that begin there. */
function videoSent(
  { timescaleHz }: H264Track | H265Track,
  trackIndex: number,
  encoding: string,
  parameters: string,
  sets: readonly Uint8Array[],
  packetize: (nalus: readonly Uint8Array[]) => Uint8Array[],
): SentTrack {
  return {
    trackIndex,
    kind: 'video',
    timescaleHz,
    media: {
      kind: 'video',
      payloadType: VIDEO_PAYLOAD_TYPE,
      encoding,
      clockRateHz: VIDEO_CLOCK_RATE_HZ,
      channelCount: 1,
      parameters,
    },
    name: encoding,
    packets: ({ data, isKey }, extension) => {
      const nalus = nalusOf(data, isKey ? [...sets] : []);
      if (nalus.length === 0) return null;
      return frameOf(packetize(nalus), VIDEO_PAYLOAD_TYPE, extension);
    },
  };
}

function aacSent(
  { sampleRateHz, channelCount, audioSpecificConfig, timescaleHz }: AacTrack,
  trackIndex: number,
) {
  const config = Buffer.from(audioSpecificConfig).toString('hex');
  const sizes = 'sizelength=13;indexlength=3;indexdeltalength=3';
  const parameters = `streamtype=5;profile-level-id=1;mode=AAC-hbr;${sizes};config=${config}`;
  const media = { encoding: 'mpeg4-generic', clockRateHz: sampleRateHz, channelCount, parameters };
  return soundSent(trackIndex, timescaleHz, media, ({ data }, extension) =>
    data.length === 0 || data.length > MAX_AAC_FRAME_BYTES
      ? null
      : frameOf(packetizeAac(data, MAX_PAYLOAD_BYTES), AUDIO_PAYLOAD_TYPE, extension),
  );
}

/** RFC 7587 §7: always two channels; the parameter says what is in them. */
function opusSent({ channelCount, timescaleHz, sampleRateHz }: OpusTrack, trackIndex: number): SentTrack {
  const parameters = `sprop-stereo=${channelCount === 2 ? 1 : 0}`;
  const media = { encoding: 'opus', clockRateHz: sampleRateHz, channelCount: 2, parameters };
  return soundSent(trackIndex, timescaleHz, media, ({ data }, extension) =>
    data.length === 0 || data.length > MAX_INTERLEAVED_PAYLOAD_BYTES
      ? null
      : new FramePackets([data], AUDIO_PAYLOAD_TYPE, { isMarked: false, ticksPerPacket: 0, extension }),
  );
}

/** RTP does not carry FLAC. It is made of samples, which clients get as the camera sent them: as G.711, and otherwise as L16. */
function samplesSent(track: FlacTrack, trackIndex: number): SentTrack {
  const { sampleRateHz, channelCount, timescaleHz, madeOf } = track;
  const encoding = madeOf === undefined ? 'L16' : madeOf.toUpperCase();
  const isStatic = madeOf !== undefined && sampleRateHz === G711_RATE_HZ && channelCount === 1;
  const payloadType = isStatic ? G711_PAYLOAD_TYPES[madeOf] : AUDIO_PAYLOAD_TYPE;
  const sampleBytes = channelCount * (madeOf === undefined ? 2 : 1);
  const ticksPerPacket = samplesPerPayload(sampleBytes, MAX_PAYLOAD_BYTES);
  const media = { encoding, clockRateHz: sampleRateHz, channelCount, parameters: null };
  const packets = ({ data }: AccessUnit, extension?: Uint8Array): FramePackets | null => {
    const block = decodeFlacFrame(data);
    if (block === null) return null;
    const { samples } = block;
    const bytes = madeOf === undefined ? bigEndian(samples) : encodeG711(G711_LAWS[madeOf], samples);
    const payloads = packetizeSamples(bytes, sampleBytes, MAX_PAYLOAD_BYTES);
    return new FramePackets(payloads, payloadType, { isMarked: false, ticksPerPacket, extension });
  };
  return soundSent(trackIndex, timescaleHz, media, packets, payloadType);
}

/** RFC 3551 §4.5.11: in network order. */
function bigEndian(samples: Int16Array): Uint8Array {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).swap16();
}

/** RFC 7587 §4.2: one packet of Opus in one of RTP, whose length has 16 bits in an RTSP connection. */
const MAX_INTERLEAVED_PAYLOAD_BYTES = 65_000;

function soundSent(
  trackIndex: number,
  timescaleHz: number,
  media: Pick<WrittenMedia, 'encoding' | 'clockRateHz' | 'channelCount' | 'parameters'>,
  packets: SentTrack['packets'],
  payloadType = AUDIO_PAYLOAD_TYPE,
): SentTrack {
  const { encoding, clockRateHz, channelCount, parameters } = media;
  return {
    trackIndex,
    kind: 'audio',
    timescaleHz,
    media: { ...media, kind: 'audio', payloadType },
    name: `${encoding}/${clockRateHz}/${channelCount} ${parameters}`,
    packets,
  };
}

/** Packets of one instant. Only replayed frames have an extension. */
function frameOf(
  payloads: readonly Uint8Array[],
  payloadType: number,
  extension: Uint8Array | undefined,
): FramePackets {
  if (extension === undefined) return new FramePackets(payloads, payloadType);
  return new FramePackets(payloads, payloadType, { isMarked: true, ticksPerPacket: 0, extension });
}

/** Views into `data`, each after its length; appended to `nalus`. A length that does not fit ends them. */
function nalusOf(data: Uint8Array, nalus: Uint8Array[]): Uint8Array[] {
  const before = nalus.length;
  for (let at = 0; at + LENGTH_BYTES < data.length; ) {
    const start = at + LENGTH_BYTES;
    const length = ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0;
    const end = start + length;
    // A NAL unit of H.265 has a header of two bytes.
    if (length < 2 || end > data.length) break;
    nalus.push(data.subarray(start, end));
    at = end;
  }
  return nalus.length === before ? [] : nalus;
}
