/** When there is footage of a camera, in whole seconds. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { RecordedPlaces } from './recorded-places.ts';

/** Whole epoch seconds. */
export interface FootageWindow {
  readonly startSeconds: number;
  readonly durationSeconds: number;
}

export interface FootageOptions {
  readonly media: RecordedPlaces;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** How much time is searched: clients ask for all that there is, from 1970 on, but time before the first footage is free. */
export const MAX_FOOTAGE_RANGE_SEC = 366 * 86_400;
/** Segments of this much time are in memory at the same time. */
const CHUNK_MS = 6 * 3_600_000;
/** Frames that arrive late are no gap. */
const SAME_WINDOW_MS = 1_000;
const MS_PER_SEC = 1_000;

export class Footage {
  readonly #options: FootageOptions;

  constructor(options: FootageOptions) {
    this.#options = options;
  }

  /**
   * In order, without overlaps, cut to the range. A window has no second of which a part is missing. Fails
   * PLAYBACK_FOOTAGE_RANGE_TOO_LONG if there is more time between the first footage and the end, and like the store.
   */
  async windows(cameraUuid: Ruuid, startSec: number, durationSec: number): Promise<FootageWindow[]> {
    const { media, clock } = this.#options;
    const stream = { cameraUuid, rendition: RECORDED_RENDITION };
    const fromMs = startSec * MS_PER_SEC;
    const toMs = Math.min(fromMs + durationSec * MS_PER_SEC, clock.epochMs());
    const first = await media.seek(stream, fromMs);
    if (first === null) return [];
    const firstMs = Math.max(fromMs, first.segment.epochMs);
    if (toMs - firstMs > MAX_FOOTAGE_RANGE_SEC * MS_PER_SEC) {
      throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_FOOTAGE_RANGE_TOO_LONG);
    }
    const spans: { fromMs: number; toMs: number }[] = [];
    for (let atMs = firstMs; atMs < toMs; atMs += CHUNK_MS) {
      const untilMs = Math.min(atMs + CHUNK_MS, toMs);
      for (const { segments } of await media.segments(stream, atMs, untilMs)) {
        for (const segment of segments) {
          const start = Math.max(segment.epochMs, fromMs);
          const end = Math.min(endEpochMs(segment), toMs);
          const last = spans.at(-1);
          if (last !== undefined && start >= last.fromMs && start <= last.toMs + SAME_WINDOW_MS) {
            last.toMs = Math.max(last.toMs, end);
          } else spans.push({ fromMs: start, toMs: end });
        }
      }
    }
    return wholeSeconds(merged(spans));
  }
}

/** A clock that was set back records the same time twice. */
function merged(spans: readonly { fromMs: number; toMs: number }[]): { fromMs: number; toMs: number }[] {
  const result: { fromMs: number; toMs: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs + SAME_WINDOW_MS) {
      last.toMs = Math.max(last.toMs, span.toMs);
    } else result.push({ ...span });
  }
  return result;
}

function wholeSeconds(spans: readonly { fromMs: number; toMs: number }[]): FootageWindow[] {
  return spans
    .map(({ fromMs, toMs }) => {
      const startSeconds = Math.ceil(fromMs / MS_PER_SEC);
      return { startSeconds, durationSeconds: Math.floor(toMs / MS_PER_SEC) - startSeconds };
    })
    .filter(({ durationSeconds }) => durationSeconds > 0);
}
