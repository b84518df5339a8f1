/** The past hours for which a camera has media, for a list of days: cheap for a year, no matter who asks. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { RecordingSpan } from '../store/recording.ts';
import type { TimeSpan } from './past-timeline.ts';
import type { RecordedPlaces } from './recorded-places.ts';

/** `hour`: since the epoch; `count`: hours without a break. */
export interface HourRun {
  hour: number;
  count: number;
}

export interface RecordedHoursOptions {
  readonly media: Pick<RecordedPlaces, 'hours'>;
  readonly clock: Clock;
}

export const HOUR_MS = 3_600_000;
/** Older recordings play if a caller names their time, but are not listed. */
export const LISTED_HOURS = 400 * 24;
/** Everyone who asks within this time gets the same. */
const KNOWN_FOR_MS = 5_000;
const MAX_KNOWN_CAMERAS = 1_000;

interface Known {
  readonly atMonoMs: number;
  readonly spans: Promise<readonly RecordingSpan[]>;
}

export class RecordedHours {
  readonly #options: RecordedHoursOptions;
  readonly #known = new Map<Ruuid, Known>();

  constructor(options: RecordedHoursOptions) {
    this.#options = options;
  }

  /** The time that is listed, in whole hours: up to the end of the hour that has begun. */
  listed(): TimeSpan {
    const nextHour = Math.floor(this.#options.clock.epochMs() / HOUR_MS) + 1;
    return { fromMs: (nextHour - LISTED_HOURS) * HOUR_MS, toMs: nextHour * HOUR_MS };
  }

  /**
   * Hours in which something of the camera lies within `shown`, ascending. An hour in which nothing was recorded counts if
   * the gap lies within one recording file. Fails like the store.
   */
  async runs(cameraUuid: Ruuid, shown: readonly TimeSpan[]): Promise<HourRun[]> {
    const hours = new Set<number>();
    for (const { startMs, endMs } of await this.#spans(cameraUuid)) {
      for (let i = firstAfter(shown, startMs); i < shown.length && shown[i]!.fromMs < endMs; i++) {
        const { fromMs, toMs } = shown[i]!;
        const end = Math.min(endMs, toMs);
        for (let atMs = Math.max(startMs, fromMs); atMs < end; ) {
          const hour = Math.floor(atMs / HOUR_MS);
          hours.add(hour);
          atMs = (hour + 1) * HOUR_MS;
        }
      }
    }
    const runs: HourRun[] = [];
    for (const hour of [...hours].toSorted((a, b) => a - b)) {
      const last = runs.at(-1);
      if (last !== undefined && last.hour + last.count === hour) last.count++;
      else runs.push({ hour, count: 1 });
    }
    return runs;
  }

  #spans(cameraUuid: Ruuid): Promise<readonly RecordingSpan[]> {
    const { media, clock } = this.#options;
    const nowMonoMs = clock.monoMs();
    const known = this.#known.get(cameraUuid);
    if (known !== undefined && nowMonoMs - known.atMonoMs < KNOWN_FOR_MS) return known.spans;
    const { fromMs, toMs } = this.listed();
    const spans = media.hours({ cameraUuid, rendition: RECORDED_RENDITION }, fromMs, toMs);
    const entry: Known = { atMonoMs: nowMonoMs, spans };
    // Spans that failed are requested again.
    spans.catch(() => {
      if (this.#known.get(cameraUuid) === entry) this.#known.delete(cameraUuid);
    });
    this.#known.delete(cameraUuid);
    this.#known.set(cameraUuid, entry);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN_CAMERAS) break;
      this.#known.delete(oldest);
    }
    return spans;
  }
}

/** The first span that ends after this time; they are in order, and apart. */
function firstAfter(spans: readonly TimeSpan[], epochMs: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle]!.toMs > epochMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
