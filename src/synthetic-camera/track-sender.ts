/** One track for one client: numbering and sender reports. RFC 3550 §5.1, §6.4.1. */

import { randomInt } from 'node:crypto';
import { writeSenderReport } from '../rtp/rtcp/rtcp-writer.ts';
import type { RtpRtcpPair } from '../rtsp/transport.ts';
import type { FramePackets } from './clip-packets.ts';

/** Where a track is sent: channels of the RTSP connection, or ports of the client. */
export type Delivery =
  | { readonly lower: 'tcp'; readonly channels: RtpRtcpPair }
  | { readonly lower: 'udp'; readonly ports: RtpRtcpPair };

/** Seconds from 1900, the epoch of NTP, to 1970 (RFC 5905 §6). */
const NTP_TO_EPOCH_SEC = 2_208_988_800;
const CNAME = 'synthetic-camera';

export class TrackSender {
  readonly delivery: Delivery;
  #ssrc = randomInt(1, 2 ** 32);
  /** Random, as RFC 3550 §5.1 requires, so that receivers get a wrap-around now and then. */
  #timestampOffset = randomInt(0, 2 ** 32);
  #sequence = randomInt(0, 2 ** 16);
  #packetCount = 0;
  #octetCount = 0;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
  }

  get ssrc(): number {
    return this.#ssrc;
  }

  /** Sequence number of the next packet. */
  get nextSequence(): number {
    return this.#sequence & 0xffff;
  }

  /** The timestamp of the next frame at `ticks`. */
  rtpTimestamp(ticks: number): number {
    return (this.#timestampOffset + ticks) % 2 ** 32;
  }

  /** Moves all timestamps from now on by `ticks`, later or earlier. */
  shiftTimestamps(ticks: number): void {
    this.#timestampOffset = (((this.#timestampOffset + ticks) % 2 ** 32) + 2 ** 32) % 2 ** 32;
  }

  /** Makes later packets those of an encoder that has just started. */
  restart(): void {
    this.#ssrc = randomInt(1, 2 ** 32);
    this.#timestampOffset = randomInt(0, 2 ** 32);
    this.#sequence = randomInt(0, 2 ** 16);
    this.#packetCount = 0;
    this.#octetCount = 0;
  }

  /** Hot. Writes a frame to `target` at `at`, interleaved, and counts its packets. */
  write(frame: FramePackets, ticks: number, target: Buffer, at: number): void {
    const { delivery } = this;
    const channel = delivery.lower === 'tcp' ? delivery.channels.rtp : 0;
    frame.copyTo(target, at, channel, this.#sequence, this.rtpTimestamp(ticks), this.#ssrc);
    this.#sequence = (this.#sequence + frame.packetCount) & 0xffff;
    this.#packetCount += frame.packetCount;
    this.#octetCount += frame.payloadBytes;
  }

  /** `epochMs`: the camera's wall clock at `ticks`. */
  senderReport(ticks: number, epochMs: number): Buffer {
    const sec = Math.floor(epochMs / 1_000);
    const report = {
      ssrc: this.#ssrc,
      ntpSec: (sec + NTP_TO_EPOCH_SEC) >>> 0,
      ntpFraction: Math.floor(((epochMs / 1_000) % 1) * 2 ** 32) >>> 0,
      rtpTimestamp: this.rtpTimestamp(ticks),
      packetCount: this.#packetCount >>> 0,
      octetCount: this.#octetCount >>> 0,
    };
    return writeSenderReport(report, CNAME);
  }
}
