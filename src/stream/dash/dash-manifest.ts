/**
 * The manifests of a camera for one audience, from the renditions that are open now. Rendered when a segment has been
 * added (or a part, for low latency), and then the same for all viewers.
 */

import { DEFAULT_SEGMENTER_LIMITS } from '../../cmaf/segmenter-limits.ts';
import type { Clock } from '../../core/clock.ts';
import {
  type AudioRepresentation,
  type LatencyTarget,
  type LivePresentation,
  type Period,
  type RepresentationBase,
  renderManifest,
  type VideoRepresentation,
} from '../../dash/manifest.ts';
import type { ManifestLatency } from '../../dash/manifest-query.ts';
import { mediaTemplate, STREAM_NAMES, TIME_NAME } from '../../dash/media-names.ts';
import type { TimelineSegment } from '../../dash/segment-timeline.ts';
import type { PlaylistText } from '../media/live-media.ts';
import { RenderedPlaylist } from '../media/rendered-playlist.ts';
import { isSameStretch } from '../media/timed-segment.ts';
import {
  type DashPeriod,
  type DashStream,
  type PeriodsState,
  STREAM_ROLES,
  type StreamRole,
  type UsualSec,
} from './dash-period.ts';
import { DashPeriods, type DashSources, presentationMs, type TimedRendition } from './dash-periods.ts';

export interface DashManifestOptions {
  readonly clock: Clock;
  /** The renditions as they are now. */
  readonly sources: () => DashSources;
  /** Whether the substream's first part is still expected. */
  readonly isSubExpected: () => boolean;
  /** How long the first manifest waits for the substream. */
  readonly subWaitMs: number;
  /** The decision of the node that makes this main stream; null: this node makes it, or the other one has not reported yet. */
  readonly told: (main: TimedRendition) => PeriodsState | null;
}

/** The state of a rendition when a text was rendered from it. */
interface Stamp {
  readonly rendition: TimedRendition | null;
  readonly revision: number;
}

interface Rendered {
  /** The Periods' revision. */
  readonly revision: number;
  readonly stamps: readonly Stamp[];
  readonly text: PlaylistText | null;
}

/** Players ask at least this often. Shaka Player 5 not more often than every 3 s. */
const UPDATE_MS = 1_000;
const LOW_LATENCY_UPDATE_MS = 500;
/** Until a player knows of a segment: the slowest refresh, the audio's patience, the way there and back. */
const DISCOVERY_MS = 4_000;
/**
 * A player at low latency reads the open segment while it grows: behind the camera it is a part, a refresh when the
 * next segment begins, and what Chromium needs to decode.
 */
const LOW_LATENCY: LatencyTarget = { targetMs: 2_500, minMs: 1_500, maxMs: 6_000, isCaughtUp: true };
const LATENCY: LatencyTarget = { targetMs: DISCOVERY_MS, minMs: 300, maxMs: 60_000, isCaughtUp: false };
/**
 * dash.js 5 does not begin at the very start of the window. While there is less than the delay, it is asked to begin
 * this much later; what it knows of the time is as wrong as its request took long.
 */
const AFTER_START_MS = 500;
/** The first manifest has this much of the camera: players that begin with less stop and start. */
const FIRST_MS = 1_200;
/** The open segment's duration before one was complete. */
const FIRST_GUESS_SEC = DEFAULT_SEGMENTER_LIMITS.targetSegmentMs / 1_000;
/** How much longer the open segment may become than the one before. */
const OPEN_MARGIN = 1.1;
/** Players take an offset of 0 to mean that segments do not grow. */
const MIN_TIME_OFFSET_SEC = 0.1;
/**
 * Added to the window while no segment has left it: Shaka Player 5 forgets segments by the window of its last refresh,
 * and refreshes as rarely as the first manifest was long in coming.
 */
const WHOLE_WINDOW_MS = 60_000;

export class DashManifest {
  readonly #options: DashManifestOptions;
  readonly #periods = new DashPeriods();
  readonly #rendered: Record<ManifestLatency, Rendered> = {
    normal: { revision: -1, stamps: [], text: null },
    low: { revision: -1, stamps: [], text: null },
  };
  /** The main rendition for which the wait for the substream is over. */
  #begunFor: TimedRendition | null = null;
  #firstPartMonoMs: number | null = null;
  /** How long the newest complete segment of each stream is, from one opening of the camera to the next. */
  #usualSec: UsualSec = { main: FIRST_GUESS_SEC, sub: FIRST_GUESS_SEC, audio: FIRST_GUESS_SEC };
  /** The decision that was adopted from another node. */
  #told: PeriodsState | null = null;
  /** The state that other nodes receive; `#stateRevision` is its revision of the Periods. */
  #state: PeriodsState | null = null;
  #stateRevision = -1;

  constructor(options: DashManifestOptions) {
    this.#options = options;
  }

  /** null: a stream has yet to publish its first part. Hot: once per request. */
  text(latency: ManifestLatency): PlaylistText | null {
    const sources = this.#options.sources();
    if (!this.#hasBegun(sources)) return null;
    const { main, sub, audio } = sources;
    const known = this.#rendered[latency];
    const isKnown =
      isStamp(known.stamps[0], main) && isStamp(known.stamps[1], sub) && isStamp(known.stamps[2], audio);
    if (isKnown && known.revision === this.#periods.revision) return known.text;
    this.#decide(sources);
    const text = this.#render(sources, latency);
    const stamps = [stampOf(main), stampOf(sub), stampOf(audio)];
    const { revision } = this.#periods;
    this.#rendered[latency] = { revision, stamps, text: text === null ? null : new RenderedPlaylist(text) };
    return this.#rendered[latency].text;
  }

  /** The decision about this manifest, for other nodes; null: nothing is decided. Returns the same object until it changes. */
  decided(): PeriodsState | null {
    const sources = this.#options.sources();
    if (!this.#hasBegun(sources)) return null;
    this.#decide(sources);
    const { revision, periods } = this.#periods;
    if (periods.length === 0) return null;
    if (this.#state === null || revision !== this.#stateRevision) {
      this.#state = this.#periods.state(this.#usualSec);
      this.#stateRevision = revision;
    }
    return this.#state;
  }

  /** Milliseconds until the first manifest no longer waits for the substream; Infinity: it waits for something else. */
  subWaitLeftMs(): number {
    if (this.#firstPartMonoMs === null) return Number.POSITIVE_INFINITY;
    const { clock, subWaitMs } = this.#options;
    return Math.max(0, this.#firstPartMonoMs + subWaitMs - clock.monoMs());
  }

  #hasBegun(sources: DashSources): boolean {
    const { main } = sources;
    if (main !== null) this.#takeOver(main);
    if (main === this.#begunFor) return main !== null;
    return main?.isFollowing !== true && this.#mayBegin(sources);
  }

  #takeOver(main: TimedRendition): void {
    const told = this.#options.told(main);
    if (told === null || told === this.#told) return;
    this.#told = told;
    this.#periods.become(main, told);
    this.#usualSec = told.usualSec;
    this.#begunFor = main;
    this.#firstPartMonoMs = null;
  }

  #decide(sources: DashSources): void {
    for (const role of STREAM_ROLES) {
      const newest = sources[role]
        ?.manifestSegments()
        .findLast((one) => one.isComplete && one.durationTicks > 0);
      if (newest === undefined) continue;
      const usualSec = newest.durationTicks / newest.stretch.timescaleHz;
      if (usualSec !== this.#usualSec[role]) this.#usualSec = { ...this.#usualSec, [role]: usualSec };
    }
    this.#periods.update(sources);
  }

  /** The first manifest waits for a substream that is about to have its first part: later it needs a new Period. */
  #mayBegin({ main, sub }: DashSources): boolean {
    if (main === null || !isBegun(main)) {
      this.#firstPartMonoMs = null;
      return false;
    }
    const { clock, isSubExpected } = this.#options;
    this.#firstPartMonoMs ??= clock.monoMs();
    const isSubComing = (sub === null || sub.partRevision === 0) && isSubExpected();
    if (isSubComing && this.subWaitLeftMs() > 0) return false;
    this.#begunFor = main;
    this.#firstPartMonoMs = null;
    return true;
  }

  #render(sources: DashSources, latency: ManifestLatency): string | null {
    const withOpen = this.#list(sources, this.#usualSec);
    if (withOpen.length === 0) return null;
    if (latency === 'low') return renderOpen(withOpen, LOW_LATENCY, LOW_LATENCY_UPDATE_MS);
    const complete = this.#list(sources, null);
    // Otherwise players would wait for a segment: at the beginning, and wherever segments are long.
    const longestMs = longestMsOf(complete);
    const begunMs = sinceHole(withOpen)[0]!.period.startMs;
    const coveredMs = spanMsOf(complete.filter(({ period }) => period.startMs >= begunMs));
    const isCovered = longestMs <= DISCOVERY_MS && coveredMs >= longestMs + DISCOVERY_MS;
    return isCovered ? renderComplete(complete, longestMs) : renderOpen(withOpen, LATENCY, UPDATE_MS);
  }

  #list(sources: DashSources, usualSec: UsualSec | null): ListedPeriod[] {
    const { periods, nextMsn } = this.#periods;
    const listed: ListedPeriod[] = [];
    for (const [index, period] of periods.entries()) {
      const next = periods[index + 1] ?? null;
      const segments = listPeriod({ period, next, nextMsn, sources, usualSec });
      if (segments === null) continue;
      const last = segments.main.at(-1)!;
      const endMs = presentationMs(period, period.main, last.startTicks + last.durationTicks);
      listed.push({ period, segments, endMs });
    }
    return listed;
  }
}

/** Complete segments: a player is so far behind that there is always another one. */
function renderComplete(listed: readonly ListedPeriod[], longestMs: number): string {
  const presentation: LivePresentation = {
    kind: 'live',
    publishEpochMs: publishMsOf(listed),
    minimumUpdateMs: UPDATE_MS,
    timeShiftBufferMs: Math.ceil(spanMsOf(listed)),
    suggestedDelayMs: longestMs + DISCOVERY_MS,
    latency: null,
    timeUri: TIME_NAME,
  };
  return renderManifest({ presentation, maxSegmentMs: longestMs, periods: periodsOf(listed) });
}

/** The open segment too: a player reads it while it grows. */
function renderOpen(listed: readonly ListedPeriod[], base: LatencyTarget, minimumUpdateMs: number): string {
  const edge = edgeOf(listed.at(-1)!);
  const spanMs = edge.realMs - startMsOf(listed[0]!);
  const playableMs = edge.realMs - startMsOf(sinceHole(listed)[0]!);
  const targetMs = Math.max(base.minMs, Math.min(base.targetMs, playableMs - AFTER_START_MS));
  const presentation: LivePresentation = {
    kind: 'live',
    publishEpochMs: publishMsOf(listed),
    minimumUpdateMs,
    timeShiftBufferMs: Math.ceil(spanMs) + (isWhole(listed[0]!) ? WHOLE_WINDOW_MS : 0),
    // Shaka Player 5 measures it from the end of the newest segment, and from how early that can be requested.
    suggestedDelayMs: base.targetMs + (edge.endMs - edge.realMs) + edge.offsetMs,
    latency: { ...base, targetMs },
    timeUri: TIME_NAME,
  };
  return renderManifest({ presentation, maxSegmentMs: longestMsOf(listed), periods: periodsOf(listed) });
}

function periodsOf(listed: readonly ListedPeriod[]): Period[] {
  return listed.map((one, index) => periodOf(one, listed[index + 1] ?? null));
}

function startMsOf({ period, segments }: ListedPeriod): number {
  return presentationMs(period, period.main, segments.main[0]!.startTicks);
}

/** Those after the newest hole: a player that waits at it has nothing else to play. */
function sinceHole(listed: readonly ListedPeriod[]): readonly ListedPeriod[] {
  const first = listed.findLastIndex(({ period }, at) => at > 0 && hasHole(listed[at - 1]!, period));
  return listed.slice(Math.max(0, first));
}

function hasHole({ endMs }: ListedPeriod, next: DashPeriod): boolean {
  return next.startMs - endMs > ROUNDING_MS;
}

/** The time from the start of the oldest segment to the end of the newest. */
function spanMsOf(listed: readonly ListedPeriod[]): number {
  return listed.length === 0 ? 0 : listed.at(-1)!.endMs - startMsOf(listed[0]!);
}

/** When the newest segment began. */
function publishMsOf(listed: readonly ListedPeriod[]): number {
  const { period, segments } = listed.at(-1)!;
  return Math.floor(presentationMs(period, period.main, segments.main.at(-1)!.startTicks));
}

/** The longest segment of all streams. */
function longestMsOf(listed: readonly ListedPeriod[]): number {
  let longestMs = 0;
  for (const { period, segments } of listed) {
    for (const role of STREAM_ROLES) {
      const timescaleHz = period[role]?.stretch.timescaleHz ?? 1;
      for (const { durationTicks } of segments[role]) {
        longestMs = Math.max(longestMs, (durationTicks * 1_000) / timescaleHz);
      }
    }
  }
  return longestMs;
}

interface ListedSegment extends TimelineSegment {
  /** How long before its end it can be requested; null: it is listed once it is complete. */
  readonly timeOffsetSec: number | null;
  /** How much of the segment exists. */
  readonly realTicks: number;
}

/** The segments of a Period by stream; empty for one that it does not have. */
type Listed = Readonly<Record<StreamRole, readonly ListedSegment[]>>;

interface ListedPeriod {
  readonly period: DashPeriod;
  readonly segments: Listed;
  /** Presentation time at which its newest segment ends. */
  readonly endMs: number;
}

/** Whether no segment has left the list since its first Period began. */
function isWhole({ period, segments }: ListedPeriod): boolean {
  return segments.main[0]!.number === period.firstMsn;
}

/** Where the newest Period ends. */
function edgeOf({ period, segments }: ListedPeriod): { realMs: number; endMs: number; offsetMs: number } {
  let endMs = 0;
  let offsetMs = Number.POSITIVE_INFINITY;
  const lastMain = segments.main.at(-1)!;
  const realMs = presentationMs(period, period.main, lastMain.startTicks + lastMain.realTicks);
  for (const role of STREAM_ROLES) {
    const stream = period[role];
    const last = segments[role].at(-1);
    if (stream === null || last === undefined) continue;
    endMs = Math.max(endMs, presentationMs(period, stream, last.startTicks + last.durationTicks));
    offsetMs = Math.min(offsetMs, (last.timeOffsetSec ?? 0) * 1_000);
  }
  return { realMs, endMs, offsetMs };
}

interface Listing {
  readonly period: DashPeriod;
  readonly next: DashPeriod | null;
  /** Main segments from this number on are not assigned to a Period yet. */
  readonly nextMsn: number;
  readonly sources: DashSources;
  /** null: only complete segments are listed. */
  readonly usualSec: UsualSec | null;
}

/** null: it has nothing to play yet, or not anymore. */
function listPeriod(listing: Listing): Listed | null {
  const { period } = listing;
  const main = listStream(listing, 'main');
  const audio = listStream(listing, 'audio');
  const sub = listStream(listing, 'sub');
  if (main.length === 0 || (period.audio !== null && audio.length === 0)) return null;
  return { main, sub, audio };
}

/** Segments belong to the Period in which they begin. Rounding must not move them to another one. */
const ROUNDING_MS = 1;

function listStream(
  { period, next, nextMsn, sources, usualSec }: Listing,
  role: StreamRole,
): ListedSegment[] {
  const endMs = next?.startMs ?? Number.POSITIVE_INFINITY;
  const endMsn = Math.min(period.endMsn, nextMsn);
  const listed: ListedSegment[] = [];
  const stream = period[role];
  const rendition = sources[role];
  if (stream === null || rendition === null) return listed;
  const earlyMs = ROUNDING_MS + (role === 'audio' ? audioFrameMs(stream) : 0);
  const { timescaleHz } = stream.stretch;
  const segments = rendition.manifestSegments();
  const newest = segments.at(-1);
  for (const segment of segments) {
    const { stretch, startTicks, durationTicks: realTicks, msn } = segment;
    // One that others follow does not grow: its owner crashed.
    const isComplete = segment.isComplete || segment !== newest;
    if (!isSameStretch(stretch, stream.stretch) || !(isComplete || usualSec !== null)) continue;
    const startMs = presentationMs(period, stream, startTicks);
    if (role === 'main') {
      if (msn < period.firstMsn || msn >= endMsn) continue;
    } else {
      const isEarly = role === 'sub' ? msn < stream.sample.msn : startMs < period.startMs - earlyMs;
      if (isEarly || startMs >= endMs - earlyMs) continue;
    }
    // The announced duration of the open segment stays the same until it is complete. dash.js 5 requests next the segment
    // that covers the end that this one had when it was requested, so it requests a segment that turns out longer twice.
    // Shaka Player 5 takes each later end for another segment.
    const expectedSec = (usualSec?.[role] ?? 0) * OPEN_MARGIN;
    const durationTicks = isComplete ? realTicks : Math.round(expectedSec * timescaleHz);
    const growingSec = isComplete ? MIN_TIME_OFFSET_SEC : expectedSec;
    const timeOffsetSec = usualSec === null ? null : growingSec;
    listed.push({ number: msn, startTicks, durationTicks, realTicks, timeOffsetSec });
  }
  return listed;
}

/** Audio begins at most this much before its video. */
function audioFrameMs({ sample }: DashStream): number {
  const { samplesPerFrame, sampleRateHz } = sample.audio!;
  return (samplesPerFrame * 1_000) / sampleRateHz;
}

function periodOf(one: ListedPeriod, next: ListedPeriod | null): Period {
  const { period, segments } = one;
  const { startMs, main, sub, audio } = period;
  const hasVideo = main.sample.video !== null;
  const video = hasVideo ? [videoOf(main, segments.main)] : [];
  if (sub !== null && segments.sub.length > 0) video.push(videoOf(sub, segments.sub));
  const sound = audio === null ? [] : [audioOf(audio, segments.audio)];
  // Said only where time is missing before the next Period: ffmpeg plays the Period with the longest @duration.
  const isBeforeHole = next !== null && hasHole(one, next.period);
  return {
    id: `p${Math.round(startMs)}`,
    startMs,
    durationMs: isBeforeHole ? one.endMs - startMs : null,
    video,
    // Where the camera has no video, its sound is the main stream.
    audio: hasVideo ? sound : [audioOf({ ...main, id: 'audio' }, segments.main)],
  };
}

function videoOf(stream: DashStream, segments: readonly ListedSegment[]): VideoRepresentation {
  const video = stream.sample.video!;
  return {
    ...baseOf(stream, segments, video.codecString),
    widthPx: video.widthPx,
    heightPx: video.heightPx,
    frameRateHz: stream.frameRateHz,
  };
}

function audioOf(stream: DashStream, segments: readonly ListedSegment[]): AudioRepresentation {
  const audio = stream.sample.audio!;
  return {
    ...baseOf(stream, segments, audio.codecString),
    sampleRateHz: audio.sampleRateHz,
    channelCount: audio.channelCount,
  };
}

function baseOf(stream: DashStream, segments: readonly ListedSegment[], codecs: string): RepresentationBase {
  const { id, stretch, presentationTimeOffsetTicks, sample, bandwidthBitsPerSec } = stream;
  return {
    id,
    codecs,
    bandwidthBitsPerSec,
    presentationTimeOffsetTicks,
    segments,
    timescaleHz: stretch.timescaleHz,
    initialization: `${STREAM_NAMES[id].folder}/${sample.initName}`,
    media: mediaTemplate(id),
    availabilityTimeOffsetSec: segments.at(-1)!.timeOffsetSec,
  };
}

function isBegun(main: TimedRendition): boolean {
  if (main.segmentRevision > 0) return true;
  const first = main.manifestSegments()[0];
  return first !== undefined && first.durationTicks * 1_000 >= FIRST_MS * first.stretch.timescaleHz;
}

function stampOf(rendition: TimedRendition | null): Stamp {
  return { rendition, revision: rendition?.partRevision ?? 0 };
}

function isStamp(stamp: Stamp | undefined, rendition: TimedRendition | null): boolean {
  return stamp?.rendition === rendition && stamp.revision === (rendition?.partRevision ?? 0);
}
