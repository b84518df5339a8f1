/**
 * One RTP stream up to its payloads: header, type, source, order and losses. Over TCP packets arrive in order, so a
 * step in the sequence numbers is a loss (the camera dropped packets); over UDP they pass through the reorder buffer
 * first.
 *
 * The payload type is checked first: Geovision's GV-EBD4701 sends a packet of type 50 after each key frame, with the
 * sequence number of the packet before it. It must neither replace that packet nor make the next one look like a loss.
 */

import type { ReceptionFigures } from './reception-statistics.ts';
import { ReceptionStatistics } from './reception-statistics.ts';
import { type OrderedPackets, ReorderBuffer } from './reorder-buffer.ts';
import { RtpPacket } from './rtp-packet.ts';

/** Receives the payloads of one stream. */
export interface PayloadReceiver {
  /** Hot. `chunk[start, end)` is borrowed. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void;
  /** Packets are missing before the next one. */
  gap(): void;
  /** The header extension of the packet whose payload comes next, borrowed, with its own header. RFC 3550 §5.3.1. */
  extension?(chunk: Uint8Array, start: number, end: number): void;
}

export interface StreamReceiverOptions {
  readonly payloadType: number;
  readonly clockRateHz: number;
  /**
   * The SSRC announced in SETUP. Cameras get it wrong (H264DVR: 0), so the first packet decides, and the announced one
   * may take its place.
   */
  readonly ssrc: number | null;
  readonly transport: 'tcp' | 'udp';
  readonly payloads: PayloadReceiver;
}

/** Consecutive packets after which another source over UDP is the restarted camera, not a stray sender. */
const NEW_SOURCE_PACKETS = 8;

export class StreamReceiver implements OrderedPackets {
  readonly #payloadType: number;
  readonly #payloads: PayloadReceiver;
  readonly #statistics: ReceptionStatistics;
  readonly #reorder: ReorderBuffer | null;
  readonly #packet = new RtpPacket();
  readonly #announcedSsrc: number;
  /** -1 before the first packet. */
  #ssrc = -1;
  #otherSsrc = -1;
  #otherPackets = 0;
  /** -1 before the first packet of a source. */
  #nextSequence = -1;
  #badPackets = 0;
  #foreignPackets = 0;
  #receivedPackets = 0;
  #repeatedPackets = 0;

  constructor(options: StreamReceiverOptions) {
    this.#payloadType = options.payloadType;
    this.#payloads = options.payloads;
    this.#statistics = new ReceptionStatistics(options.clockRateHz);
    this.#reorder = options.transport === 'udp' ? new ReorderBuffer(this) : null;
    this.#announcedSsrc = options.ssrc ?? -1;
  }

  /** SSRC of the source being received; null before its first packet. */
  get ssrc(): number | null {
    return this.#receivedPackets === 0 ? null : this.#ssrc;
  }

  /** Packets that were not RTP. */
  get badPackets(): number {
    return this.#badPackets;
  }

  /** Packets from other sources or of other payload types. */
  get foreignPackets(): number {
    return this.#foreignPackets;
  }

  /** Packets that came twice, or too late. */
  get latePackets(): number {
    return this.#repeatedPackets + (this.#reorder?.latePackets ?? 0);
  }

  /** Hot. One packet, borrowed. Never throws, whatever is in it. */
  push(chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number): void {
    const packet = this.#packet;
    if (!packet.read(chunk, start, end)) {
      this.#badPackets += 1;
      return;
    }
    if (packet.payloadType !== this.#payloadType) {
      this.#passOver(packet);
      return;
    }
    if (packet.ssrc !== this.#ssrc && !this.#switchSource(packet.ssrc)) {
      this.#foreignPackets += 1;
      return;
    }
    this.#otherPackets = 0;
    this.#receivedPackets += 1;
    const { sequenceNumber } = packet;
    this.#statistics.received(sequenceNumber, packet.rtpTimestamp, arrivalMonoMs);
    if (this.#reorder !== null) {
      this.#reorder.push(chunk, start, end, arrivalMonoMs, sequenceNumber);
      return;
    }
    const isInOrder = sequenceNumber === this.#nextSequence || this.#nextSequence < 0;
    if (!isInOrder && sequenceNumber === ((this.#nextSequence - 1) & 0xffff)) {
      this.#repeatedPackets += 1;
      return;
    }
    if (!isInOrder) this.#payloads.gap();
    this.#nextSequence = (sequenceNumber + 1) & 0xffff;
    this.#deliver(chunk, arrivalMonoMs);
  }

  onOrdered(
    chunk: Uint8Array,
    start: number,
    end: number,
    arrivalMonoMs: number,
    _sequenceNumber: number,
    isAfterGap: boolean,
  ): void {
    this.#packet.read(chunk, start, end);
    if (isAfterGap) this.#payloads.gap();
    this.#deliver(chunk, arrivalMonoMs);
  }

  /** Gives up on UDP gaps that have been open for too long. */
  flush(nowMonoMs: number): void {
    this.#reorder?.flush(nowMonoMs);
  }

  /** The process was paused for `byMs`, which does not count as waiting. */
  postpone(byMs: number): void {
    this.#reorder?.postpone(byMs);
  }

  /** Returns the figures for a receiver report and begins the next interval. */
  takeFigures(): ReceptionFigures {
    return this.#statistics.take();
  }

  /**
   * A packet of another type. Over TCP it may be the next in the numbering, which some types share (comfort noise, RFC
   * 3389); one that repeats a number changes nothing. Over UDP the number may belong to a packet yet to come.
   */
  #passOver(packet: RtpPacket): void {
    this.#foreignPackets += 1;
    const isNext = packet.ssrc === this.#ssrc && packet.sequenceNumber === this.#nextSequence;
    if (isNext && this.#reorder === null) this.#nextSequence = (packet.sequenceNumber + 1) & 0xffff;
  }

  #deliver(chunk: Uint8Array, arrivalMonoMs: number): void {
    const { payloadStart, payloadEnd, rtpTimestamp, isMarked, extensionStart } = this.#packet;
    if (extensionStart >= 0) this.#payloads.extension?.(chunk, extensionStart, payloadStart);
    this.#payloads.push(chunk, payloadStart, payloadEnd, rtpTimestamp, isMarked, arrivalMonoMs);
  }

  /** Within a TCP connection only the camera can send: a new SSRC means that its encoder restarted. */
  #switchSource(ssrc: number): boolean {
    if (ssrc !== this.#otherSsrc) this.#otherPackets = 0;
    this.#otherSsrc = ssrc;
    this.#otherPackets += 1;
    const isExpected = this.#ssrc < 0 || ssrc === this.#announcedSsrc;
    if (!isExpected && this.#reorder !== null && this.#otherPackets < NEW_SOURCE_PACKETS) return false;
    if (this.#receivedPackets > 0) this.#payloads.gap();
    this.#ssrc = ssrc;
    this.#nextSequence = -1;
    this.#statistics.reset();
    this.#reorder?.reset();
    return true;
  }
}
