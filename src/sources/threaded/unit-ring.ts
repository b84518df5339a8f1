/**
 * A ring in shared memory through which one thread hands another access units, and rare events between them, in order. One
 * writer, one reader. Nothing is allocated per unit by the writer, and the reader borrows the bytes where they are. A ring
 * that is full loses units: the writer never waits.
 */

import { deserialize, serialize } from 'node:v8';
import type { AccessUnit } from '../../codec/track.ts';
import type { HostedPulse } from './host-messages.ts';
import {
  type HostedPart,
  partByteLength,
  partWords,
  readPart,
  serializedTracks,
  writePart,
} from './part-record.ts';

/** The memory that both threads share. */
export interface RingMemory {
  readonly bytes: SharedArrayBuffer;
  /**
   * Positions of writer and reader, in words, modulo 2^32; whether the reader wants to be woken; and bytes of media in parts
   * that it has read, modulo 2^32.
   */
  readonly positions: SharedArrayBuffer;
}

export const RING_BYTES = 64 * 1_048_576;
const WORD_BYTES = 8;
/** Every record: its words and kind; its stream and the bytes of its data, which follow the head. */
const EVENT_HEAD_WORDS = 2;
/** A unit also: track and key; dts; pts; arrival. */
const UNIT_HEAD_WORDS = 6;
/** Media of parts that are not read yet. */
export const MAX_UNREAD_MEDIA_BYTES = 64 * 1_048_576;
/** Left to events, which are rare and must not be lost, when units and parts no longer fit. */
const EVENT_ROOM_PART = 1 / 16;
/** Larger ones are lost: no access unit of a camera is. */
const MAX_UNIT_PART = 1 / 4;

const WRITTEN = 0;
const READ = 1;
const ASLEEP = 2;
const MEDIA_READ = 3;
const SKIP = 0;
const UNIT = 1;
const EVENT = 2;
const PART = 3;
const PULSE = 4;

/** `bytes`: a multiple of 8. */
export function createRing(bytes = RING_BYTES): RingMemory {
  const positions = new SharedArrayBuffer(4 * Uint32Array.BYTES_PER_ELEMENT);
  return { bytes: new SharedArrayBuffer(bytes), positions };
}

/** The same memory, as each kind of value in it. */
class RingViews {
  readonly words: number;
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly positions: Uint32Array;

  constructor({ bytes, positions }: RingMemory) {
    this.words = bytes.byteLength / WORD_BYTES;
    this.u8 = new Uint8Array(bytes);
    this.u32 = new Uint32Array(bytes);
    this.f64 = new Float64Array(bytes);
    this.positions = new Uint32Array(positions);
  }
}

export class RingWriter {
  readonly #ring: RingViews;
  /** Words written so far, modulo 2^32. */
  #written = 0;
  /** Where the next record begins, in words. */
  #at = 0;
  /** Bytes of media in parts that were written, modulo 2^32. */
  #mediaWritten = 0;

  constructor(memory: RingMemory) {
    this.#ring = new RingViews(memory);
  }

  /** False: it does not fit, and is lost. Hot: once per unit. */
  unit(stream: number, unit: AccessUnit): boolean {
    const { data } = unit;
    const { u8, u32, f64, words } = this.#ring;
    const recordWords = UNIT_HEAD_WORDS + wordsOf(data.length);
    if (recordWords > words * MAX_UNIT_PART) return false;
    const at = this.#reserve(recordWords, words * EVENT_ROOM_PART);
    if (at < 0) return false;
    this.#head(at, recordWords, UNIT, stream, data.length);
    u32[2 * at + 4] = unit.trackIndex;
    u32[2 * at + 5] = unit.isKey ? 1 : 0;
    f64[at + 3] = unit.dtsTicks;
    f64[at + 4] = unit.ptsTicks;
    f64[at + 5] = unit.arrivalMonoMs;
    u8.set(data, (at + UNIT_HEAD_WORDS) * WORD_BYTES);
    this.#publish(recordWords);
    return true;
  }

  /** `event`: plain values and bytes. False: it does not fit. */
  event(stream: number, event: unknown): boolean {
    return this.#serialized(EVENT, stream, event, 0);
  }

  /** False: it does not fit, or too much media is not read yet. Hot: once per part. */
  part(stream: number, part: HostedPart): boolean {
    const { positions, words } = this.#ring;
    const { byteLength } = part.bytes;
    const unreadBytes = (this.#mediaWritten - Atomics.load(positions, MEDIA_READ)) >>> 0;
    if (unreadBytes + byteLength > MAX_UNREAD_MEDIA_BYTES) return false;
    const tracks = serializedTracks(part);
    const recordWords = EVENT_HEAD_WORDS + partWords(part, tracks);
    const at = this.#reserve(recordWords, words * EVENT_ROOM_PART);
    if (at < 0) return false;
    this.#head(at, recordWords, PART, stream, 0);
    writePart(this.#ring, at + EVENT_HEAD_WORDS, part, tracks);
    this.#mediaWritten = (this.#mediaWritten + byteLength) >>> 0;
    this.#publish(recordWords);
    return true;
  }

  /** False: it does not fit. */
  pulse(stream: number, pulse: HostedPulse): boolean {
    return this.#serialized(PULSE, stream, pulse, this.#ring.words * EVENT_ROOM_PART);
  }

  /** The reader slept, and nothing else wakes it: to be asked after each record. */
  mustWakeReader(): boolean {
    const { positions } = this.#ring;
    return Atomics.load(positions, ASLEEP) === 1 && Atomics.exchange(positions, ASLEEP, 0) === 1;
  }

  /** Where the record can begin, leaving `roomWords`; negative: it does not fit. Records do not wrap around the end. */
  #reserve(recordWords: number, roomWords: number): number {
    const { words, positions } = this.#ring;
    const wordsToEnd = words - this.#at;
    const skipped = recordWords > wordsToEnd ? wordsToEnd : 0;
    const used = (this.#written - Atomics.load(positions, READ)) >>> 0;
    if (used + skipped + recordWords + roomWords > words) return -1;
    if (skipped > 0) {
      this.#head(this.#at, skipped, SKIP, 0, 0);
      this.#written += skipped;
      this.#at = 0;
    }
    return this.#at;
  }

  #serialized(kind: number, stream: number, value: unknown, roomWords: number): boolean {
    const data = serialize(value);
    const recordWords = EVENT_HEAD_WORDS + wordsOf(data.length);
    const at = this.#reserve(recordWords, roomWords);
    if (at < 0) return false;
    this.#head(at, recordWords, kind, stream, data.length);
    this.#ring.u8.set(data, (at + EVENT_HEAD_WORDS) * WORD_BYTES);
    this.#publish(recordWords);
    return true;
  }

  #head(at: number, words: number, kind: number, stream: number, dataBytes: number): void {
    const { u32 } = this.#ring;
    u32[2 * at] = words;
    u32[2 * at + 1] = kind;
    // A skipped stretch may be one word.
    if (kind === SKIP) return;
    u32[2 * at + 2] = stream;
    u32[2 * at + 3] = dataBytes;
  }

  #publish(recordWords: number): void {
    const { words, positions } = this.#ring;
    this.#written = (this.#written + recordWords) >>> 0;
    this.#at = (this.#at + recordWords) % words;
    Atomics.store(positions, WRITTEN, this.#written);
  }
}

export interface RingConsumer {
  /** Borrowed, with its data. */
  onUnit(stream: number, unit: AccessUnit): void;
  onPart(stream: number, part: HostedPart): void;
  onPulse(stream: number, pulse: HostedPulse): void;
  onEvent(stream: number, event: unknown): void;
}

export class RingReader {
  readonly #ring: RingViews;
  /** Words read so far, modulo 2^32. */
  #read = 0;
  /** Where the next record begins, in words. */
  #at = 0;
  #mediaRead = 0;
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    arrivalMonoMs: 0,
    data: new Uint8Array(0),
  };

  constructor(memory: RingMemory) {
    this.#ring = new RingViews(memory);
  }

  /** Passes on up to `limit` records. True: there are more. The consumer must not throw. */
  drain(limit: number, consumer: RingConsumer): boolean {
    for (let count = 0; count < limit && !this.#isEmpty; count++) this.#pass(consumer);
    return !this.#isEmpty;
  }

  /** Hot: once per record. */
  #pass(consumer: RingConsumer): void {
    const { u32, words, positions } = this.#ring;
    const at = this.#at;
    const recordWords = u32[2 * at]!;
    const kind = u32[2 * at + 1]!;
    if (kind === UNIT) this.#passUnit(at, consumer);
    else if (kind === EVENT) this.#passEvent(at, consumer);
    else if (kind === PART) this.#passPart(at, consumer);
    else if (kind === PULSE) this.#passPulse(at, consumer);
    this.#read = (this.#read + recordWords) >>> 0;
    this.#at = (at + recordWords) % words;
    Atomics.store(positions, READ, this.#read);
  }

  get #isEmpty(): boolean {
    return this.#read === Atomics.load(this.#ring.positions, WRITTEN);
  }

  /** From now on the writer wakes this thread. Returns false if there is something to read; then the writer does not. */
  sleep(): boolean {
    const { positions } = this.#ring;
    Atomics.store(positions, ASLEEP, 1);
    // The writer may have written before it could see that. One of the two takes it back.
    return this.#isEmpty || Atomics.exchange(positions, ASLEEP, 0) === 0;
  }

  #passUnit(at: number, consumer: RingConsumer): void {
    const { u32, f64 } = this.#ring;
    const unit = this.#unit;
    unit.trackIndex = u32[2 * at + 4]!;
    unit.isKey = u32[2 * at + 5] === 1;
    unit.dtsTicks = f64[at + 3]!;
    unit.ptsTicks = f64[at + 4]!;
    unit.arrivalMonoMs = f64[at + 5]!;
    unit.data = this.#data(at, UNIT_HEAD_WORDS);
    consumer.onUnit(u32[2 * at + 2]!, unit);
  }

  #passPart(at: number, consumer: RingConsumer): void {
    const { f64, u32, positions } = this.#ring;
    this.#mediaRead = (this.#mediaRead + partByteLength(f64, at + EVENT_HEAD_WORDS)) >>> 0;
    Atomics.store(positions, MEDIA_READ, this.#mediaRead);
    consumer.onPart(u32[2 * at + 2]!, readPart(this.#ring, at + EVENT_HEAD_WORDS));
  }

  #passPulse(at: number, consumer: RingConsumer): void {
    consumer.onPulse(this.#ring.u32[2 * at + 2]!, this.#value(at) as HostedPulse);
  }

  #passEvent(at: number, consumer: RingConsumer): void {
    consumer.onEvent(this.#ring.u32[2 * at + 2]!, this.#value(at));
  }

  /** Deserializes a copy: the bytes that a value refers to must not stay in the ring. */
  #value(at: number): unknown {
    return deserialize(Buffer.from(this.#data(at, EVENT_HEAD_WORDS)));
  }

  #data(at: number, headWords: number): Buffer {
    const { buffer } = this.#ring.u8;
    return Buffer.from(buffer, (at + headWords) * WORD_BYTES, this.#ring.u32[2 * at + 3]!);
  }
}

function wordsOf(bytes: number): number {
  return Math.ceil(bytes / WORD_BYTES);
}
