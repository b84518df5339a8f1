/**
 * The manifest of a range of the past (src/dash/manifest.ts): a Period for each stretch of recording, with video and
 * audio of their own. A Period is a stretch of both streams, so that players can change between them in all of it. Presentation time runs like the wall time, from the start of the range on: players tell the wall time
 * of a picture by it. The time of a gap is in no Period.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { GatewayError } from '../core/errors.ts';
import {
  type AudioRepresentation,
  type ImageRepresentation,
  type Period,
  type RepresentationBase,
  renderManifest,
  type VideoRepresentation,
} from '../dash/manifest.ts';
import { SegmentTimelineText } from '../dash/segment-timeline.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { pastInitName, SUB_FOLDER, THUMBNAILS_FOLDER, TRACK_FOLDERS } from './past-names.ts';
import type { PastRange } from './past-range.ts';
import type { PastRun, PastSegment } from './past-timeline.ts';
import type { PastTracks } from './past-tracks.ts';
import type { RecodedProperties } from './recoded-past.ts';
import { SegmentWork } from './segment-work.ts';
import { type SubstreamCover, SubstreamCovers } from './substream-covers.ts';
import {
  SHEET,
  SHEET_BITS_PER_SEC,
  SHEET_HEIGHT_PX,
  SHEET_MS,
  SHEET_WIDTH_PX,
  sheetName,
} from './thumbnail-size.ts';

/** How far presentation time may be from the wall clock. */
const MAX_DRIFT_MS = 1_000;
/** Each takes 2 kB and the read of an init segment. A camera that restarts every minute has 1,440 a day. */
const MAX_PERIODS = 2_000;
const MS_PER_SEC = 1_000;
const BITS_PER_BYTE = 8;

/** A run's facts for a manifest. */
export interface PastRunMedia extends PastTracks {
  /** Measured bit rate of the audio; 0: it has none. */
  readonly audioBitsPerSec: number;
  /** Its video as H.264; null: there is none besides the recorded one. */
  readonly recoded: RecodedProperties | null;
}

/** Segments with consecutive numbers in one run, at least one. */
interface Stretch {
  readonly run: PastRun;
  /** The substream, which has all of it; null: it does not. */
  readonly cover: SubstreamCover | null;
  /** It continues the one before. */
  readonly isContinuation: boolean;
  readonly first: PastSegment;
  readonly timeline: SegmentTimelineText;
  durationTicks: number;
  longestTicks: number;
  peakBitsPerSec: number;
  last: PastSegment;
}

export interface PastManifestParts {
  readonly range: PastRange;
  /** Those that the viewer may see, in order; at least one. */
  readonly segments: readonly PastSegment[];
  /** The same of the substream; empty: there is none. */
  readonly sub: readonly PastSegment[];
  readonly hasAudio: boolean;
  /** Only H.264. */
  readonly isH264: boolean;
  readonly hasThumbnails: boolean;
  /** As in Manifest. */
  readonly baseUrl: string | null;
  readonly mediaOf: (run: PastRun, sample: PastSegment, hasAudio: boolean) => Promise<PastRunMedia>;
}

/** In slices. Fails PLAYBACK_TOO_MANY_PERIODS, PLAYBACK_SOUND_ONLY; rejects like `mediaOf`. */
export async function renderPastManifest(parts: PastManifestParts): Promise<string> {
  const { range, hasAudio, isH264, hasThumbnails, mediaOf, baseUrl } = parts;
  const stretches = await stretchesOf(parts.segments, range, await SubstreamCovers.of(parts.sub));
  if (stretches.length > MAX_PERIODS) {
    throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_PERIODS, { periods: stretches.length });
  }
  const periods: Period[] = [];
  let startMs = 0;
  let maxSegmentMs = 0;
  for (const stretch of stretches) {
    const { run, first, last, durationTicks } = stretch;
    const { timescaleHz, epochMs } = first.media;
    const media = await mediaOf(run, first, hasAudio);
    const hasSound = hasAudio && media.audio !== null;
    if (media.video === null && !hasSound) continue;
    // The first segment may begin before the range, and the last one may end after it.
    const cutMs = periods.length === 0 ? Math.max(0, range.fromMs - epochMs) : 0;
    if (!stretch.isContinuation) startMs = Math.max(startMs, epochMs + cutMs - range.fromMs);
    const beyondMs = Math.max(0, endEpochMs(last.media) - Math.max(range.toMs, last.media.epochMs));
    let durationMs = ticksToMs(durationTicks, timescaleHz) - cutMs - beyondMs;
    // Ticks and wall time are not quite as fast: the last Period ends with the range.
    const excessMs = startMs + durationMs - (range.toMs - range.fromMs);
    const endsWithRange = excessMs > 0 || beyondMs > 0;
    if (endsWithRange && Math.abs(excessMs) < Math.min(MAX_DRIFT_MS, durationMs)) durationMs -= excessMs;
    const cutTicks = Math.round((cutMs * timescaleHz) / MS_PER_SEC);
    const common = representation(stretch, first.media.startTicks + cutTicks);
    const startEpochMs = epochMs + cutMs;
    const sub = substreamOf(stretch, startEpochMs, startEpochMs + durationMs);
    const subMedia = sub === null ? null : await mediaOf(sub.run, sub.first, false);
    periods.push({
      id: `t${Math.round(startEpochMs)}`,
      startMs,
      durationMs,
      video: [
        ...videosOf(common, stretch, media, { isH264, folder: '' }),
        ...(sub === null || subMedia === null ? [] : subsOf(sub, subMedia, startEpochMs, isH264, media)),
      ],
      audio: hasSound ? [audioOf(common, run, media)] : [],
      images: hasThumbnails && media.video !== null ? imagesFrom(range.fromMs + startMs) : null,
    });
    startMs += durationMs;
    maxSegmentMs = Math.max(maxSegmentMs, ticksToMs(stretch.longestTicks, timescaleHz));
  }
  if (periods.length === 0) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_SOUND_ONLY);
  const presentation = { kind: 'recorded', durationMs: startMs } as const;
  return renderManifest({ presentation, baseUrl, maxSegmentMs, periods });
}

function imagesFrom(epochMs: number): ImageRepresentation {
  return {
    id: 'thumbnails',
    bandwidthBitsPerSec: SHEET_BITS_PER_SEC,
    widthPx: SHEET_WIDTH_PX,
    heightPx: SHEET_HEIGHT_PX,
    columns: SHEET.columns,
    rows: SHEET.rows,
    durationMs: SHEET_MS,
    media: `${THUMBNAILS_FOLDER}/${sheetName(Math.round(epochMs), '$Number$')}`,
  };
}

async function stretchesOf(
  segments: readonly PastSegment[],
  range: PastRange,
  covers: SubstreamCovers,
): Promise<Stretch[]> {
  const work = new SegmentWork();
  const stretches: Stretch[] = [];
  for (const segment of segments) {
    let stretch = stretches.at(-1);
    const cover = covers.of(segment, range);
    const isContinuation = stretch !== undefined && continues(stretch, segment);
    if (stretch === undefined || !isContinuation || cover !== stretch.cover) {
      stretch = beginStretch(segment, cover, isContinuation);
      stretches.push(stretch);
    }
    addTo(stretch, segment);
    if (work.step()) await work.pause();
  }
  return stretches;
}

function addTo(stretch: Stretch, segment: PastSegment): void {
  const { startTicks, durationTicks, timescaleHz, byteLength } = segment.media;
  stretch.timeline.add(startTicks, durationTicks);
  stretch.durationTicks += durationTicks;
  stretch.longestTicks = Math.max(stretch.longestTicks, durationTicks);
  const bitsPerSec = (byteLength * BITS_PER_BYTE * timescaleHz) / Math.max(1, durationTicks);
  stretch.peakBitsPerSec = Math.max(stretch.peakBitsPerSec, bitsPerSec);
  stretch.last = segment;
}

function beginStretch(
  segment: PastSegment,
  cover: SubstreamCover | null = null,
  isContinuation = false,
): Stretch {
  const timeline = new SegmentTimelineText();
  return {
    run: segment.run,
    cover,
    isContinuation,
    first: segment,
    last: segment,
    timeline,
    durationTicks: 0,
    longestTicks: 0,
    peakBitsPerSec: 0,
  };
}

/** The segments of the substream for this time, epoch milliseconds; null: it does not have all of the stretch. */
function substreamOf({ cover }: Stretch, startMs: number, endMs: number): Stretch | null {
  let found: Stretch | null = null;
  for (const segment of cover?.segments ?? []) {
    if (endEpochMs(segment.media) <= startMs || segment.media.epochMs >= endMs) continue;
    found ??= beginStretch(segment);
    addTo(found, segment);
  }
  return found;
}

function continues({ run, first, last, durationTicks }: Stretch, next: PastSegment): boolean {
  if (next.run !== run || next.number !== last.number + 1) return false;
  const expectedMs = first.media.epochMs + ticksToMs(durationTicks, first.media.timescaleHz);
  return Math.abs(next.media.epochMs - expectedMs) < MAX_DRIFT_MS;
}

type Common = Omit<RepresentationBase, 'id' | 'codecs' | 'bandwidthBitsPerSec' | 'initialization' | 'media'>;

/** Video and audio have the same timeline: the audio of a segment begins at most one frame from its video. */
function representation({ first, timeline }: Stretch, presentationTimeOffsetTicks: number): Common {
  return {
    timescaleHz: first.media.timescaleHz,
    presentationTimeOffsetTicks,
    segments: { firstNumber: first.number, timeline: timeline.end() },
    availabilityTimeOffsetSec: null,
  };
}

/** Those of a substream, except those that no player needs. */
function subsOf(
  stretch: Stretch,
  media: PastRunMedia,
  startEpochMs: number,
  isH264: boolean,
  main: PastRunMedia,
): VideoRepresentation[] {
  if (main.video === null) return [];
  const { startTicks, timescaleHz, epochMs } = stretch.first.media;
  const offsetTicks = startTicks + Math.round(((startEpochMs - epochMs) * timescaleHz) / MS_PER_SEC);
  const common = representation(stretch, Math.max(0, offsetTicks));
  return videosOf(common, stretch, media, { isH264, folder: `${SUB_FOLDER}/` });
}

/** The recorded one first. */
function videosOf(
  common: Common,
  stretch: Stretch,
  media: PastRunMedia,
  { isH264, folder }: { readonly isH264: boolean; readonly folder: string },
): VideoRepresentation[] {
  if (media.video === null) return [];
  if (media.recoded === null) return [videoOf(common, stretch, media, folder)];
  const recoded = recodedOf(common, stretch, media.recoded, folder);
  return isH264 ? [recoded] : [videoOf(common, stretch, media, folder), recoded];
}

/** `id`: of a representation of the main stream. */
function idIn(folder: string, id: string): string {
  return folder === '' ? id : `${SUB_FOLDER}-${id}`;
}

function recodedOf(
  common: Common,
  { run }: Stretch,
  { codecString, widthPx, heightPx, peakBitsPerSec }: RecodedProperties,
  parent: string,
): VideoRepresentation {
  const folder = `${parent}${TRACK_FOLDERS['h264-video']}`;
  return {
    ...common,
    id: idIn(parent, 'h264'),
    codecs: codecString,
    bandwidthBitsPerSec: peakBitsPerSec,
    initialization: `${folder}/${pastInitName(run.number)}`,
    media: `${folder}/seg_$Number$.m4v`,
    widthPx,
    heightPx,
    frameRateHz: null,
  };
}

function videoOf(
  common: Common,
  { run, peakBitsPerSec }: Stretch,
  { video }: PastTracks,
  parent: string,
): VideoRepresentation {
  const folder = `${parent}${TRACK_FOLDERS.video}`;
  const track = video!.track as Extract<typeof video, object>['track'] & { kind: 'video' };
  return {
    ...common,
    id: idIn(parent, 'video'),
    codecs: track.codecString,
    bandwidthBitsPerSec: peakBitsPerSec,
    initialization: `${folder}/${pastInitName(run.number)}`,
    media: `${folder}/seg_$Number$.m4v`,
    widthPx: track.widthPx,
    heightPx: track.heightPx,
    frameRateHz: null,
  };
}

function audioOf(
  common: Common,
  run: PastRun,
  { audio, audioBitsPerSec }: PastRunMedia,
): AudioRepresentation {
  const track = audio!.track as Extract<typeof audio, object>['track'] & { kind: 'audio' };
  return {
    ...common,
    id: 'audio',
    codecs: track.codecString,
    bandwidthBitsPerSec: audioBitsPerSec,
    initialization: `${TRACK_FOLDERS.audio}/${pastInitName(run.number)}`,
    media: `${TRACK_FOLDERS.audio}/seg_$Number$.m4a`,
    sampleRateHz: track.sampleRateHz,
    channelCount: track.channelCount,
  };
}
