/**
 * Keeps the key frames of a recording file that is about to be deleted, where nothing else shows its time
 * (docs/design/recording.md#thinning).
 */

import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type {
  RecordedRendition,
  RecordingHead,
  RecordingRepository,
  RecordingSpan,
} from '../store/recording.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { Recorder } from './recorder.ts';
import type { RecordingCatalog } from './recording-catalog.ts';
import type { RecordingImports } from './recording-imports.ts';
import { THINNED } from './retention-rules.ts';
import {
  endEpochMs,
  type RecordedSegment,
  recordingName,
  unpackIndex,
  unpackSpans,
} from './segment-index.ts';

export interface RecordingThinnerOptions {
  readonly recorder: Pick<Recorder, 'call'>;
  readonly recordings: Pick<RecordingRepository, 'list'>;
  /** Also of key frames whose row is not stored yet. */
  readonly catalog: Pick<RecordingCatalog, 'spans'>;
  /** Of the stream `key-frames`. */
  readonly imports: Pick<RecordingImports, 'reserve' | 'finishForGood' | 'cancel' | 'release'>;
  readonly log: Log;
}

/** Streams of a camera begin and end this far apart, and clocks of recorders are not that of the gateway. */
const OVERLAP_MS = 100;
/** A segment of key frames lasts at most this long, unless a recorded one lasts longer: lists of a year stay short. */
const SEGMENT_MS = 10_000;
/** Key frames take this part of a stream, about. */
const KEY_FRAME_SHARE = 4;

export class RecordingThinner {
  readonly #options: RecordingThinnerOptions;

  constructor(options: RecordingThinnerOptions) {
    this.#options = options;
  }

  /**
   * When it resolves, the key frames of what only this file shows are on the disk and listed. Rejects like the recorder and the store, and
   * can be tried again; RECORDING_DAMAGED if nothing of it can be read.
   */
  async thin(file: RecordingHead): Promise<void> {
    const { cameraUuid, rendition, number, byteLength } = file;
    const groups = await this.#groupsOf(file);
    if (groups.length === 0) return;
    const { imports, log } = this.#options;
    const as = await imports.reserve(cameraUuid);
    const results = await this.#append(file, as, groups).catch(async (thrown: unknown) => {
      // What is left of it is listed when the gateway starts again.
      await imports.cancel(cameraUuid, as).catch(() => imports.release(cameraUuid, as));
      throw thrown;
    });
    if (results.has('damaged')) log.warn({ cameraUuid, rendition, number }, 'damaged recording not thinned');
    if (!results.has('written')) {
      await imports.cancel(cameraUuid, as);
      if (!results.has('damaged')) return;
      throw new GatewayError(RECORDING_ERRORS.RECORDING_DAMAGED, {
        name: recordingName({ cameraUuid, rendition }, number),
      });
    }
    const thinned = await imports.finishForGood(cameraUuid, as);
    log.debug({ cameraUuid, rendition, number, byteLength, to: thinned.byteLength }, 'recording thinned');
  }

  async #append(
    { cameraUuid, rendition, number, byteLength }: RecordingHead,
    as: number,
    groups: readonly (readonly RecordedSegment[])[],
  ): Promise<ReadonlySet<string>> {
    const results = new Set<string>();
    const expectedBytes = Math.ceil(byteLength / KEY_FRAME_SHARE);
    for (const segments of groups) {
      const of = { cameraUuid, rendition };
      const call = { name: 'thin', of, number, segments, as, expectedBytes } as const;
      results.add(await this.#options.recorder.call(call));
    }
    return results;
  }

  /** The segments of which nothing else is kept, divided into those that become one. */
  async #groupsOf({ cameraUuid, rendition, number, startMs, endMs }: RecordingHead) {
    const { recordings } = this.#options;
    const rows = await recordings.list({ cameraUuid, rendition }, startMs, endMs);
    const row = rows.find((each) => each.number === number);
    if (row === undefined) return [];
    const others = await this.#spansOfOthers(cameraUuid, rendition, startMs, endMs);
    return groupsOf(unpackIndex(row.segments), others);
  }

  async #spansOfOthers(
    cameraUuid: Ruuid,
    rendition: RecordedRendition,
    fromMs: number,
    toMs: number,
  ): Promise<RecordingSpan[]> {
    const { recordings, catalog } = this.#options;
    const keyFrames = { cameraUuid, rendition: 'key-frames' } as const;
    const spans = await catalog.spans(keyFrames, fromMs, toMs, OVERLAP_MS);
    for (const other of THINNED.filter((each) => each !== rendition)) {
      const rows = await recordings.list({ cameraUuid, rendition: other }, fromMs, toMs);
      // What was recorded only for shares goes without leaving any.
      const kept = rows.filter(({ purpose }) => purpose !== 'shares');
      spans.push(...kept.flatMap(({ segments }) => unpackSpans(segments, OVERLAP_MS)));
    }
    return merged(spans);
  }
}

/** In order, without overlaps. */
function merged(spans: readonly RecordingSpan[]): RecordingSpan[] {
  const result: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = result.at(-1);
    if (last !== undefined && startMs <= last.endMs + OVERLAP_MS) last.endMs = Math.max(last.endMs, endMs);
    else result.push({ startMs, endMs });
  }
  return result;
}

/** `others`: in order. A segment that one of them overlaps stays alone: a reader can leave it out without the ones around it. */
export function groupsOf(
  segments: readonly RecordedSegment[],
  others: readonly RecordingSpan[],
): RecordedSegment[][] {
  const groups: RecordedSegment[][] = [];
  let isOpen = false;
  for (const segment of segments) {
    const [startMs, endMs] = [segment.epochMs, endEpochMs(segment)];
    const touching = others.filter(
      (other) => other.startMs < endMs - OVERLAP_MS && other.endMs > startMs + OVERLAP_MS,
    );
    const isCovered = touching.some(
      (other) => other.startMs <= startMs + OVERLAP_MS && other.endMs >= endMs - OVERLAP_MS,
    );
    if (isCovered) {
      isOpen = false;
      continue;
    }
    const group = groups.at(-1);
    const isAlone = touching.length > 0;
    if (isOpen && !isAlone && group !== undefined && joins(group, segment)) group.push(segment);
    else groups.push([segment]);
    isOpen = !isAlone;
  }
  return groups;
}

function joins(group: readonly RecordedSegment[], next: RecordedSegment): boolean {
  const last = group.at(-1)!;
  return (
    !next.isDiscontinuity &&
    next.timescaleHz === last.timescaleHz &&
    next.init.offset === last.init.offset &&
    next.startTicks === last.startTicks + last.durationTicks &&
    endEpochMs(next) - group[0]!.epochMs <= SEGMENT_MS
  );
}
