/**
 * The point where the node that hands a camera over stops publishing one of its streams: right before a key frame that the heir
 * has, too (docs/design/drain.md). Everything before it is passed on, in order; nothing after it is.
 *
 * The same picture reaches two connections to the camera at about the same time. A key frame that the heir has not reported yet is
 * held with all that follows, for a moment: then the report is there, or the frame is passed on. If frames that the heir reports are
 * never those that are here, the camera encodes for each connection: then the stream ends where the heir's next group begins, by the time
 * at which the camera took the pictures, and each picture is held for as long as the heir's report of that time takes.
 */

import type { AccessUnit } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { type HeldUnit, HeldUnits } from './held-units.ts';
import type { KeyMark, KeyReport, PullMarks } from './pull-marks.ts';
import { type OffsetSource, PullPair, type ReportedKey } from './pull-pair.ts';

/** How long a key frame is held: less than viewers have buffered. */
export const HOLD_MS = 300;
/** If the heir gets the same pictures later than that: its viewers will wait for as long. */
const MAX_HOLD_MS = 1_500;
/** A report may be later than those before it. */
const LATER_MS = 150;
/** Held key frames of which the heir does not know, until the camera is one that encodes for each connection. */
const MAX_UNKNOWN = 2;
/** If no clock says so, the connection here may be late by that much: then pictures that the heir has reported come yet. */
const MAX_LATE_MS = 3_000;
/** So shortly before it is too late, a cut by the time of arrival is better than none. */
const LAST_MS = 1_000;

/** The source of the cut; `limit`: the time was over, and the heir begins with its next group, whichever that is. */
export type CutSource = OffsetSource | 'limit';

export interface CutPoint {
  readonly by: CutSource;
  /** The heir's frame that comes next; null: the next key frame that it gets. */
  readonly key: KeyMark | null;
  /** Time from the end of the last picture here to that frame: negative if both nodes have some. null: only the heir will know. */
  readonly gapMs: number | null;
  /** When that picture ends, by the heir's timeline; null: unknown. */
  readonly endMs: number | null;
  /** Time from one picture to the next; null: unknown. */
  readonly intervalMs: number | null;
}

export interface StreamCutOptions {
  readonly clock: Clock;
  /** The stream's marks, observed before each `push`. */
  readonly pull: PullMarks;
  pass(unit: AccessUnit): void;
  /** Once: nothing is passed on from now on. */
  onCut(point: CutPoint): void;
}

export class StreamCut {
  readonly #options: StreamCutOptions;
  readonly #pair: PullPair;
  readonly #held = new HeldUnits();
  #untilMonoMs = Number.POSITIVE_INFINITY;
  #isArmed = false;
  #isCut = false;
  #unknown = 0;
  /** When the last picture that was passed on ends, with those before it; NaN: none was. */
  #endMs = Number.NaN;
  #timer: TimerHandle | null = null;

  constructor(options: StreamCutOptions) {
    this.#options = options;
    this.#pair = new PullPair(options.pull);
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** The heir has all that was published: the stream can be cut, until that time. */
  arm(untilMonoMs: number): void {
    this.#isArmed = true;
    this.#untilMonoMs = untilMonoMs;
  }

  /** Borrowed. `mark`: of a key frame with which the stream can begin. `isPicture`: of the track that has them. */
  push(unit: AccessUnit, mark: KeyMark | null, isPicture: boolean): void {
    if (this.#isCut) return;
    if (!this.#isArmed) {
      this.#pass(unit, isPicture);
      return;
    }
    const match = mark === null ? null : this.#pair.matchOf(mark);
    if (match !== null) {
      this.#passFirst(this.#held.all.length);
      this.#cutAt(match);
    } else if (this.#isTimed || !this.#held.isEmpty || (mark !== null && this.#isWorthHolding)) {
      this.#hold(unit, mark);
      if (this.#isTimed) this.#cutByTime();
    } else this.#pass(unit, isPicture);
  }

  /** The heir has this key frame. */
  reported(report: KeyReport): void {
    if (this.#isCut) return;
    this.#pair.add(report, this.#options.clock.monoMs());
    if (!this.#isArmed) return;
    const { all } = this.#held;
    for (let at = 0; at < all.length; at++) {
      const { mark } = all[at]!;
      const match = mark === null ? null : this.#pair.matchOf(mark);
      if (match === null) continue;
      this.#passFirst(at);
      this.#cutAt(match);
      return;
    }
    if (this.#isTimed) this.#cutByTime();
  }

  /** The heir reads the stream, so it can continue with a gap. */
  get canBeCutAnyway(): boolean {
    return this.#isCut || (this.#isArmed && this.#pair.reports.length > 0);
  }

  /** The time is over. Does nothing unless `canBeCutAnyway`. */
  cutAnyway(): void {
    if (this.#isCut || !this.canBeCutAnyway) return;
    this.#passFirst(this.#held.all.length);
    const { offset } = this.#pair;
    const endMs = offset === null || Number.isNaN(this.#endMs) ? null : this.#endMs + offset.ms;
    this.#cut({ by: 'limit', key: null, gapMs: null, endMs });
  }

  /** Passes on the held units: other tracks follow. */
  flush(): void {
    if (!this.#isCut) this.#passFirst(this.#held.all.length);
  }

  /** Everything that is held or follows is passed on, unless the stream was cut. */
  close(): void {
    this.#isArmed = false;
    this.flush();
  }

  get #isWorthHolding(): boolean {
    return this.#pair.reports.length > 0 && this.#unknown < MAX_UNKNOWN;
  }

  /** The heir's frames are other ones: times decide. */
  get #isTimed(): boolean {
    const { offset, reports, isEncodedApart } = this.#pair;
    if (offset === null) return false;
    const nowMonoMs = this.#options.clock.monoMs();
    if (nowMonoMs >= this.#untilMonoMs - LAST_MS) return true;
    if (offset.by !== 'arrival') return this.#unknown > 0 || isEncodedApart;
    return this.#unknown >= MAX_UNKNOWN && nowMonoMs >= reports[0]!.receivedMonoMs + MAX_LATE_MS;
  }

  get #holdMs(): number {
    const laterMs = (this.#pair.reportedAfterMs ?? 0) + LATER_MS;
    return Math.min(Math.max(laterMs, HOLD_MS), MAX_HOLD_MS);
  }

  #hold(unit: AccessUnit, mark: KeyMark | null): void {
    const ownMonoMs = this.#options.clock.monoMs() + this.#holdMs;
    const before = this.#held.all.at(-1)?.dueMonoMs ?? ownMonoMs;
    // Units after a key frame are held no longer than the key frame.
    const dueMonoMs = mark === null && !this.#isTimed ? before : Math.max(before, ownMonoMs);
    this.#held.push(unit, mark, dueMonoMs);
    while (this.#held.isFull) this.#passFirst(1);
    this.#wait();
  }

  #wait(): void {
    this.#timer?.cancel();
    const [first] = this.#held.all;
    if (first === undefined) this.#timer = null;
    else
      this.#timer = this.#options.clock.after(first.dueMonoMs - this.#options.clock.monoMs(), () =>
        this.#due(),
      );
  }

  #due(): void {
    const nowMonoMs = this.#options.clock.monoMs();
    const { all } = this.#held;
    const due = all.findIndex(({ dueMonoMs }) => dueMonoMs > nowMonoMs);
    const count = due < 0 ? all.length : due;
    this.#unknown += all.slice(0, count).filter(({ mark }) => mark !== null).length;
    this.#passFirst(count);
  }

  /** Where the heir's next group begins. Held units before that are passed on. */
  #cutByTime(): void {
    const { offset, reports } = this.#pair;
    if (offset === null) return;
    const halfMs = this.#options.pull.intervalMs / 2 || 0;
    for (const key of reports) {
      const atMs = key.mediaMs - offset.ms;
      // Most of the picture has been passed on.
      if (atMs < this.#endMs - halfMs) continue;
      const at = this.#held.all.findIndex(
        (held) => this.#isPicture(held) && this.#msOf(held) >= atMs - halfMs,
      );
      this.#passFirst(at < 0 ? this.#held.all.length : at);
      if (at < 0) return;
      const gapMs = Number.isNaN(this.#endMs) ? null : atMs - this.#endMs;
      this.#cut({ by: offset.by, key, gapMs, endMs: null });
      return;
    }
  }

  #isPicture({ unit }: HeldUnit): boolean {
    return unit.trackIndex === this.#options.pull.trackIndex;
  }

  #msOf({ unit }: HeldUnit): number {
    return this.#options.pull.msOf(unit.ptsTicks);
  }

  #passFirst(count: number): void {
    for (const held of this.#held.take(count)) this.#pass(held.unit, this.#isPicture(held));
    this.#wait();
  }

  #pass(unit: AccessUnit, isPicture: boolean): void {
    this.#options.pass(unit);
    if (!isPicture) return;
    const { pull } = this.#options;
    const endMs = pull.msOf(unit.ptsTicks) + (pull.intervalMs || 0);
    if (!(endMs < this.#endMs)) this.#endMs = endMs;
  }

  #cutAt(key: ReportedKey): void {
    this.#cut({ by: 'frame', key, gapMs: 0, endMs: null });
  }

  #cut(point: Omit<CutPoint, 'intervalMs'>): void {
    this.#isCut = true;
    this.#held.take(this.#held.all.length);
    this.#wait();
    const { intervalMs } = this.#options.pull;
    this.#options.onCut({ ...point, intervalMs: Number.isNaN(intervalMs) ? null : intervalMs });
  }
}
