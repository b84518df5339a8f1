/** When there is footage of many cameras, as a timeline draws it: merged for its zoom, and bounded. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { RecordingSpan } from '../store/recording.ts';
import type { RecordedPlaces } from './recorded-places.ts';

/** Half-open, epoch milliseconds. */
export interface RecordedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SpansRequest extends RecordedSpan {
  readonly cameraUuids: readonly Ruuid[];
  /** Gaps that are at most this long are left out. */
  readonly joinMs: number;
}

export interface CameraSpans {
  readonly cameraUuid: Ruuid;
  /** In order, without overlaps, cut to the range. */
  readonly spans: readonly RecordedSpan[];
  /** Of these, when only pictures are left. */
  readonly pictures: readonly RecordedSpan[];
  /** Gaps that are at most this long are left out: more than was asked for, if there were too many spans. */
  readonly joinedMs: number;
}

export interface SpansResponse {
  readonly cameras: readonly CameraSpans[];
  /** False: the range was too long to look at each segment, so a gap of less than an hour may be missing. */
  readonly isExact: boolean;
  /** The clock of the gateway: nothing is recorded beyond it. */
  readonly nowMs: number;
}

export const MAX_SPANS_CAMERAS = 64;
export const MAX_SPANS_RANGE_MS = 32 * 86_400_000;
/** Spans of one camera. More are joined until they are that few. */
export const MAX_SPANS = 1_000;
/** Frames that arrive late are no gap. */
export const MIN_JOIN_MS = 1_000;
/** Camera hours of which each segment is looked at: half a million segments of two seconds. */
const MAX_EXACT_CAMERA_MS = 300 * 3_600_000;
/** Segments of this much time of a camera are in memory at the same time. */
const CHUNK_MS = 6 * 3_600_000;
/** Cameras that are read at the same time. */
const AT_ONCE = 4;

export class RecordedSpans {
  readonly #media: RecordedPlaces;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ media, clock }: { media: RecordedPlaces; clock: Pick<Clock, 'epochMs'> }) {
    this.#media = media;
    this.#clock = clock;
  }

  /** Fails like the store. */
  async of({ cameraUuids, fromMs, toMs, joinMs }: SpansRequest): Promise<SpansResponse> {
    const nowMs = this.#clock.epochMs();
    const untilMs = Math.min(toMs, nowMs);
    const isExact = (toMs - fromMs) * cameraUuids.length <= MAX_EXACT_CAMERA_MS;
    const read = isExact ? this.#segments : this.#hours;
    const from = isExact ? 'spans' : 'hours';
    const cameras: CameraSpans[] = [];
    for (let at = 0; at < cameraUuids.length; at += AT_ONCE) {
      const some = cameraUuids.slice(at, at + AT_ONCE).map(async (cameraUuid) => {
        const all = fewSpans(await read(cameraUuid, fromMs, untilMs), Math.max(joinMs, MIN_JOIN_MS));
        const left = untilMs > fromMs ? await this.#media.pictures(cameraUuid, fromMs, untilMs, from) : [];
        const { spans: pictures } = fewSpans(cut(left, fromMs, untilMs), all.joinedMs);
        return { cameraUuid, ...all, pictures };
      });
      cameras.push(...(await Promise.all(some)));
    }
    return { cameras, isExact, nowMs };
  }

  readonly #segments = async (cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<RecordedSpan[]> => {
    const stream = { cameraUuid, rendition: RECORDED_RENDITION };
    let spans: RecordedSpan[] = [];
    for (let atMs = fromMs; atMs < toMs; atMs += CHUNK_MS) {
      const untilMs = Math.min(atMs + CHUNK_MS, toMs);
      const found = await this.#media.spans(stream, atMs, untilMs, MIN_JOIN_MS);
      spans = [...spans, ...joined(cut(found, fromMs, toMs), MIN_JOIN_MS)];
    }
    return spans;
  };

  readonly #hours = async (cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<RecordedSpan[]> => {
    if (toMs <= fromMs) return [];
    const stream = { cameraUuid, rendition: RECORDED_RENDITION };
    const hours = await this.#media.hours(stream, fromMs, toMs);
    return cut(hours, fromMs, toMs);
  };
}

function cut(spans: readonly RecordingSpan[], fromMs: number, toMs: number): RecordedSpan[] {
  return spans.map(({ startMs, endMs }) => ({
    fromMs: Math.max(startMs, fromMs),
    toMs: Math.min(endMs, toMs),
  }));
}

/**
 * The same time in order and without overlaps, with gaps of at most `joinMs` left out. A span that ends before it begins
 * is none. A clock that was set back records the same time twice, in any order.
 */
export function joined(spans: readonly RecordedSpan[], joinMs: number): RecordedSpan[] {
  const result: { fromMs: number; toMs: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (span.toMs <= span.fromMs) continue;
    const last = result.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs + joinMs) last.toMs = Math.max(last.toMs, span.toMs);
    else result.push({ ...span });
  }
  return result;
}

/** At most MAX_SPANS: beyond that, longer gaps are left out. */
export function fewSpans(
  spans: readonly RecordedSpan[],
  joinMs: number,
): { readonly spans: readonly RecordedSpan[]; readonly joinedMs: number } {
  let joinedMs = joinMs;
  let few = joined(spans, joinedMs);
  while (few.length > MAX_SPANS) {
    joinedMs *= 2;
    few = joined(few, joinedMs);
  }
  return { spans: few, joinedMs };
}
