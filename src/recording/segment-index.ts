/**
 * Where the segments of a recording file lie and what time they cover. A run is a stretch of segments with one timeline
 * and one init segment, one after the other in the file and without a gap in between.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordedRendition, RecordingPurpose, RecordingSpan } from '../store/recording.ts';
import { RECORDING_BOX_BYTES } from './recording-boxes.ts';

/** A range of a recording file. */
export interface ByteSpan {
  readonly offset: number;
  readonly byteLength: number;
}

export interface RecordedSegment extends ByteSpan {
  /** Decoding time of the first frame on the run's timeline. */
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly timescaleHz: number;
  /** Wall time of the first frame, epoch milliseconds. */
  readonly epochMs: number;
  /** It does not continue the segment recorded before it. */
  readonly isDiscontinuity: boolean;
  /** The Media Initialization Section that it needs. */
  readonly init: ByteSpan;
}

/** A stream that is recorded: a camera's rendition. */
export interface RecordedStream {
  readonly cameraUuid: Ruuid;
  readonly rendition: RecordedRendition;
}

/** A recording file with the index of its segments, of which there is at least one. */
export interface RecordedFile extends RecordedStream {
  readonly number: number;
  /** Default: the camera's own. */
  readonly purpose?: RecordingPurpose;
  readonly byteLength: number;
  readonly segments: readonly RecordedSegment[];
  /** Digest of its last link, base64url; absent: its segments have no links. */
  readonly head?: string;
}

/** Bytes between two segments of a run: the trailer of one and the header of the next. */
const UNLINKED_BYTES = RECORDING_BOX_BYTES.trailer + RECORDING_BOX_BYTES.segment;
/** With the link of the first one. */
const LINKED_BYTES = UNLINKED_BYTES + RECORDING_BOX_BYTES.link;
const PACKED_VERSION = 1;
/** Numbers per segment in `s`. */
const COLUMNS = 3;

/** Names are short because a million of these can be stored. */
interface PackedRun {
  /** Offset and bytes of the init segment. */
  readonly i: readonly [number, number];
  readonly hz: number;
  /** Offset of the first segment, its start in ticks, its wall time in whole milliseconds. */
  readonly at: number;
  readonly t: number;
  readonly ms: number;
  /** 1: does not continue the segment before it. */
  readonly d: 0 | 1;
  /**
   * Per segment: bytes, duration in ticks, and wall time minus that of the run plus the durations so far, in whole
   * milliseconds.
   */
  readonly s: readonly number[];
}

interface PackedIndex {
  readonly v: number;
  /** Bytes between two segments of a run. */
  readonly b: number;
  readonly r: readonly PackedRun[];
  /** The file's `head`. */
  readonly h?: string;
}

export function recordingName({ cameraUuid, rendition }: RecordedStream, number: number): string {
  return `${cameraUuid}/${rendition}/${String(number).padStart(12, '0')}.mp4`;
}

/** The number in the last part of a recording's name; null if it is not one. */
export function recordingNumber(fileName: string): number | null {
  const match = /^(\d{12})\.mp4$/.exec(fileName);
  return match === null ? null : Number(match[1]);
}

export function endEpochMs(segment: RecordedSegment): number {
  return segment.epochMs + ticksToMs(segment.durationTicks, segment.timescaleHz);
}

/** Earliest start and latest end, epoch milliseconds, as whole numbers that contain both. */
export function timeSpanOf(segments: readonly RecordedSegment[]): { startMs: number; endMs: number } {
  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  for (const segment of segments) {
    startMs = Math.min(startMs, Math.floor(segment.epochMs));
    endMs = Math.max(endMs, Math.ceil(endEpochMs(segment)));
  }
  return { startMs, endMs };
}

/** Whether `next` continues the run of `before`, with so many bytes in between. */
function continuesRun(before: RecordedSegment, next: RecordedSegment, betweenBytes: number): boolean {
  return (
    !next.isDiscontinuity &&
    next.init.offset === before.init.offset &&
    next.timescaleHz === before.timescaleHz &&
    next.startTicks === before.startTicks + before.durationTicks &&
    isNextTo(before, next, betweenBytes)
  );
}

function isNextTo(before: ByteSpan | undefined, next: ByteSpan, betweenBytes: number): boolean {
  return before !== undefined && next.offset === before.offset + before.byteLength + betweenBytes;
}

/** As the store keeps it, with the digest of the file's last link, if its segments have links. */
export function packIndex(segments: readonly RecordedSegment[], head?: string): string {
  const betweenBytes = segments.some((each, i) => isNextTo(segments[i - 1], each, LINKED_BYTES))
    ? LINKED_BYTES
    : UNLINKED_BYTES;
  const runs: { run: Omit<PackedRun, 's'>; s: number[] }[] = [];
  let before: RecordedSegment | null = null;
  let elapsedTicks = 0;
  for (const segment of segments) {
    if (before === null || !continuesRun(before, segment, betweenBytes)) {
      runs.push({ run: beginRun(segment), s: [] });
      elapsedTicks = 0;
    }
    const { run, s } = runs.at(-1)!;
    const expectedMs = run.ms + ticksToMs(elapsedTicks, segment.timescaleHz);
    s.push(segment.byteLength, segment.durationTicks, Math.round(segment.epochMs - expectedMs));
    elapsedTicks += segment.durationTicks;
    before = segment;
  }
  const index: PackedIndex = {
    v: PACKED_VERSION,
    b: betweenBytes,
    r: runs.map(({ run, s }) => ({ ...run, s })),
    ...(head === undefined ? {} : { h: head }),
  };
  return JSON.stringify(index);
}

function beginRun(segment: RecordedSegment): Omit<PackedRun, 's'> {
  const { init, timescaleHz, offset, startTicks, epochMs, isDiscontinuity } = segment;
  return {
    i: [init.offset, init.byteLength],
    hz: timescaleHz,
    at: offset,
    t: startTicks,
    ms: Math.round(epochMs),
    d: isDiscontinuity ? 1 : 0,
  };
}

/**
 * The times that the segments cover, in their order: those that follow each other within `joinMs` are one. As
 * `unpackIndex`, without an object for each segment: a site's timeline looks at half a million of them. `packed`: from
 * `packIndex`.
 */
export function unpackSpans(packed: string, joinMs: number): RecordingSpan[] {
  const { r: runs } = JSON.parse(packed) as PackedIndex;
  const spans: { startMs: number; endMs: number }[] = [];
  let last: { startMs: number; endMs: number } | null = null;
  for (const { hz, ms, s } of runs) {
    let elapsedTicks = 0;
    for (let k = 0; k < s.length; k += COLUMNS) {
      const durationTicks = s[k + 1]!;
      const startMs = ms + ticksToMs(elapsedTicks, hz) + s[k + 2]!;
      const endMs = startMs + ticksToMs(durationTicks, hz);
      elapsedTicks += durationTicks;
      // A clock that was set back begins another span.
      if (last !== null && startMs >= last.startMs && startMs <= last.endMs + joinMs) {
        if (endMs > last.endMs) last.endMs = endMs;
      } else {
        last = { startMs, endMs };
        spans.push(last);
      }
    }
  }
  return spans;
}

/** `packed`: from `packIndex`. */
export function unpackIndex(packed: string): RecordedSegment[] {
  const { b: betweenBytes, r: runs } = JSON.parse(packed) as PackedIndex;
  const segments: RecordedSegment[] = [];
  for (const { i, hz, at, t, ms, d, s } of runs) {
    const init = { offset: i[0], byteLength: i[1] };
    let offset = at;
    let startTicks = t;
    for (let k = 0; k < s.length; k += COLUMNS) {
      const byteLength = s[k]!;
      const durationTicks = s[k + 1]!;
      const epochMs = ms + ticksToMs(startTicks - t, hz) + s[k + 2]!;
      const isDiscontinuity = k === 0 && d === 1;
      segments.push({
        offset,
        byteLength,
        startTicks,
        durationTicks,
        timescaleHz: hz,
        epochMs,
        isDiscontinuity,
        init,
      });
      offset += byteLength + betweenBytes;
      startTicks += durationTicks;
    }
  }
  return segments;
}

/** The digest of the file's last link, base64url; null: its segments have no links. `packed`: from `packIndex`. */
export function packedHead(packed: string): string | null {
  return (JSON.parse(packed) as PackedIndex).h ?? null;
}
