/**
 * All that is recorded of a camera as one stream: its main stream, and where that has a gap, clips that were handed over
 * (docs/design/upload.md), then the substream, and then the key frames that are left; for callers who may see it, also what was pulled from a
 * video recorder (docs/design/recorders.md). docs/design/playback.md#gaps.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { isRecordedRendition, RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile, FoundSegment } from '../recording/recording-finder.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import type { RecordedRendition, RecordingSpan } from '../store/recording.ts';
import { filled, nothingLater } from './filled-gaps.ts';
import type { CameraRenditions, RecordedPlaces, StreamPlaces } from './recorded-places.ts';

/**
 * The other stream fills a gap at the end this late: until then, what is recorded may still be on its way to the catalog, and a list that
 * grows would have the same time twice.
 */
const FILL_AFTER_MS = 30_000;
/** A stream of which there is nothing for this long before a range is not recorded. */
const ABSENT_MS = 60_000;
/** Streams of a camera begin and end this far apart. */
const MIN_LONE_MS = 1_000;
/** Longer than any segment. */
const SEGMENT_MS = 20_000;

/** Adds what is recorded of cameras. */
export function wholePast(places: StreamPlaces, clock: Pick<Clock, 'epochMs'>): RecordedPlaces {
  const past = new WholePast(places, clock);
  return {
    segments: async (stream, fromMs, toMs) => {
      const { cameraUuid, rendition } = stream;
      if (!isRecordedRendition(rendition)) return places.segments(stream, fromMs, toMs);
      return (await past.renditions(cameraUuid, fromMs, toMs))[rendition];
    },
    renditions: (cameraUuid, fromMs, toMs) => past.renditions(cameraUuid, fromMs, toMs),
    pictures: (cameraUuid, fromMs, toMs, from) => past.pictures(cameraUuid, fromMs, toMs, from),
    spans: (stream, fromMs, toMs, joinMs) =>
      isWhole(stream)
        ? past.spans(stream.cameraUuid, fromMs, toMs, joinMs)
        : places.spans(stream, fromMs, toMs, joinMs),
    hours: async (stream, fromMs, toMs) => {
      if (!isWhole(stream)) return places.hours(stream, fromMs, toMs);
      const all = SOURCES.map((rendition) => places.hours({ ...stream, rendition }, fromMs, toMs));
      return (await Promise.all(all)).flat();
    },
    seek: (stream, atMs) =>
      isWhole(stream) ? past.seek(stream.cameraUuid, atMs) : places.seek(stream, atMs),
  };
}

/** The same places, where the gaps that are left have what was pulled from video recorders. */
export function withPulled(places: RecordedPlaces): RecordedPlaces {
  const pulledOf = (cameraUuid: Ruuid, fromMs: number, toMs: number) =>
    places.segments({ cameraUuid, rendition: 'pulled' }, fromMs, toMs);
  const renditions = async (cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<CameraRenditions> => {
    const [own, pulled] = await Promise.all([
      places.renditions(cameraUuid, fromMs, toMs),
      pulledOf(cameraUuid, fromMs, toMs),
    ]);
    if (pulled.length === 0) return own;
    const [main, sub] = await Promise.all([filled(own.main, pulled), filled(own.sub, pulled)]);
    return { ...own, main, sub };
  };
  return {
    renditions,
    pictures: places.pictures,
    segments: async (stream, fromMs, toMs) => {
      const { cameraUuid, rendition } = stream;
      if (!isRecordedRendition(rendition)) return places.segments(stream, fromMs, toMs);
      return (await renditions(cameraUuid, fromMs, toMs))[rendition];
    },
    spans: async (stream, fromMs, toMs, joinMs) => {
      const { cameraUuid } = stream;
      const own = places.spans(stream, fromMs, toMs, joinMs);
      if (!isWhole(stream)) return own;
      const pulled = await pulledOf(cameraUuid, fromMs, toMs);
      if (pulled.length === 0) return own;
      // The part that a copy fills depends on each segment of the others.
      const { main } = await renditions(cameraUuid, fromMs, toMs);
      return main.flatMap(({ segments }) =>
        segments.map((segment) => ({ startMs: segment.epochMs, endMs: endEpochMs(segment) })),
      );
    },
    hours: async (stream, fromMs, toMs) => {
      const own = places.hours(stream, fromMs, toMs);
      if (!isWhole(stream)) return own;
      const pulled = places.hours({ ...stream, rendition: 'pulled' }, fromMs, toMs);
      return (await Promise.all([own, pulled])).flat();
    },
    seek: async (stream, atMs) => {
      const own = await places.seek(stream, atMs);
      if (!isWhole(stream) || (own !== null && own.segment.epochMs <= atMs)) return own;
      const pulled = await places.seek({ ...stream, rendition: 'pulled' }, atMs);
      if (own === null || pulled === null) return own ?? pulled;
      return pulled.segment.epochMs < own.segment.epochMs ? pulled : own;
    },
  };
}

/** The best first. */
const SOURCES = [RECORDED_RENDITION, 'uploaded', 'sub', 'key-frames'] as const;

function isWhole({ rendition }: { readonly rendition: RecordedRendition }): boolean {
  return rendition === RECORDED_RENDITION;
}

class WholePast {
  readonly #places: StreamPlaces;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(places: StreamPlaces, clock: Pick<Clock, 'epochMs'>) {
    this.#places = places;
    this.#clock = clock;
  }

  async renditions(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<CameraRenditions> {
    const read = (rendition: RecordedRendition, sinceMs: number) =>
      this.#places.segments({ cameraUuid, rendition }, sinceMs, toMs);
    const [main, uploaded, sub, keyFrames] = await Promise.all([
      read(RECORDED_RENDITION, fromMs),
      read('uploaded', fromMs),
      read('sub', fromMs),
      read('key-frames', fromMs),
    ]);
    const withKeyFrames = async (files: FoundFile[]): Promise<FoundFile[]> =>
      keyFrames.length === 0 ? files : filled(files, keyFrames);
    const best = uploaded.length === 0 ? main : await filled(main, uploaded);
    const settledMs = this.#clock.epochMs() - FILL_AFTER_MS;
    if (sub.length === 0) {
      return {
        main: await withKeyFrames(best),
        sub: await withKeyFrames(nothingLater(best, sub, settledMs)),
        areTwo: false,
      };
    }
    const isMainAbsent =
      main.length === 0 && (await read(RECORDED_RENDITION, fromMs - ABSENT_MS)).length === 0;
    const fills = isMainAbsent ? sub : nothingLater(sub, main, settledMs);
    return {
      main: await withKeyFrames(await filled(best, fills)),
      sub: await withKeyFrames(await filled(sub, nothingLater(best, sub, settledMs))),
      areTwo: best.length > 0,
    };
  }

  /** Only where a stream is alone, each of its segments counts. */
  async spans(cameraUuid: Ruuid, fromMs: number, toMs: number, joinMs: number): Promise<RecordingSpan[]> {
    const [main, sub] = await Promise.all([
      this.#places.spans({ cameraUuid, rendition: RECORDED_RENDITION }, fromMs, toMs, joinMs),
      this.#places.spans({ cameraUuid, rendition: 'sub' }, fromMs, toMs, joinMs),
    ]);
    const keyFrames = { cameraUuid, rendition: 'key-frames' } as const;
    const pictures = await this.#places.spans(keyFrames, fromMs, toMs, joinMs);
    const uploaded = await this.#places.segments({ cameraUuid, rendition: 'uploaded' }, fromMs, toMs);
    const others = uploaded.flatMap(({ segments }) =>
      segments.map((segment) => ({ startMs: segment.epochMs, endMs: endEpochMs(segment) })),
    );
    const spans = [...main, ...pictures];
    for (const { startMs, endMs } of loneSpans(main, [...sub, ...others])) {
      const { main: found } = await this.renditions(cameraUuid, startMs - SEGMENT_MS, endMs + SEGMENT_MS);
      for (const segment of found.flatMap(({ segments }) => segments)) {
        if (segment.epochMs < endMs && endEpochMs(segment) > startMs) {
          spans.push({ startMs: segment.epochMs, endMs: endEpochMs(segment) });
        }
      }
    }
    return spans;
  }

  async pictures(
    cameraUuid: Ruuid,
    fromMs: number,
    toMs: number,
    from: 'spans' | 'hours',
  ): Promise<RecordingSpan[]> {
    const read = (rendition: RecordedRendition) =>
      from === 'spans'
        ? this.#places.spans({ cameraUuid, rendition }, fromMs, toMs, MIN_LONE_MS)
        : this.#places.hours({ cameraUuid, rendition }, fromMs, toMs);
    const left = await read('key-frames');
    if (left.length === 0) return [];
    const others = await Promise.all(SOURCES.filter((each) => each !== 'key-frames').map(read));
    return loneSpans(others.flat(), left);
  }

  async seek(cameraUuid: Ruuid, atMs: number): Promise<FoundSegment | null> {
    let found: FoundSegment | null = null;
    for (const rendition of SOURCES) {
      const next = await this.#places.seek({ cameraUuid, rendition }, atMs);
      if (next === null) continue;
      if (next.segment.epochMs <= atMs) return next;
      if (found === null || next.segment.epochMs < found.segment.epochMs) found = next;
    }
    return found;
  }
}

/** The parts of `others` of which `own` has nothing, merged, without those that are too short for a segment. */
function loneSpans(own: readonly RecordingSpan[], others: readonly RecordingSpan[]): RecordingSpan[] {
  const lone: { startMs: number; endMs: number }[] = [];
  const ordered = own.toSorted((a, b) => a.startMs - b.startMs);
  let next = 0;
  let reachedMs = Number.NEGATIVE_INFINITY;
  const add = (startMs: number, endMs: number): void => {
    const last = lone.at(-1);
    if (last !== undefined && startMs <= last.endMs + MIN_LONE_MS) last.endMs = Math.max(last.endMs, endMs);
    else lone.push({ startMs, endMs });
  };
  for (const { startMs, endMs } of others.toSorted((a, b) => a.startMs - b.startMs)) {
    let fromMs = startMs;
    for (;;) {
      while (next < ordered.length && ordered[next]!.startMs <= fromMs) {
        reachedMs = Math.max(reachedMs, ordered[next++]!.endMs);
      }
      fromMs = Math.max(fromMs, Math.min(reachedMs, endMs));
      const untilMs = Math.min(endMs, ordered[next]?.startMs ?? endMs);
      if (fromMs >= endMs) break;
      if (reachedMs > fromMs) continue;
      add(fromMs, untilMs);
      if (untilMs >= endMs) break;
      fromMs = untilMs;
    }
  }
  return lone.filter(({ startMs, endMs }) => endMs - startMs >= MIN_LONE_MS);
}
