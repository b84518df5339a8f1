/**
 * All that is recorded of a camera as one stream: what the gateway recorded itself, and clips that were handed over
 * (docs/design/upload.md) where it has nothing of its own. docs/design/playback.md#uploaded-clips.
 */

import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile, FoundSegment } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment, type RecordedStream } from '../recording/segment-index.ts';
import type { RecordedPlaces } from './recorded-places.ts';
import { SegmentWork } from './segment-work.ts';

/** Clocks of recorders are not that of the gateway: so much of the same time may be there twice. */
const OVERLAP_MS = 100;

interface Placed {
  readonly name: string;
  readonly number: number;
  readonly segment: RecordedSegment;
}

/** The same places, where the stream of a camera includes uploaded clips. */
export function wholePast(places: RecordedPlaces): RecordedPlaces {
  return {
    async segments(stream, fromMs, toMs) {
      if (stream.rendition !== RECORDED_RENDITION) return places.segments(stream, fromMs, toMs);
      const [own, handed] = await Promise.all([
        places.segments(stream, fromMs, toMs),
        places.segments(handedOver(stream), fromMs, toMs),
      ]);
      return handed.length === 0 ? own : merged(own, handed);
    },
    async spans(stream, fromMs, toMs, joinMs) {
      if (stream.rendition !== RECORDED_RENDITION) return places.spans(stream, fromMs, toMs, joinMs);
      const [own, handed] = await Promise.all([
        places.spans(stream, fromMs, toMs, joinMs),
        places.segments(handedOver(stream), fromMs, toMs),
      ]);
      if (handed.length === 0) return own;
      // The part that a clip fills depends on each segment of the own recording.
      const whole = await merged(await places.segments(stream, fromMs, toMs), handed);
      return whole.flatMap(({ segments }) =>
        segments.map((segment) => ({ startMs: segment.epochMs, endMs: endEpochMs(segment) })),
      );
    },
    async hours(stream, fromMs, toMs) {
      const own = places.hours(stream, fromMs, toMs);
      if (stream.rendition !== RECORDED_RENDITION) return own;
      const all = await Promise.all([own, places.hours(handedOver(stream), fromMs, toMs)]);
      return all.flat();
    },
    async seek(stream, atMs) {
      if (stream.rendition !== RECORDED_RENDITION) return places.seek(stream, atMs);
      const own = await places.seek(stream, atMs);
      if (own !== null && own.segment.epochMs <= atMs) return own;
      return earlier(own, await places.seek(handedOver(stream), atMs));
    },
  };
}

function handedOver({ cameraUuid }: RecordedStream): RecordedStream {
  return { cameraUuid, rendition: 'uploaded' };
}

function earlier(own: FoundSegment | null, handed: FoundSegment | null): FoundSegment | null {
  if (own === null || handed === null) return own ?? handed;
  return handed.segment.epochMs < own.segment.epochMs ? handed : own;
}

/** Puts clips that were handed over where the own recording has gaps, at their time. */
async function merged(own: readonly FoundFile[], handed: readonly FoundFile[]): Promise<FoundFile[]> {
  const work = new SegmentWork();
  const fills = await fillsOf(own, handed, work);
  const result: { name: string; number: number; segments: RecordedSegment[] }[] = [];
  const add = ({ name, number, segment }: Placed): void => {
    const last = result.at(-1);
    if (last?.name === name) last.segments.push(segment);
    else result.push({ name, number, segments: [segment] });
  };
  let next = 0;
  for (const { name, number, segments } of own) {
    for (const segment of segments) {
      while (next < fills.length && fills[next]!.segment.epochMs < segment.epochMs) add(fills[next++]!);
      add({ name, number, segment });
      if (work.step()) await work.pause();
    }
  }
  while (next < fills.length) add(fills[next++]!);
  return result;
}

/** Handed over, in order of their times, and nowhere the own recording or an earlier clip is. */
async function fillsOf(
  own: readonly FoundFile[],
  handed: readonly FoundFile[],
  work: SegmentWork,
): Promise<Placed[]> {
  const taken = own
    .flatMap(({ segments }) => segments.map((each) => ({ fromMs: each.epochMs, toMs: endEpochMs(each) })))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const candidates = handed
    .flatMap(({ name, number, segments }) => segments.map((segment) => ({ name, number, segment })))
    .toSorted((a, b) => a.segment.epochMs - b.segment.epochMs);
  const fills: Placed[] = [];
  let at = 0;
  /** End of the own recording up to here: clocks that were set back make it overlap itself. */
  let ownEndMs = Number.NEGATIVE_INFINITY;
  /** Clips whose newest segment was left out. */
  const cut = new Set<string>();
  for (const { name, number, segment } of candidates) {
    if (work.step()) await work.pause();
    const startMs = segment.epochMs + OVERLAP_MS;
    while (at < taken.length && taken[at]!.fromMs < startMs) ownEndMs = Math.max(ownEndMs, taken[at++]!.toMs);
    const nextOwnMs = taken[at]?.fromMs ?? Number.POSITIVE_INFINITY;
    const last = fills.at(-1);
    const beforeMs = Math.max(ownEndMs, last === undefined ? ownEndMs : endEpochMs(last.segment));
    if (beforeMs > startMs || nextOwnMs < endEpochMs(segment) - OVERLAP_MS) {
      cut.add(name);
      continue;
    }
    const isNew = cut.delete(name) || last?.name !== name || ownEndMs > endEpochMs(last.segment) - OVERLAP_MS;
    fills.push({ name, number, segment: isNew ? { ...segment, isDiscontinuity: true } : segment });
  }
  return fills;
}
