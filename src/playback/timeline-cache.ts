/** Timelines of ranges, kept so that the numbers of their segments stay while a viewer plays. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RenditionName } from '../stream/media/live-media.ts';
import type { PastRange } from './past-range.ts';
import { type PastCamera, PastTimeline } from './past-timeline.ts';
import type { RecordedPlaces } from './recorded-places.ts';

export interface TimelineCacheOptions {
  readonly media: RecordedPlaces;
  readonly cameraOf: (cameraUuid: Ruuid) => PastCamera;
  readonly clock: Clock;
  readonly rendition: RenditionName;
}

/** Segments of all timelines; a day has 43,200 segments of 2 s. */
export const MAX_CACHED_SEGMENTS = 200_000;
export const MAX_CACHED_TIMELINES = 2_000;
/** A range that is being recorded is looked up again after this time. */
const LOOK_AGAIN_MS = 500;
/** Nothing is added to a range this long after its end. */
const SETTLED_AFTER_MS = 60_000;

interface Entry {
  readonly timeline: PastTimeline;
  lookedAtMonoMs: number;
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

  /** Fails like the store. */
  async get(cameraUuid: Ruuid, range: PastRange): Promise<PastTimeline> {
    const key = keyOf(cameraUuid, range);
    const entry = this.#entries.get(key) ?? {
      timeline: new PastTimeline(this.#options.cameraOf(cameraUuid), range),
      lookedAtMonoMs: Number.NEGATIVE_INFINITY,
      isSettled: false,
      looking: null,
    };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const isNew = this.#options.clock.monoMs() - entry.lookedAtMonoMs < LOOK_AGAIN_MS;
    if (!entry.isSettled && !isNew) {
      entry.looking ??= this.#look(key, entry).finally(() => {
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
      this.#segments -= timeline.segments.length;
      this.#entries.delete(key);
    }
  }

  async #look(key: string, entry: Entry): Promise<void> {
    const { media, clock, rendition } = this.#options;
    const { timeline } = entry;
    const { range, camera } = timeline;
    const isLast = clock.epochMs() > range.toMs + SETTLED_AFTER_MS;
    // Where the known segments end, the others begin. A clock that was set back may have put them elsewhere: the last
    // look finds those.
    const isFirst = timeline.segments.length === 0;
    const fromMs = isFirst || isLast ? range.fromMs : Math.min(timeline.endMs, range.toMs) - 1;
    const before = timeline.segments.length;
    await timeline.extend(
      await media.segments({ cameraUuid: camera.recordedUuid, rendition }, fromMs, range.toMs),
    );
    if (this.#entries.get(key) !== entry) return;
    this.#segments += timeline.segments.length - before;
    this.#makeRoom(entry);
    entry.lookedAtMonoMs = clock.monoMs();
    entry.isSettled = isLast;
  }

  #makeRoom(newest: Entry): void {
    for (const [key, entry] of this.#entries) {
      const fits = this.#segments <= MAX_CACHED_SEGMENTS && this.#entries.size <= MAX_CACHED_TIMELINES;
      if (fits || entry === newest) return;
      this.#segments -= entry.timeline.segments.length;
      this.#entries.delete(key);
    }
  }
}

function keyOf(cameraUuid: Ruuid, { fromMs, toMs }: PastRange): string {
  return `${cameraUuid} ${fromMs} ${toMs}`;
}
