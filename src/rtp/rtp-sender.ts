/** One track for one receiver: its numbers, and its sender reports. RFC 3550 §5.1, §6.4.1. */

import { randomInt } from 'node:crypto';
import type { FramePackets } from './frame-packets.ts';
import { writeSenderReport } from './rtcp/rtcp-writer.ts';

/** Seconds from 1900, the epoch of NTP, to 1970 (RFC 5905 §6). */
const NTP_TO_EPOCH_SEC = 2_208_988_800;
const NUMBERS = 2 ** 32;

export class RtpSender {
  readonly #cname: string;
  #ssrc = randomInt(1, NUMBERS);
  /** Random, as RFC 3550 §5.1 requires, so that receivers get a wrap-around now and then. */
  #timestampOffset = randomInt(0, NUMBERS);
  #sequence = randomInt(0, 2 ** 16);
  #packetCount = 0;
  #octetCount = 0;

  /** `cname`: of the source, in its reports. */
  constructor(cname: string) {
    this.#cname = cname;
  }

  get ssrc(): number {
    return this.#ssrc;
  }

  /** Sequence number of the next packet. */
  get nextSequence(): number {
    return this.#sequence & 0xffff;
  }

  /** The timestamp of a frame at `ticks`, which may be negative. */
  rtpTimestamp(ticks: number): number {
    return (((this.#timestampOffset + ticks) % NUMBERS) + NUMBERS) % NUMBERS;
  }

  /** Moves all timestamps from now on by `ticks`, later or earlier. */
  shiftTimestamps(ticks: number): void {
    this.#timestampOffset = this.rtpTimestamp(ticks);
  }

  /** Makes later packets those of an encoder that has just started. */
  restart(): void {
    this.#ssrc = randomInt(1, NUMBERS);
    this.#timestampOffset = randomInt(0, NUMBERS);
    this.#sequence = randomInt(0, 2 ** 16);
    this.#packetCount = 0;
    this.#octetCount = 0;
  }

  /** Hot. Writes a frame to `target` at `at`, interleaved, and counts its packets. */
  write(frame: FramePackets, ticks: number, target: Buffer, at: number, channel: number): void {
    frame.copyTo(target, at, channel, this.#sequence, this.rtpTimestamp(ticks), this.#ssrc);
    this.#sequence = (this.#sequence + frame.packetCount) & 0xffff;
    this.#packetCount += frame.packetCount;
    this.#octetCount += frame.payloadBytes;
  }

  /** A frame that is not sent: the receiver sees from the numbers what is missing. */
  skip(frame: FramePackets): void {
    this.#sequence = (this.#sequence + frame.packetCount) & 0xffff;
  }

  /** `epochMs`: the wall clock at `ticks`. */
  senderReport(ticks: number, epochMs: number): Buffer {
    const sec = Math.floor(epochMs / 1_000);
    const report = {
      ssrc: this.#ssrc,
      ntpSec: (sec + NTP_TO_EPOCH_SEC) >>> 0,
      ntpFraction: Math.floor((epochMs / 1_000 - sec) * NUMBERS) >>> 0,
      rtpTimestamp: this.rtpTimestamp(ticks),
      packetCount: this.#packetCount >>> 0,
      octetCount: this.#octetCount >>> 0,
    };
    return writeSenderReport(report, this.#cname);
  }
}
