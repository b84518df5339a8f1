/**
 * A clip cut into RTP packets, once for all cameras and clients that play it. The packets of a frame follow each other
 * as interleaved frames (RFC 2326 §10.12); a client's copy differs only in channel, sequence numbers, timestamp and
 * SSRC.
 */

import { packetizeAac } from '../rtp/aac/aac-packetizer.ts';
import { packetizeH264 } from '../rtp/h264/h264-packetizer.ts';
import { packetizeH265 } from '../rtp/h265/h265-packetizer.ts';
import { writeRtpHeader } from '../rtp/rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from '../rtp/rtp-packet.ts';
import type { Clip } from './clip.ts';

export const VIDEO_PAYLOAD_TYPE = 96;
export const AUDIO_PAYLOAD_TYPE = 97;
/** RFC 3551 §6 */
export const PCMU_PAYLOAD_TYPE = 0;
export const VIDEO_CLOCK_RATE_HZ = 90_000;
/** `$`, channel, length. */
export const INTERLEAVED_HEADER_BYTES = 4;
/** Stays below an Ethernet frame with IP, UDP and RTP headers. */
const MAX_PAYLOAD_BYTES = 1_400;
const DOLLAR = 0x24;

/** The packets of one frame. Shared: never written to. */
export class FramePackets {
  readonly #payloadType: number;
  readonly #bytes: Buffer;
  /** Where each packet's interleaved header begins, and where the last packet ends. */
  readonly starts: readonly number[];

  constructor(payloads: readonly Uint8Array[], payloadType: number) {
    const headerBytes = INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES;
    const starts = [0];
    this.#bytes = Buffer.alloc(payloads.reduce((sum, payload) => sum + headerBytes + payload.length, 0));
    for (const payload of payloads) {
      const at = starts.at(-1)!;
      this.#bytes[at] = DOLLAR;
      this.#bytes.writeUInt16BE(RTP_HEADER_BYTES + payload.length, at + 2);
      this.#bytes.set(payload, at + headerBytes);
      starts.push(at + headerBytes + payload.length);
    }
    this.#payloadType = payloadType;
    this.starts = starts;
  }

  get packetCount(): number {
    return this.starts.length - 1;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Payload bytes, as sender reports count them. */
  get payloadBytes(): number {
    return this.#bytes.length - this.packetCount * (INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES);
  }

  /** Hot. Copies all packets to `target` at `at` with one client's numbers; the last one is marked. */
  copyTo(
    target: Buffer,
    at: number,
    channel: number,
    firstSequence: number,
    rtpTimestamp: number,
    ssrc: number,
  ): void {
    this.#bytes.copy(target, at);
    const last = this.packetCount - 1;
    for (let packet = 0; packet <= last; packet++) {
      const packetAt = at + this.starts[packet]!;
      target[packetAt + 1] = channel;
      const headerAt = packetAt + INTERLEAVED_HEADER_BYTES;
      const sequence = firstSequence + packet;
      writeRtpHeader(target, headerAt, this.#payloadType, packet === last, sequence, rtpTimestamp, ssrc);
    }
  }
}

/** NAL units of one picture to RTP payloads. */
export type Packetize = (nalus: readonly Uint8Array[]) => readonly Uint8Array[];

const h264Packets: Packetize = (nalus) => packetizeH264(nalus, MAX_PAYLOAD_BYTES, 'stap-a');
const h265Packets: Packetize = (nalus) => packetizeH265(nalus, MAX_PAYLOAD_BYTES, 'ap');

/** A clip's frames as packets; each is packetized when it is first sent. */
export class ClipPackets {
  readonly clip: Clip;
  readonly #video: (FramePackets | undefined)[];
  readonly #audio: (FramePackets | undefined)[];
  readonly #packetize: Packetize;

  private constructor(clip: Clip, packetize: Packetize) {
    this.clip = clip;
    this.#packetize = packetize;
    this.#video = new Array(clip.pictures.length);
    this.#audio = new Array(clip.audio?.frames.length ?? 0);
  }

  /** `packetize`: how frames are packetized, if not in the default way. */
  static of(clip: Clip, packetize?: Packetize): ClipPackets {
    if (packetize !== undefined) return new ClipPackets(clip, packetize);
    const known = packetsByClip.get(clip);
    if (known !== undefined) return known;
    const packets = new ClipPackets(clip, clip.vps === undefined ? h264Packets : h265Packets);
    packetsByClip.set(clip, packets);
    return packets;
  }

  /** `index` keeps counting over the repetitions of the clip. */
  video(index: number): FramePackets {
    const at = index % this.clip.pictures.length;
    const { nalus } = this.clip.pictures[at]!;
    this.#video[at] ??= new FramePackets(this.#packetize(nalus), VIDEO_PAYLOAD_TYPE);
    return this.#video[at];
  }

  /** Call only for a clip with audio. */
  audio(index: number): FramePackets {
    const audio = this.clip.audio!;
    const at = index % audio.frames.length;
    const frame = audio.frames[at]!;
    this.#audio[at] ??=
      'encoding' in audio
        ? new FramePackets([frame], PCMU_PAYLOAD_TYPE)
        : new FramePackets(packetizeAac(frame, MAX_PAYLOAD_BYTES), AUDIO_PAYLOAD_TYPE);
    return this.#audio[at];
  }
}

const packetsByClip = new WeakMap<Clip, ClipPackets>();
