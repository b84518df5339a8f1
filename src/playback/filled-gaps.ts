/** Puts what another stream recorded, or someone handed over, into the gaps of a stream, at its time. */

import type { FoundFile } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment } from '../recording/segment-index.ts';
import { SegmentWork } from './segment-work.ts';

/** Clocks of recorders are not that of the gateway: so much of the same time may be there twice. */
const OVERLAP_MS = 100;

interface Placed {
  readonly name: string;
  readonly number: number;
  readonly segment: RecordedSegment;
}

/** `own` with segments of `others` where it has gaps. In slices. */
export async function filled(own: readonly FoundFile[], others: readonly FoundFile[]): Promise<FoundFile[]> {
  const work = new SegmentWork();
  const fills = await fillsOf(own, others, work);
  const result: { name: string; number: number; segments: RecordedSegment[] }[] = [];
  let isAfterFill = false;
  const add = ({ name, number, segment }: Placed): void => {
    const last = result.at(-1);
    if (last?.name === name) last.segments.push(segment);
    else result.push({ name, number, segments: [segment] });
  };
  let next = 0;
  for (const { name, number, segments } of own) {
    for (const segment of segments) {
      for (; next < fills.length && fills[next]!.segment.epochMs < segment.epochMs; isAfterFill = true) {
        add(fills[next++]!);
      }
      // The streams of a camera have one timeline, on which a fill may end where this segment begins.
      add({ name, number, segment: isAfterFill ? { ...segment, isDiscontinuity: true } : segment });
      isAfterFill = false;
      if (work.step()) await work.pause();
    }
  }
  while (next < fills.length) add(fills[next++]!);
  return result;
}

/** `files` without what begins after the newest segment of `own`, and ends after `settledMs`. */
export function nothingLater(
  files: readonly FoundFile[],
  own: readonly FoundFile[],
  settledMs: number,
): FoundFile[] {
  const newestMs = own.at(-1)?.segments.at(-1)?.epochMs ?? Number.NEGATIVE_INFINITY;
  return files
    .map((file) => ({
      ...file,
      segments: file.segments.filter(
        (segment) => segment.epochMs < newestMs || endEpochMs(segment) <= settledMs,
      ),
    }))
    .filter(({ segments }) => segments.length > 0);
}

/** Of others, in order of their times, and nowhere the own recording or an earlier one is. */
async function fillsOf(
  own: readonly FoundFile[],
  others: readonly FoundFile[],
  work: SegmentWork,
): Promise<Placed[]> {
  const taken = own
    .flatMap(({ segments }) => segments.map((each) => ({ fromMs: each.epochMs, toMs: endEpochMs(each) })))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const candidates = others
    .flatMap(({ name, number, segments }) => segments.map((segment) => ({ name, number, segment })))
    .toSorted((a, b) => a.segment.epochMs - b.segment.epochMs);
  const fills: Placed[] = [];
  let at = 0;
  /** End of the own recording up to here: clocks that were set back make it overlap itself. */
  let ownEndMs = Number.NEGATIVE_INFINITY;
  for (const { name, number, segment } of candidates) {
    if (work.step()) await work.pause();
    const startMs = segment.epochMs + OVERLAP_MS;
    while (at < taken.length && taken[at]!.fromMs < startMs) ownEndMs = Math.max(ownEndMs, taken[at++]!.toMs);
    const nextOwnMs = taken[at]?.fromMs ?? Number.POSITIVE_INFINITY;
    const last = fills.at(-1);
    const beforeMs = Math.max(ownEndMs, last === undefined ? ownEndMs : endEpochMs(last.segment));
    if (beforeMs > startMs || nextOwnMs < endEpochMs(segment) - OVERLAP_MS) continue;
    const isNew =
      last === undefined ||
      !follows(last, { name, number, segment }) ||
      ownEndMs > endEpochMs(last.segment) - OVERLAP_MS;
    fills.push({ name, number, segment: isNew ? { ...segment, isDiscontinuity: true } : segment });
  }
  return fills;
}

/** Whether it is the next segment of the same stream. */
function follows(last: Placed, { name, segment }: Placed): boolean {
  return (
    folderOf(last.name) === folderOf(name) &&
    segment.startTicks === last.segment.startTicks + last.segment.durationTicks
  );
}

/** Of the stream that the file belongs to. */
export function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}
