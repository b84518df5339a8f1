/**
 * One RTP stream up to its payloads: header, source, order and losses. Over TCP packets come in order, so a step in
 * the sequence numbers is a loss (the camera dropped them); over UDP they pass the reorder buffer first.
 */

import type { ReceptionFigures } from './reception-statistics.ts';
import { ReceptionStatistics } from './reception-statistics.ts';
import { type OrderedPackets, ReorderBuffer } from './reorder-buffer.ts';
import { RtpPacket } from './rtp-packet.ts';

/** What takes the payloads of one stream. */
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
}

export interface StreamReceiverOptions {
  readonly payloadType: number;
  readonly clockRateHz: number;
  /** What SETUP announced. Cameras get it wrong: only a hint for who may send to an open UDP port. */
  readonly ssrc: number | null;
  readonly transport: 'tcp' | 'udp';
  readonly payloads: PayloadReceiver;
}

/** Packets in a row after which another source over UDP is the camera restarted, and no stray sender. */
const NEW_SOURCE_PACKETS = 8;

export class StreamReceiver implements OrderedPackets {
  readonly #payloadType: number;
  readonly #payloads: PayloadReceiver;
  readonly #statistics: ReceptionStatistics;
  readonly #reorder: ReorderBuffer | null;
  readonly #packet = new RtpPacket();
  /** -1: the first packet decides. */
  #ssrc: number;
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
    this.#ssrc = options.transport === 'udp' ? (options.ssrc ?? -1) : -1;
  }

  /** Of the source that is being received; null before its first packet. */
  get ssrc(): number | null {
    return this.#receivedPackets === 0 ? null : this.#ssrc;
  }

  /** Packets that were no RTP. */
  get badPackets(): number {
    return this.#badPackets;
  }

  /** Packets of other sources or payload types. */
  get foreignPackets(): number {
    return this.#foreignPackets;
  }

  /** Over UDP those that came too late or twice, over TCP those that came twice. */
  get latePackets(): number {
    return this.#reorder?.latePackets ?? this.#repeatedPackets;
  }

  /** Hot. One packet, borrowed. Never throws of what is in it. */
  push(chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number): void {
    const packet = this.#packet;
    if (!packet.read(chunk, start, end)) {
      this.#badPackets += 1;
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
    if (((sequenceNumber + 1) & 0xffff) === this.#nextSequence) {
      this.#leaveOutRepeated();
      return;
    }
    const isInOrder = sequenceNumber === this.#nextSequence || this.#nextSequence < 0;
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

  /** Gives up gaps of UDP that have been open for too long. */
  flush(nowMonoMs: number): void {
    this.#reorder?.flush(nowMonoMs);
  }

  /** The process stood still for `byMs`, which does not count as waiting. */
  postpone(byMs: number): void {
    this.#reorder?.postpone(byMs);
  }

  /** For a receiver report, and the beginning of the next interval. */
  takeFigures(): ReceptionFigures {
    return this.#statistics.take();
  }

  /** The same packet again, or one of another payload type that repeats its number (Geovision GV-EBD4701, PTZ data). */
  #leaveOutRepeated(): void {
    if (this.#packet.payloadType === this.#payloadType) this.#repeatedPackets += 1;
    else this.#foreignPackets += 1;
  }

  #deliver(chunk: Uint8Array, arrivalMonoMs: number): void {
    const packet = this.#packet;
    if (packet.payloadType !== this.#payloadType) {
      this.#foreignPackets += 1;
      return;
    }
    const { payloadStart, payloadEnd, rtpTimestamp, isMarked } = packet;
    this.#payloads.push(chunk, payloadStart, payloadEnd, rtpTimestamp, isMarked, arrivalMonoMs);
  }

  /** Within a TCP connection nobody else can send: a new SSRC is the camera's encoder restarted. */
  #switchSource(ssrc: number): boolean {
    if (ssrc !== this.#otherSsrc) this.#otherPackets = 0;
    this.#otherSsrc = ssrc;
    this.#otherPackets += 1;
    const isKnown = this.#ssrc >= 0;
    if (isKnown && this.#reorder !== null && this.#otherPackets < NEW_SOURCE_PACKETS) return false;
    if (this.#receivedPackets > 0) this.#payloads.gap();
    this.#ssrc = ssrc;
    this.#nextSequence = -1;
    this.#statistics.reset();
    this.#reorder?.reset();
    return true;
  }
}
