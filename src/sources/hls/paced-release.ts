/**
 * Releases access units at the pace of their media time. A segment arrives in one piece, but everything after a source
 * counts on frames that come one by one: parts of regular length, times by arrival, silence limits. If the next
 * segment is late, the rest is shifted, so that frames never come in a burst; while more is waiting than necessary,
 * they are released a little faster.
 */

import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { SourceEvents } from '../../stream/source/source-events.ts';

/** How much faster media is released while too much of it is waiting: not visible in parts, and never behind for long. */
const CATCH_UP_SPEED = 1.05;
/** Between two releases: frames of different tracks go out together. */
const MIN_PAUSE_MS = 4;

/** A unit and its time in the instance's timeline; its data belongs to the queue. */
export interface TimedUnit extends Readonly<AccessUnit> {
  readonly mediaMs: number;
}

type Entry =
  | { readonly kind: 'unit'; readonly unit: TimedUnit }
  | { readonly kind: 'tracks'; readonly tracks: readonly Track[] };

export class PacedRelease {
  readonly #events: Pick<SourceEvents, 'onTracks' | 'onAccessUnit'>;
  readonly #clock: Clock;
  readonly #comfortableMs: () => number;
  /** Entries before `#head` are released. */
  #queue: Entry[] = [];
  #head = 0;
  #bytes = 0;
  #waitingUnits = 0;
  /** Media time `#anchorMediaMs` goes out at `#anchorMonoMs`. */
  #anchorMediaMs = Number.NaN;
  #anchorMonoMs = 0;
  #lastQueuedMediaMs = 0;
  #lastUnitMonoMs: number;
  #timer: TimerHandle | null = null;
  /** Sound that comes apart from its video. */
  readonly #sound: TimedUnit[] = [];
  #soundBytes = 0;
  #isClosed = false;
  #onDrained: (() => void) | null = null;
  /** Only the units change; the consumer borrows it. */
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };

  /** `comfortableMs`: the media time that may wait without being released faster. */
  constructor(
    events: Pick<SourceEvents, 'onTracks' | 'onAccessUnit'>,
    clock: Clock,
    comfortableMs: () => number,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#comfortableMs = comfortableMs;
    this.#lastUnitMonoMs = clock.monoMs();
  }

  /** Media time that is waiting. */
  get waitingMs(): number {
    if (this.#head === this.#queue.length) return 0;
    return Math.max(0, this.#lastQueuedMediaMs - this.#releasedUntil(this.#clock.monoMs()));
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  get waitingUnits(): number {
    return this.#waitingUnits;
  }

  /** When the newest unit was released; before the first one, when this object was created. */
  get lastUnitMonoMs(): number {
    return this.#lastUnitMonoMs;
  }

  /** Announced when everything queued before has been released. */
  announce(tracks: readonly Track[]): void {
    this.#queue.push({ kind: 'tracks', tracks });
  }

  /** In the order of their media times, and not before those queued already. */
  queue(units: readonly TimedUnit[]): void {
    const first = units[0];
    if (this.#isClosed || first === undefined) return;
    const nowMonoMs = this.#clock.monoMs();
    // Nothing is left to show: time that passed in the meantime is not made up for.
    const isLate = this.#waitingUnits === 0 && !(this.#dueMonoMs(first.mediaMs) > nowMonoMs);
    if (isLate || Number.isNaN(this.#anchorMediaMs)) this.#anchor(first.mediaMs, nowMonoMs);
    for (const unit of units) {
      this.#queue.push({ kind: 'unit', unit });
      this.#bytes += unit.data.length;
    }
    this.#waitingUnits += units.length;
    this.#lastQueuedMediaMs = units.at(-1)!.mediaMs;
    this.#schedule();
  }

  /**
   * Sound that comes apart from its video, in the order of its media times. It goes out with the video: whatever happens
   * to it, the video does not wait, and it does not run ahead of a video that stalls.
   */
  queueSound(units: readonly TimedUnit[]): void {
    if (this.#isClosed) return;
    for (const unit of units) {
      this.#sound.push(unit);
      this.#soundBytes += unit.data.length;
    }
  }

  /** Media time of sound that is waiting for its video. */
  get soundWaitingMs(): number {
    const last = this.#sound.at(-1);
    if (last === undefined) return 0;
    return Math.max(
      0,
      last.mediaMs - Math.min(this.#releasedUntil(this.#clock.monoMs()), this.#lastQueuedMediaMs),
    );
  }

  get soundWaitingBytes(): number {
    return this.#soundBytes;
  }

  /** Resolves when nothing is waiting any more, or on `close`. */
  drained(): Promise<void> {
    if (this.#isClosed || this.#head === this.#queue.length) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Drops all waiting media. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#queue = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#waitingUnits = 0;
    this.#sound.length = 0;
    this.#soundBytes = 0;
    this.#onDrained?.();
  }

  #anchor(mediaMs: number, monoMs: number): void {
    this.#anchorMediaMs = mediaMs;
    this.#anchorMonoMs = monoMs;
  }

  #releasedUntil(nowMonoMs: number): number {
    return this.#anchorMediaMs + (nowMonoMs - this.#anchorMonoMs);
  }

  #dueMonoMs(mediaMs: number): number {
    return this.#anchorMonoMs + (mediaMs - this.#anchorMediaMs);
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const next = this.#queue[this.#head];
    if (next === undefined) return;
    const dueMonoMs = next.kind === 'unit' ? this.#dueMonoMs(next.unit.mediaMs) : 0;
    const pauseMs = Math.max(MIN_PAUSE_MS, dueMonoMs - this.#clock.monoMs());
    this.#timer = this.#clock.after(pauseMs, () => {
      this.#timer = null;
      this.#release();
    });
  }

  #release(): void {
    const nowMonoMs = this.#clock.monoMs();
    this.#hurry(nowMonoMs);
    while (!this.#isClosed) {
      const entry = this.#queue[this.#head];
      if (entry === undefined) break;
      if (entry.kind === 'unit' && this.#dueMonoMs(entry.unit.mediaMs) > nowMonoMs) break;
      this.#head += 1;
      if (entry.kind === 'tracks') this.#events.onTracks(entry.tracks);
      else this.#passWithSound(entry.unit, nowMonoMs);
    }
    if (this.#isClosed) return;
    this.#forgetReleased();
    if (this.#head === this.#queue.length) this.#onDrained?.();
    else this.#schedule();
  }

  /** Moves the anchor back by a part of the time that passed since it was set. */
  #hurry(nowMonoMs: number): void {
    if (this.waitingMs <= this.#comfortableMs()) return;
    const passedMs = nowMonoMs - this.#anchorMonoMs;
    this.#anchor(this.#anchorMediaMs + passedMs * CATCH_UP_SPEED, nowMonoMs);
  }

  #passWithSound(unit: TimedUnit, nowMonoMs: number): void {
    let due = 0;
    while (due < this.#sound.length && this.#sound[due]!.mediaMs <= unit.mediaMs) due += 1;
    for (const sound of due === 0 ? [] : this.#sound.splice(0, due)) {
      this.#soundBytes -= sound.data.length;
      this.#passOn(sound, nowMonoMs);
      if (this.#isClosed) return;
    }
    this.#bytes -= unit.data.length;
    this.#waitingUnits -= 1;
    this.#passOn(unit, nowMonoMs);
  }

  #passOn(from: TimedUnit, nowMonoMs: number): void {
    const unit = this.#unit;
    unit.trackIndex = from.trackIndex;
    unit.dtsTicks = from.dtsTicks;
    unit.ptsTicks = from.ptsTicks;
    unit.isKey = from.isKey;
    unit.data = from.data;
    unit.arrivalMonoMs = nowMonoMs;
    this.#lastUnitMonoMs = nowMonoMs;
    this.#events.onAccessUnit(unit);
  }

  /** Released entries keep their whole segment in memory. */
  #forgetReleased(): void {
    if (this.#head < 64 && this.#head < this.#queue.length) return;
    this.#queue.splice(0, this.#head);
    this.#head = 0;
  }
}
