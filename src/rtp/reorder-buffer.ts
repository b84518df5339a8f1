/**
 * Puts UDP datagrams back in order. Packets in order pass straight through; one that is ahead is copied and waits for
 * the missing ones until they arrive, the time is up, or too many wait. RFC 3550 A.1.
 */

import { distance16 } from './serial-number.ts';

/** Packets that may wait: more than the burst of a large key frame takes while one of its packets is delayed. */
export const MAX_WAITING_PACKETS = 128;
/** How long a gap may stay open. Detours within a site take a few milliseconds. */
export const MAX_WAIT_MS = 100;
/** RFC 3550 A.1 MAX_DROPOUT and MAX_MISORDER: beyond these it is a different numbering, not a detour. */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;
const TYPICAL_PACKET_BYTES = 1_536;

export interface OrderedPackets {
  /** The next packet in order, borrowed. `isAfterGap`: packets before it are missing. */
  onOrdered(
    chunk: Uint8Array,
    start: number,
    end: number,
    arrivalMonoMs: number,
    sequenceNumber: number,
    isAfterGap: boolean,
  ): void;
}

interface Slot {
  bytes: Buffer;
  length: number;
  arrivalMonoMs: number;
  /** Its arrival time, moved later by the time during which the process was paused. */
  waitingSinceMonoMs: number;
  sequenceNumber: number;
  isTaken: boolean;
}

export class ReorderBuffer {
  readonly #sink: OrderedPackets;
  /** By sequence number modulo the length; allocated when the first packet waits. */
  readonly #slots: Slot[] = [];
  #isStarted = false;
  #nextSequence = 0;
  #waiting = 0;
  /** A packet is missing with no waiting one after it: the next delivery reports it. */
  #hasGap = false;
  #latePackets = 0;

  constructor(sink: OrderedPackets) {
    this.#sink = sink;
  }

  /** Packets that came twice, or too late. */
  get latePackets(): number {
    return this.#latePackets;
  }

  /** Hot. `chunk[start, end)` is borrowed, copied if it must wait. */
  push(chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number, sequenceNumber: number): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#nextSequence = sequenceNumber;
    }
    const ahead = distance16(this.#nextSequence, sequenceNumber);
    if (ahead === 0) {
      this.#deliver(chunk, start, end, arrivalMonoMs, sequenceNumber);
      if (this.#waiting > 0) this.#drain();
    } else if (ahead < 0 && ahead >= -MAX_MISORDER) {
      this.#latePackets += 1;
    } else if (ahead < 0 || ahead > MAX_DROPOUT) {
      this.#renumber(sequenceNumber);
      this.#deliver(chunk, start, end, arrivalMonoMs, sequenceNumber);
    } else {
      this.#makeRoom(sequenceNumber);
      this.#store(chunk, start, end, arrivalMonoMs, sequenceNumber);
      this.#drain();
    }
    if (this.#waiting > 0) this.flush(arrivalMonoMs);
  }

  /** Gives up on gaps that packets have waited behind for too long. */
  flush(nowMonoMs: number): void {
    while (this.#waiting > 0) {
      const first = this.#firstWaiting();
      if (nowMonoMs - first.waitingSinceMonoMs < MAX_WAIT_MS) return;
      this.#skipTo(first.sequenceNumber);
      this.#drain();
    }
  }

  /**
   * The process was paused for `byMs`: missing packets may have arrived meanwhile, and must be read before we judge.
   */
  postpone(byMs: number): void {
    if (this.#waiting === 0) return;
    for (const slot of this.#slots) slot.waitingSinceMonoMs += byMs;
  }

  /** Another source begins: drops all waiting packets. The caller reports the consequences. */
  reset(): void {
    this.#dropWaiting();
    this.#isStarted = false;
    this.#hasGap = false;
  }

  #deliver(
    chunk: Uint8Array,
    start: number,
    end: number,
    arrivalMonoMs: number,
    sequenceNumber: number,
  ): void {
    const isAfterGap = this.#hasGap;
    this.#hasGap = false;
    this.#nextSequence = (sequenceNumber + 1) & 0xffff;
    this.#sink.onOrdered(chunk, start, end, arrivalMonoMs, sequenceNumber, isAfterGap);
  }

  #store(chunk: Uint8Array, start: number, end: number, arrivalMonoMs: number, sequenceNumber: number): void {
    const slot = this.#slot(sequenceNumber);
    if (slot.isTaken) {
      this.#latePackets += 1;
      return;
    }
    const length = end - start;
    if (slot.bytes.length < length)
      slot.bytes = Buffer.allocUnsafeSlow(Math.max(length, TYPICAL_PACKET_BYTES));
    slot.bytes.set(chunk.subarray(start, end));
    slot.length = length;
    slot.arrivalMonoMs = arrivalMonoMs;
    slot.waitingSinceMonoMs = arrivalMonoMs;
    slot.sequenceNumber = sequenceNumber;
    slot.isTaken = true;
    this.#waiting += 1;
  }

  #drain(): void {
    while (this.#waiting > 0) {
      const slot = this.#slot(this.#nextSequence);
      if (!slot.isTaken) return;
      slot.isTaken = false;
      this.#waiting -= 1;
      this.#deliver(slot.bytes, 0, slot.length, slot.arrivalMonoMs, slot.sequenceNumber);
    }
  }

  /** Gives up on the oldest gaps until `sequenceNumber` fits. */
  #makeRoom(sequenceNumber: number): void {
    while (distance16(this.#nextSequence, sequenceNumber) >= MAX_WAITING_PACKETS) {
      if (this.#waiting === 0) {
        this.#skipTo(sequenceNumber);
        return;
      }
      this.#skipTo(this.#firstWaiting().sequenceNumber);
      this.#drain();
    }
  }

  #skipTo(sequenceNumber: number): void {
    this.#nextSequence = sequenceNumber;
    this.#hasGap = true;
  }

  #renumber(sequenceNumber: number): void {
    this.#dropWaiting();
    this.#skipTo(sequenceNumber);
  }

  #dropWaiting(): void {
    for (const slot of this.#slots) slot.isTaken = false;
    this.#waiting = 0;
  }

  /** Call only while a packet waits. */
  #firstWaiting(): Slot {
    let sequence = this.#nextSequence;
    while (!this.#slot(sequence).isTaken) sequence = (sequence + 1) & 0xffff;
    return this.#slot(sequence);
  }

  #slot(sequenceNumber: number): Slot {
    const slots = this.#slots;
    if (slots.length === 0) for (let at = 0; at < MAX_WAITING_PACKETS; at++) slots.push(emptySlot());
    return slots[sequenceNumber % MAX_WAITING_PACKETS]!;
  }
}

const NO_BYTES = Buffer.alloc(0);

function emptySlot(): Slot {
  return {
    bytes: NO_BYTES,
    length: 0,
    arrivalMonoMs: 0,
    waitingSinceMonoMs: 0,
    sequenceNumber: 0,
    isTaken: false,
  };
}
