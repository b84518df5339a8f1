/**
 * Which Periods a manifest has. A Period is a time during which each of its streams continues without a discontinuity,
 * so that one presentationTimeOffset places all of a stream's segments on the wall clock (ISO/IEC 23009-1 §5.3.2).
 *
 * - The main stream sets them: each of its segments belongs to one Period for good, decided when it is first seen.
 * - A new Period begins with a segment whose main stream or audio restarts, with the first segment after the substream
 *   appears, disappears, or restarts, and where the camera's clock has drifted too far from the wall clock.
 * - Where nothing of the main stream broke, the new Period begins exactly where the one before ends. After an outage it
 *   begins at the wall time of its first frame: the time in between is in no Period.
 * - Main stream and audio come from one source instance, so they are placed by its time, to the tick. The substream is
 *   a connection of its own: it is placed by wall time.
 * - In a cluster, the node that makes the main stream decides once, and other nodes follow
 *   (docs/design/dash.md#many-nodes).
 */

import type { StreamId } from '../../dash/media-names.ts';
import type { Audience } from '../media/live-media.ts';
import { isSameStretch, type TimedSegment } from '../media/timed-segment.ts';
import type { RenditionProperties } from '../window/rendition-properties.ts';
import type { DashPeriod, DashStream, PeriodsState, UsualSec } from './dash-period.ts';

/** A rendition as a manifest sees it. */
export interface TimedRendition {
  /** Whether the camera has the packaged content; false before that is known. */
  readonly isFed: boolean;
  /** Another node makes it, and decides about the Periods of the manifests that it is the main stream of. */
  readonly isFollowing: boolean;
  /** That node's last decision; null: none yet. The same object until it decides more. */
  decidedPeriods(audience: Audience): PeriodsState | null;
  /** Raised with every part, and with every complete segment. */
  readonly partRevision: number;
  readonly segmentRevision: number;
  /**
   * The segments that a manifest lists, oldest first. Their numbers jump where another node took over; otherwise they are
   * consecutive. Only the last may be incomplete.
   */
  manifestSegments(): readonly TimedSegment[];
  properties(): RenditionProperties | null;
}

/** The renditions that a manifest is made of. null: not open, or the camera has no such stream. */
export interface DashSources {
  /** Under which name the main stream is listed. */
  readonly mainId: Extract<StreamId, 'main' | 'h264'>;
  /** The video rendition, or the audio rendition if the camera has only audio. */
  readonly main: TimedRendition | null;
  readonly sub: TimedRendition | null;
  readonly audio: TimedRendition | null;
  /** Whether the viewer may hear the camera: `audio` is then waited for, unless the camera has none. */
  readonly wantsAudio: boolean;
}

/** Main stream and audio break together; their wall times differ by what their clocks learned since. */
const SAME_BREAK_MS = 500;
/** A substream whose newest frame is older than this is offline. */
const SUB_LATE_MS = 5_000;
/** How far presentation time may be from the wall clock: a viewer's delay is wrong by as much. */
const MAX_DRIFT_MS = 1_000;

export class DashPeriods {
  #main: TimedRendition | null = null;
  #periods: DashPeriod[] = [];
  #nextMsn = 0;
  /** A segment was left out: the next one begins a Period. */
  #hasHole = false;
  /** Raised with every segment that is assigned. */
  #revision = 0;
  /** As the state has them; null: they have changed since. */
  #shared: readonly DashPeriod[] | null = null;

  /** Oldest first. */
  get periods(): readonly DashPeriod[] {
    return this.#periods;
  }

  get nextMsn(): number {
    return this.#nextMsn;
  }

  get revision(): number {
    return this.#revision;
  }

  state(usualSec: UsualSec): PeriodsState {
    this.#shared ??= this.#periods.map((period) => ({ ...period }));
    return { periods: this.#shared, nextMsn: this.#nextMsn, hasHole: this.#hasHole, usualSec };
  }

  /** Adopts another node's decision about the same main stream, and continues from there. */
  become(main: TimedRendition, { periods, nextMsn, hasHole }: PeriodsState): void {
    this.#main = main;
    this.#periods = periods.map((period) => ({ ...period }));
    this.#nextMsn = nextMsn;
    this.#hasHole = hasHole;
    this.#shared = null;
    this.#revision++;
  }

  /** Assigns the segments that are new, and forgets Periods whose segments have left the list. */
  update(sources: DashSources): void {
    const { main } = sources;
    if (main !== this.#main) this.#startOver(main);
    if (main === null) return;
    const segments = main.manifestSegments();
    const oldest = segments[0];
    if (oldest === undefined) return;
    if (!main.isFollowing) this.#assignNew(segments, sources);
    while (this.#periods.length > 0 && this.#periods[0]!.endMsn <= oldest.msn) this.#periods.shift();
  }

  #assignNew(segments: readonly TimedSegment[], sources: DashSources): void {
    for (let i = segments.findLastIndex(({ msn }) => msn < this.#nextMsn) + 1; i < segments.length; i++) {
      if (!this.#assign(segments[i]!, sources)) return;
    }
  }

  #startOver(main: TimedRendition | null): void {
    this.#main = main;
    this.#periods = [];
    this.#nextMsn = 0;
    this.#hasHole = false;
    this.#shared = null;
    this.#revision++;
  }

  /** Returns false if the segment's audio is not known yet. */
  #assign(segment: TimedSegment, sources: DashSources): boolean {
    const audio = audioWith(segment, sources);
    if (audio === 'wait') return false;
    this.#nextMsn = segment.msn + 1;
    this.#revision++;
    if (audio === 'before') {
      this.#endLast(segment.msn);
      this.#hasHole = true;
      return true;
    }
    const last = this.#periods.at(-1);
    const sub = subWith(segment, sources.sub, last ?? null);
    if (last !== undefined && this.#continues(last, segment, sub, audio)) return true;
    this.#endLast(segment.msn);
    this.#begin(segment, last, sub, audio, sources);
    return true;
  }

  #continues(
    last: DashPeriod,
    segment: TimedSegment,
    sub: TimedSegment | null,
    audio: TimedSegment | null,
  ): boolean {
    return (
      !this.#hasHole &&
      isSameStretch(last.main.stretch, segment.stretch) &&
      isSameStretch(last.sub?.stretch ?? null, sub?.stretch ?? null) &&
      isSameStretch(last.audio?.stretch ?? null, audio?.stretch ?? null) &&
      Math.abs(segment.epochMs - presentationMs(last, last.main, segment.startTicks)) <= MAX_DRIFT_MS
    );
  }

  #endLast(msn: number): void {
    const last = this.#periods.at(-1);
    if (last === undefined || last.endMsn <= msn) return;
    last.endMsn = msn;
    this.#shared = null;
  }

  #begin(
    segment: TimedSegment,
    last: DashPeriod | undefined,
    sub: TimedSegment | null,
    audio: TimedSegment | null,
    sources: DashSources,
  ): void {
    const startMs = this.#startMs(segment, last);
    const offsetTicks = segment.startTicks;
    const main = streamOf(sources.mainId, segment, offsetTicks, sources.main);
    const sound =
      audio === null ? null : streamOf('audio', audio, audioOffset(segment, audio), sources.audio);
    const small =
      sub === null ? null : streamOf('sub', sub, Math.max(0, subOffset(startMs, sub)), sources.sub);
    this.#periods.push({
      startMs,
      firstMsn: segment.msn,
      endMsn: Number.POSITIVE_INFINITY,
      main,
      sub: small,
      audio: sound,
    });
    this.#hasHole = false;
    this.#shared = null;
  }

  #startMs(segment: TimedSegment, last: DashPeriod | undefined): number {
    if (last === undefined) return Math.round(segment.epochMs);
    const continuedMs = presentationMs(last, last.main, segment.startTicks);
    const isContinued =
      isSameStretch(last.main.stretch, segment.stretch) &&
      Math.abs(segment.epochMs - continuedMs) <= MAX_DRIFT_MS;
    if (isContinued) return continuedMs;
    // Periods are in order, whatever the clocks say.
    return Math.max(Math.round(segment.epochMs), Math.ceil(last.startMs) + 1);
  }
}

/** Presentation time of `ticks` of a stream, epoch milliseconds. */
export function presentationMs(
  { startMs }: Pick<DashPeriod, 'startMs'>,
  { stretch, presentationTimeOffsetTicks }: Pick<DashStream, 'stretch' | 'presentationTimeOffsetTicks'>,
  ticks: number,
): number {
  return startMs + ((ticks - presentationTimeOffsetTicks) * 1_000) / stretch.timescaleHz;
}

function streamOf(
  id: StreamId,
  sample: TimedSegment,
  presentationTimeOffsetTicks: number,
  rendition: TimedRendition | null,
): DashStream {
  const properties = rendition?.properties() ?? null;
  const { msn, initName, tracks, stretch } = sample;
  const { video, audio } = tracks;
  return {
    id,
    stretch,
    presentationTimeOffsetTicks,
    sample: { msn, initName, video, audio },
    bandwidthBitsPerSec: properties?.peakBitsPerSec ?? 0,
    frameRateHz: video?.nominalFrameRateHz ?? properties?.frameRateHz ?? null,
  };
}

/** Where the audio is when the main stream is at the start of `segment`: at the same time of their source. */
function audioOffset(segment: TimedSegment, audio: TimedSegment): number {
  const mainSec = segment.startTicks / segment.stretch.timescaleHz;
  const audioSec = mainSec - segment.stretch.sourceOffsetSec + audio.stretch.sourceOffsetSec;
  return Math.max(0, Math.round(audioSec * audio.stretch.timescaleHz));
}

/** Where the substream is at `startMs` of the wall clock. Negative if it has too little of its own time before. */
function subOffset(startMs: number, sub: TimedSegment): number {
  const { startTicks, startEpochMs, timescaleHz } = sub.stretch;
  return startTicks + Math.round(((startMs - startEpochMs) / 1_000) * timescaleHz);
}

/**
 * A segment of the audio that goes with `segment`, null if there is none. `before`: audio began to be packaged later
 * than that. `wait`: it is still to come.
 */
function audioWith(
  segment: TimedSegment,
  { audio, wantsAudio }: DashSources,
): TimedSegment | 'before' | 'wait' | null {
  if (!wantsAudio) return null;
  if (audio === null) return 'wait';
  const listed = audio.manifestSegments();
  const endMs = endEpochMs(segment);
  for (let i = listed.length - 1; i >= 0; i--) {
    const one = listed[i]!;
    if (one.stretch.startEpochMs > segment.epochMs + SAME_BREAK_MS) continue;
    const breaksTogether = one.stretch.startEpochMs >= segment.stretch.startEpochMs - SAME_BREAK_MS;
    // A break that only the main stream had: its bytes ran out, for example.
    const covers = endEpochMs(listed.at(-1)!) >= endMs && isSameStretch(one.stretch, listed.at(-1)!.stretch);
    if (breaksTogether || covers) return one;
    break;
  }
  const newest = listed.at(-1);
  if (newest !== undefined && newest.stretch.startEpochMs > segment.epochMs + SAME_BREAK_MS) return 'before';
  return audio.isFed ? 'wait' : null;
}

/**
 * A segment of the substream, the last one that begins before `segment` if there is one; null if it is offline. Only the
 * first Period, whose manifest lists open segments, begins before it has a complete one.
 */
function subWith(
  segment: TimedSegment,
  sub: TimedRendition | null,
  last: DashPeriod | null,
): TimedSegment | null {
  const listed = sub?.manifestSegments() ?? [];
  const newest = listed.at(-1);
  if (newest === undefined || endEpochMs(newest) < segment.epochMs - SUB_LATE_MS) return null;
  const isOpenEnough = last === null || isSameStretch(last.sub?.stretch ?? null, newest.stretch);
  const current = listed.filter(
    (one) => (one.isComplete || isOpenEnough) && isSameStretch(one.stretch, newest.stretch),
  );
  const sample = current.findLast(({ epochMs }) => epochMs <= segment.epochMs) ?? current[0];
  return sample === undefined || subOffset(segment.epochMs, sample) < 0 ? null : sample;
}

function endEpochMs({ epochMs, durationTicks, stretch }: TimedSegment): number {
  return epochMs + (durationTicks * 1_000) / stretch.timescaleHz;
}
