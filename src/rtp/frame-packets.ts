/**
 * The RTP packets of one frame, for any number of receivers. They follow each other as interleaved frames (RFC 2326 §10.12);
 * a receiver's copy differs only in channel, sequence numbers, timestamps, and SSRC.
 */

import { writeRtpHeader } from './rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from './rtp-packet.ts';

/** `$`, channel, length. */
export const INTERLEAVED_HEADER_BYTES = 4;
const DOLLAR = 0x24;

/** How the packets of a frame differ from each other. */
export interface FrameMarks {
  /** Whether the last packet has the marker; samples without a frame of their own have none (RFC 3551 §4.1). */
  readonly isMarked: boolean;
  /** From one packet to the next; 0: all are of the same instant. */
  readonly ticksPerPacket: number;
  /** A header extension of the first packet, with its own header (RFC 3550 §5.3.1). Default: none. */
  readonly extension?: Uint8Array | undefined;
}

const OF_ONE_INSTANT: FrameMarks = { isMarked: true, ticksPerPacket: 0 };
const HAS_EXTENSION = 0x10;

/** Shared: never written to. */
export class FramePackets {
  readonly #payloadType: number;
  readonly #bytes: Buffer;
  readonly #isMarked: boolean;
  readonly #ticksPerPacket: number;
  readonly #extensionBytes: number;
  /** Where each packet's interleaved header begins, and where the last packet ends. */
  readonly starts: readonly number[];

  /** `payloads`: copied. */
  constructor(payloads: readonly Uint8Array[], payloadType: number, marks = OF_ONE_INSTANT) {
    const headerBytes = INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES;
    const { extension } = marks;
    this.#extensionBytes = extension?.length ?? 0;
    const starts = [0];
    const allBytes = payloads.reduce((sum, payload) => sum + headerBytes + payload.length, 0);
    this.#bytes = Buffer.alloc(allBytes + this.#extensionBytes);
    for (const [index, payload] of payloads.entries()) {
      const at = starts.at(-1)!;
      const extensionBytes = index === 0 ? this.#extensionBytes : 0;
      this.#bytes[at] = DOLLAR;
      this.#bytes.writeUInt16BE(RTP_HEADER_BYTES + extensionBytes + payload.length, at + 2);
      if (index === 0 && extension !== undefined) this.#bytes.set(extension, at + headerBytes);
      this.#bytes.set(payload, at + headerBytes + extensionBytes);
      starts.push(at + headerBytes + extensionBytes + payload.length);
    }
    this.#payloadType = payloadType;
    this.#isMarked = marks.isMarked;
    this.#ticksPerPacket = marks.ticksPerPacket;
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
    const headerBytes = this.packetCount * (INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES);
    return this.#bytes.length - headerBytes - this.#extensionBytes;
  }

  /** Hot. Copies all packets to `target` at `at` with one receiver's numbers. */
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
      const isMarked = packet === last && this.#isMarked;
      const timestamp = rtpTimestamp + packet * this.#ticksPerPacket;
      writeRtpHeader(target, headerAt, this.#payloadType, isMarked, firstSequence + packet, timestamp, ssrc);
      if (packet === 0 && this.#extensionBytes > 0) target[headerAt]! |= HAS_EXTENSION;
    }
  }
}
