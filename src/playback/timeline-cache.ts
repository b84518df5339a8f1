/** Timelines of ranges, kept so that the numbers of their segments stay while a viewer plays. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { PastRange } from './past-range.ts';
import { type PastCamera, PastTimeline } from './past-timeline.ts';
import type { RecordedPlaces } from './recorded-places.ts';
import { SharedDiscontinuities } from './shared-discontinuities.ts';

export interface TimelineCacheOptions {
  readonly media: RecordedPlaces;
  readonly cameraOf: (cameraUuid: Ruuid) => PastCamera;
  readonly clock: Clock;
}

/** Segments of all timelines; a day of one stream has 43,200 segments of 2 s. */
export const MAX_CACHED_SEGMENTS = 200_000;
export const MAX_CACHED_TIMELINES = 2_000;
/** A range that is being recorded is looked up again after this time. */
const LOOK_AGAIN_MS = 500;
/** Nothing is added to a range this long after its end. */
const SETTLED_AFTER_MS = 60_000;

interface Entry {
  readonly timeline: PastTimeline;
  readonly discontinuities: SharedDiscontinuities;
  lookedAtMonoMs: number;
  /** Up to where it was looked. */
  lookedUntilMs: number;
  isSettled: boolean;
  /** Everyone who asks meanwhile gets the same. */
  looking: Promise<void> | null;
}

export class TimelineCache {
  readonly #options: TimelineCacheOptions;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Segments of all entries. */
  #segments = 0;

  constructor(options: TimelineCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The timeline, if nothing will be added to it; null: something may. */
  settled(cameraUuid: Ruuid, range: PastRange): PastTimeline | null {
    const entry = this.#entries.get(keyOf(cameraUuid, range));
    return entry?.isSettled === true ? entry.timeline : null;
  }

  /** `untilMs`: what follows will come later, and is left out until then. Default: the end of the range. Fails like the store. */
  async get(cameraUuid: Ruuid, range: PastRange, untilMs = range.toMs): Promise<PastTimeline> {
    const key = keyOf(cameraUuid, range);
    const entry = this.#entries.get(key) ?? this.#begin(cameraUuid, range);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const isNew = () => this.#options.clock.monoMs() - entry.lookedAtMonoMs < LOOK_AGAIN_MS;
    while (!entry.isSettled && !(isNew() && entry.lookedUntilMs >= untilMs)) {
      entry.looking ??= this.#look(key, entry, untilMs).finally(() => {
        entry.looking = null;
      });
      await entry.looking;
    }
    return entry.timeline;
  }

  /** Media was added to the camera's past, or its masks are others: the next request gets new numbers. */
  forget(cameraUuid: Ruuid): void {
    for (const [key, { timeline }] of this.#entries) {
      const { uuid, recordedUuid } = timeline.camera;
      if (uuid !== cameraUuid && recordedUuid !== cameraUuid) continue;
      this.#segments -= segmentsOf(timeline);
      this.#entries.delete(key);
    }
  }

  #begin(cameraUuid: Ruuid, range: PastRange): Entry {
    const timeline = new PastTimeline(this.#options.cameraOf(cameraUuid), range);
    return {
      timeline,
      discontinuities: new SharedDiscontinuities(timeline),
      lookedAtMonoMs: Number.NEGATIVE_INFINITY,
      lookedUntilMs: Number.NEGATIVE_INFINITY,
      isSettled: false,
      looking: null,
    };
  }

  async #look(key: string, entry: Entry, untilMs: number): Promise<void> {
    const { clock } = this.#options;
    const { timeline } = entry;
    const { range } = timeline;
    const isLast = untilMs >= range.toMs && clock.epochMs() > range.toMs + SETTLED_AFTER_MS;
    // Where the known segments end, the others begin. A clock that was set back may have put them elsewhere: the last
    // look finds those.
    const isFirst = timeline.segments.length === 0;
    const endMs = Math.min(timeline.endMs, timeline.sub?.endMs ?? range.toMs, range.toMs);
    const fromMs = isFirst || isLast ? range.fromMs : endMs - 1;
    const toMs = Math.min(range.toMs, untilMs);
    const before = segmentsOf(timeline);
    if (toMs > fromMs) await this.#extend(timeline, fromMs, toMs);
    await entry.discontinuities.extend();
    entry.lookedAtMonoMs = clock.monoMs();
    entry.lookedUntilMs = untilMs;
    if (this.#entries.get(key) !== entry) return;
    this.#segments += segmentsOf(timeline) - before;
    this.#makeRoom(entry);
    entry.isSettled = isLast;
  }

  async #extend(timeline: PastTimeline, fromMs: number, toMs: number): Promise<void> {
    const { media } = this.#options;
    const { camera, range } = timeline;
    const read = (sinceMs: number) => media.renditions(camera.recordedUuid, sinceMs, toMs);
    let found = await read(fromMs);
    const isSubNew = found.areTwo && timeline.sub === null;
    if (isSubNew && fromMs > range.fromMs) found = await read(range.fromMs);
    if (isSubNew) timeline.sub = new PastTimeline(camera, range, timeline);
    await timeline.extend(found.main);
    await timeline.sub?.extend(found.sub);
  }

  #makeRoom(newest: Entry): void {
    for (const [key, entry] of this.#entries) {
      const fits = this.#segments <= MAX_CACHED_SEGMENTS && this.#entries.size <= MAX_CACHED_TIMELINES;
      if (fits || entry === newest) return;
      this.#segments -= segmentsOf(entry.timeline);
      this.#entries.delete(key);
    }
  }
}

/** Of both renditions. */
function segmentsOf({ segments, sub }: PastTimeline): number {
  return segments.length + (sub?.segments.length ?? 0);
}

function keyOf(cameraUuid: Ruuid, { fromMs, toMs }: PastRange): string {
  return `${cameraUuid} ${fromMs} ${toMs}`;
}
