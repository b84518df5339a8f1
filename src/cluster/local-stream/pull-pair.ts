/**
 * Two connections to one camera, as the node that hands the camera over sees them: which key frame of the other node, the heir,
 * is which key frame here, and how the timelines differ. There are three signs, and each can fail: slices (a picture that does
 * not change repeats them, and some cameras encode for each connection), the camera's wall clock (not every camera reports it, or
 * the same one), and the time of arrival (two connections may be late by different times).
 */

import type { KeyMark, KeyReport, PullMarks } from './pull-marks.ts';

/** The heir's key frame, and when its report came, by the clock of this node. */
export interface ReportedKey extends KeyReport {
  readonly receivedMonoMs: number;
}

/** The source of an offset between the timelines. */
export type OffsetSource = 'frame' | 'clock' | 'arrival';

export interface PullOffset {
  /** The heir's time of a picture, less the time of the same picture here. */
  readonly ms: number;
  readonly by: OffsetSource;
}

const MAX_REPORTS = 64;
/** Slices that repeat are those of the picture if its times differ by no more. Less than two connections' delays usually differ by. */
const TOLERANCE_MS = 450;
/** More than two connections to a camera differ by. */
const MAX_LAG_MS = 5_000;
/** So many key frames, no two the same: slices of this camera do not repeat. */
const DISTINCT_KEYS = 3;

export class PullPair {
  readonly #giver: PullMarks;
  readonly #reports: ReportedKey[] = [];
  /** How much the clocks of the nodes differ, and the shortest time that a report took. */
  #clockDifferenceMs = Number.POSITIVE_INFINITY;
  #leastDelayMs = Number.POSITIVE_INFINITY;
  #frameOffsetMs: number | null = null;

  constructor(giver: PullMarks) {
    this.#giver = giver;
  }

  get reports(): readonly ReportedKey[] {
    return this.#reports;
  }

  add(report: KeyReport, receivedMonoMs: number): void {
    this.#reports.push({ ...report, receivedMonoMs });
    if (this.#reports.length > MAX_REPORTS) this.#reports.shift();
    this.#leastDelayMs = Math.min(this.#leastDelayMs, report.leastDelayMs);
    this.#clockDifferenceMs = Math.min(this.#clockDifferenceMs, receivedMonoMs - report.arrivalMonoMs);
    for (const mark of this.#giver.keys) this.matchOf(mark);
  }

  /** The heir's key frame that is this picture; null: none of those that it has reported. */
  matchOf(mark: KeyMark): ReportedKey | null {
    const same = this.#reports.filter(({ digest }) => digest === mark.digest);
    const [first] = same;
    if (first === undefined) return null;
    const found = same.length === 1 && this.#isDistinct ? first : this.#closest(mark, same);
    if (found !== null) this.#frameOffsetMs = found.mediaMs - mark.mediaMs;
    return found;
  }

  /** The best that is known; null before the first report. */
  get offset(): PullOffset | null {
    if (this.#frameOffsetMs !== null) return { ms: this.#frameOffsetMs, by: 'frame' };
    const clockMs = this.#clockOffsetMs;
    if (clockMs !== null) return { ms: clockMs, by: 'clock' };
    return this.#reports.length === 0 ? null : { ms: this.#arrivalOffsetMs, by: 'arrival' };
  }

  /** When reports come after the same picture is here: the longest such time, negative if they come before; null before the first report. */
  get reportedAfterMs(): number | null {
    const { offset } = this;
    if (offset === null) return null;
    const { leastDelayMs } = this.#giver;
    return Math.max(
      ...this.#reports.map((each) => each.receivedMonoMs - (each.mediaMs - offset.ms + leastDelayMs)),
    );
  }

  /** A picture that the heir has reported as a key frame has been here, and was another one: the camera encodes for each connection. */
  get isEncodedApart(): boolean {
    const { offset } = this;
    if (offset === null || offset.by === 'arrival') return false;
    const { firstMs, newestMs, intervalMs, keys } = this.#giver;
    return this.#reports.some(({ digest, mediaMs }) => {
      const hereMs = mediaMs - offset.ms;
      if (!(hereMs >= firstMs && hereMs + intervalMs <= newestMs)) return false;
      return !keys.some((key) => key.digest === digest && Math.abs(key.mediaMs - hereMs) < intervalMs);
    });
  }

  get #isDistinct(): boolean {
    const { keys } = this.#giver;
    return keys.length >= DISTINCT_KEYS && new Set(keys.map(({ digest }) => digest)).size === keys.length;
  }

  #closest({ digest, mediaMs }: KeyMark, same: readonly ReportedKey[]): ReportedKey | null {
    const { offset } = this;
    if (offset === null) return null;
    const distanceMs = (each: ReportedKey): number => Math.abs(each.mediaMs - offset.ms - mediaMs);
    const found = same.reduce((best, each) => (distanceMs(each) < distanceMs(best) ? each : best));
    const here = this.#giver.keys.filter((key) => key.digest === digest);
    const spacingMs = Math.min(leastSpacingMs(same), leastSpacingMs(here));
    return distanceMs(found) <= Math.min(TOLERANCE_MS, spacingMs / 2) ? found : null;
  }

  get #clockOffsetMs(): number | null {
    const giverZeroMs = this.#giver.epochAtZeroMs;
    const heir = this.#reports.findLast(({ epochMs }) => epochMs !== null);
    if (giverZeroMs === null || heir === undefined) return null;
    const offsetMs = heir.mediaMs - (heir.epochMs! - giverZeroMs);
    return Math.abs(offsetMs - this.#arrivalOffsetMs) <= MAX_LAG_MS ? offsetMs : null;
  }

  get #arrivalOffsetMs(): number {
    return this.#giver.leastDelayMs - this.#leastDelayMs - this.#clockDifferenceMs;
  }
}

/** Infinity: there are not two. */
function leastSpacingMs(keys: readonly KeyMark[]): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let at = 1; at < keys.length; at++) {
    leastMs = Math.min(leastMs, Math.abs(keys[at]!.mediaMs - keys[at - 1]!.mediaMs));
  }
  return leastMs;
}
