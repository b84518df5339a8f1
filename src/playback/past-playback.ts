/**
 * The past of cameras as players get it: timelines of ranges, and the playlists and media rendered from them. Knows nothing of viewers;
 * what they may see comes as spans of time (src/sharing/past-access.ts). docs/design/playback.md.
 */

import { convertTicks, msToTicks, ticksToMs } from '../cmaf/ticks.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { MediaExtension } from '../hls/media-names.ts';
import { RecordedPlaylist } from '../hls/recorded-playlist.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import { moveFragments } from '../isobmff/fragment-times.ts';
import type { CameraRendition } from '../recording/recorded-cameras.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import type { MaskedSource } from '../store/privacy-mask.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { readKeyFrame } from './key-frames.ts';
import { listedDurations } from './listed-time.ts';
import { type FoundFrame, frameAt } from './past-frames.ts';
import { type PastManifestParts, type PastRunMedia, renderPastManifest } from './past-manifest.ts';
import { asRecorded, isH264, type PastContent, pastInitName, pastSegmentName } from './past-names.ts';
import type { PastRange } from './past-range.ts';
import {
  isWithin,
  type PastCamera,
  type PastRun,
  type PastSegment,
  type PastTimeline,
  spanOf,
  type TimeSpan,
} from './past-timeline.ts';
import { initFor, type PastTracks, readPastTracks, trackIdFor } from './past-tracks.ts';
import { type PastVariants, renderPastVariants, streamWithin } from './past-variants.ts';
import type { PulledPast } from './pulled-past.ts';
import type { RecodedFiles } from './recoded-files.ts';
import { type PictureEncoder, RecodedPast } from './recoded-past.ts';
import { type HourRun, RecordedHours } from './recorded-hours.ts';
import type { PastMedia } from './recorded-media.ts';
import type { LentBytes } from './recording-reads.ts';
import { remembered } from './remembered-runs.ts';
import { SegmentWork } from './segment-work.ts';
import { renderThumbnailPlaylist } from './thumbnail-playlist.ts';
import { TimelineCache } from './timeline-cache.ts';
import { withPulled } from './whole-past.ts';

/** What a manifest lists. */
export interface PastManifestContent extends Pick<PastManifestParts, 'hasAudio' | 'isH264'> {
  /** Also thumbnails, if there are some. Default true. */
  readonly mayHaveThumbnails?: boolean;
}

export interface PastPlaybackOptions {
  readonly media: PastMedia;
  /** Default: no camera is on a video recorder. */
  readonly pulled?: PulledPast | null;
  /** Makes H.264 for players that decode nothing else. Default: there is none. */
  readonly encoder?: PictureEncoder | null;
  /** Where H.264 that was made stays. Default: in memory alone. */
  readonly recodedFiles?: RecodedFiles | null;
  /** Default: a camera counts as an organization. */
  readonly organizationOf?: (cameraUuid: Ruuid) => string | null;
  /** The camera and masks of a masked camera's UUID; null: the UUID is another camera's. Default: there are no masks. */
  readonly maskedBy?: (cameraUuid: Ruuid) => MaskedSource | null;
  /** Whether recordings get thumbnails. Default false. */
  readonly hasThumbnails?: boolean;
  readonly clock: Clock;
}

/**
 * When the last segment of a range must be in the catalog, after its end: the longest segment, and what waits for the
 * disk. The playlist of a range is complete then, whatever is in it.
 */
const COMPLETE_AFTER_MS = 30_000;
/** Shorter segments would make players ask too often. */
const MIN_TARGET_SEC = 1;
const SAME_WINDOW_MS = 1_000;
const BITS_PER_BYTE = 8;
const MS_PER_SEC = 1_000;

export class PastPlayback {
  readonly #media: PastMedia;
  readonly #maskedBy: (cameraUuid: Ruuid) => MaskedSource | null;
  readonly #recoded: RecodedPast;
  readonly #hasThumbnails: boolean;
  readonly #clock: Clock;
  readonly #timelines: TimelineCache;
  readonly #pulled: PulledPast | null;
  /** With what was pulled from video recorders. */
  readonly #wholeTimelines: TimelineCache;
  readonly #hours: RecordedHours;
  readonly #runs = new Map<string, Promise<PastTracks>>();
  /** Audio bit rate of each run, measured once: it takes the read of a segment. */
  readonly #audioBitsPerSec = new Map<string, Promise<number>>();

  constructor(options: PastPlaybackOptions) {
    const { media, encoder = null, recodedFiles: files = null, organizationOf = () => null, clock } = options;
    this.#media = media;
    this.#maskedBy = options.maskedBy ?? (() => null);
    this.#hasThumbnails = options.hasThumbnails ?? false;
    this.#recoded = new RecodedPast({ media, encoder, files, organizationOf });
    this.#clock = clock;
    const cameraOf = (cameraUuid: Ruuid) => this.cameraOf(cameraUuid);
    const of = { clock, cameraOf };
    this.#timelines = new TimelineCache({ media, ...of });
    this.#pulled = options.pulled ?? null;
    this.#wholeTimelines = new TimelineCache({ media: withPulled(media), ...of });
    this.#hours = new RecordedHours({ media, clock });
  }

  /** A clip was handed over for the camera, or copies were deleted: timelines that were made before are wrong. */
  clipAdded(cameraUuid: Ruuid): void {
    this.#timelines.forget(cameraUuid);
    this.#wholeTimelines.forget(cameraUuid);
  }

  /** A recording file was deleted, and what was made of it goes. */
  readonly recordingDeleted = (file: string): void => this.#recoded.deleted(file);

  /** A camera with masks came or went. Nothing of it is kept. */
  masksChanged(maskedUuid: Ruuid): void {
    this.#timelines.forget(maskedUuid);
    this.#wholeTimelines.forget(maskedUuid);
    this.#recoded.forget(maskedUuid);
  }

  /** Whose past a viewer of this camera sees. */
  cameraOf(cameraUuid: Ruuid): PastCamera {
    const source = this.#maskedBy(cameraUuid);
    if (source === null) return { uuid: cameraUuid, recordedUuid: cameraUuid, masks: null };
    return { uuid: cameraUuid, recordedUuid: source.cameraUuid, masks: source.masks };
  }

  /**
   * Up to now. `looker`: stands for a viewer who may see what the camera's video recorder has; null: the viewer may not. Fails like
   * the store, and with the recorder's error if there is nothing else.
   */
  async timeline(cameraUuid: Ruuid, range: PastRange, looker: object | null = null): Promise<PastTimeline> {
    const { recordedUuid } = this.cameraOf(cameraUuid);
    const pulled = this.#pulled;
    if (looker === null || pulled === null || !pulled.has(recordedUuid)) {
      return this.#timelines.get(cameraUuid, range);
    }
    const settled = this.#wholeTimelines.settled(cameraUuid, range);
    if (settled !== null) return settled;
    const { untilMs, isGrowing, error } = await pulled.look(recordedUuid, range.fromMs, range.toMs, looker);
    const timeline = await this.#wholeTimelines.get(cameraUuid, range, untilMs);
    timeline.isGrowing = isGrowing;
    if (error !== null && timeline.segments.length === 0) throw error;
    return timeline;
  }

  /** What the camera's video recorder has in the range. Pulls nothing. */
  async onRecorder(cameraUuid: Ruuid, { fromMs, toMs }: PastRange): Promise<readonly TimeSpan[]> {
    const { recordedUuid } = this.cameraOf(cameraUuid);
    return this.#pulled?.has(recordedUuid) === true ? this.#pulled.listed(recordedUuid, fromMs, toMs) : [];
  }

  /** The viewer has fetched the segment. */
  watched({ camera }: PastTimeline, { media }: PastSegment, looker: object): void {
    this.#pulled?.watched(camera.recordedUuid, endEpochMs(media), looker);
  }

  /** A Media Playlist next to its segments, or to their `folder`. Fails PLAYBACK_NOTHING_RECORDED, PLAYBACK_SOUND_ONLY, and like `init`. */
  async playlist(
    timeline: PastTimeline,
    spans: readonly TimeSpan[],
    extension: MediaExtension,
    content: PastContent = 'recorded',
    folder = '',
  ): Promise<string> {
    const segments = await shownSegments(timeline, spans);
    const isVideoOnly = asRecorded(content) === 'video';
    const isSoundOnly = isVideoOnly && (await this.#tracksOf(segments[0]!.run)).video === null;
    if (isSoundOnly) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_SOUND_ONLY);
    const first = segments[0]!.media;
    const isComplete = this.#isComplete(timeline);
    const startOffsetMs = Math.max(0, timeline.range.fromMs - first.epochMs);
    const other = timeline.main ?? timeline.sub;
    // What a list that grows has said stays.
    const durations = listedDurations(
      segments,
      isComplete && other !== null ? await shownOf(other, spans) : [],
    );
    const playlist = new RecordedPlaylist({
      type: isComplete ? 'vod' : 'event',
      targetDurationSec: targetDurationSec([timeline, other], segments, durations),
      // Players begin a list that grows at its end.
      startOffsetMs: startOffsetMs > 0 || !isComplete ? startOffsetMs : null,
      isIFramesOnly: content === 'key-frames',
      firstDiscontinuity: discontinuityOf(timeline, segments[0]!, spans),
    });
    const work = new SegmentWork();
    let before: PastSegment | null = null;
    let discontinuity = 0;
    for (const [index, segment] of segments.entries()) {
      const { number, run, media } = segment;
      const counted = discontinuityOf(timeline, segment, spans);
      const follows = before === null || (before.run === run && number === before.number + 1);
      discontinuity = Math.max(counted, follows ? discontinuity : discontinuity + 1);
      playlist.add({
        uri: `${folder}${pastSegmentName(number, extension)}`,
        initUri: `${folder}${pastInitName(run.number)}`,
        discontinuity,
        epochMs: media.epochMs,
        durationTicks: durations[index]!,
        timescaleHz: media.timescaleHz,
      });
      before = segment;
      if (work.step()) await work.pause();
    }
    return playlist.end();
  }

  /** The image playlist of the range, with its `folder` next to it; null: there are no thumbnails. Fails PLAYBACK_NOTHING_RECORDED. */
  async thumbnailPlaylist(timeline: PastTimeline, spans: readonly TimeSpan[]): Promise<string | null> {
    if (!this.#showsThumbnails(timeline)) return null;
    return renderThumbnailPlaylist(await shownSegments(timeline, spans), this.#isComplete(timeline));
  }

  /** What was recorded without masks is not shown with them. */
  #showsThumbnails({ camera }: PastTimeline): boolean {
    return this.#hasThumbnails && camera.masks === null;
  }

  /**
   * A Multivariant Playlist over the playlists of the range (past-variants.ts). Fails PLAYBACK_NOTHING_RECORDED, PLAYBACK_SOUND_ONLY, and like
   * `init`.
   */
  async multivariant(
    timeline: PastTimeline,
    spans: readonly TimeSpan[],
    wanted: PastVariants,
  ): Promise<string> {
    const { sub } = timeline;
    return renderPastVariants(wanted, {
      camera: timeline.camera,
      main: await shownSegments(timeline, spans),
      sub: sub === null ? [] : await shownOf(sub, spans),
      tracksOf: (run) => this.#tracksOf(run),
      hasThumbnails: this.#showsThumbnails(timeline),
      recodedOf: (tracks) => this.#recoded.propertiesOf(timeline.camera, tracks),
    });
  }

  /**
   * Which stream of the range is no higher than that, or the lowest. Fails PLAYBACK_NOTHING_RECORDED, and like `init`.
   */
  async streamWithin(
    timeline: PastTimeline,
    spans: readonly TimeSpan[],
    maxHeightPx: number,
  ): Promise<CameraRendition> {
    const main = await shownSegments(timeline, spans);
    const sub = timeline.sub === null ? [] : await shownOf(timeline.sub, spans);
    return streamWithin({ main, sub, tracksOf: (run) => this.#tracksOf(run) }, maxHeightPx);
  }

  /**
   * The manifest of the recordings so far, even if the range is not over. `baseUrl`: as in Manifest. Fails
   * PLAYBACK_NOTHING_RECORDED, and like `init`.
   */
  async manifest(
    timeline: PastTimeline,
    spans: readonly TimeSpan[],
    { hasAudio, isH264: isOnlyH264, mayHaveThumbnails = true }: PastManifestContent,
    baseUrl: string | null,
  ): Promise<string> {
    return renderPastManifest({
      range: timeline.range,
      baseUrl,
      segments: await shownSegments(timeline, spans),
      sub: timeline.sub === null ? [] : await shownOf(timeline.sub, spans),
      hasAudio,
      isH264: isOnlyH264 || timeline.camera.masks !== null,
      hasThumbnails: mayHaveThumbnails && this.#showsThumbnails(timeline),
      mediaOf: (...of) => this.#runMedia(...of),
    });
  }

  /** When there is something to see, in order of recording; frames that arrive late are no gap. */
  async windows(timeline: PastTimeline, spans: readonly TimeSpan[]): Promise<TimeSpan[]> {
    const work = new SegmentWork();
    const windows: { fromMs: number; toMs: number }[] = [];
    for (const segment of [...timeline.segments]) {
      if (isWithin(segment, spans)) {
        const { epochMs } = segment.media;
        const last = windows.at(-1);
        const follows = last !== undefined && Math.abs(epochMs - last.toMs) < SAME_WINDOW_MS;
        if (follows) last.toMs = endEpochMs(segment.media);
        else windows.push({ fromMs: epochMs, toMs: endEpochMs(segment.media) });
      }
      if (work.step()) await work.pause();
    }
    return windows;
  }

  /** The time whose hours are listed. */
  listedTime(): TimeSpan {
    return this.#hours.listed();
  }

  /** As RecordedHours. */
  hours(cameraUuid: Ruuid, shown: readonly TimeSpan[]): Promise<HourRun[]> {
    return this.#hours.runs(this.cameraOf(cameraUuid).recordedUuid, shown);
  }

  /** null: the run has no such track. Fails like RecordedMedia.read, ISOBMFF_…, and, for H.264, like RecodedPast. */
  async init(run: PastRun, content: PastContent): Promise<Buffer | null> {
    const tracks = await this.#tracksOf(run);
    const { camera, file, first } = run;
    if (content === 'key-frames' && camera.masks !== null) return null;
    const shown = withMasks(content, camera, tracks);
    if (!isH264(shown) || !this.#recoded.isFor(camera, tracks)) return initFor(tracks, asRecorded(shown));
    return this.#recoded.init({ camera, file, media: first, tracks }, shown === 'h264');
  }

  /** As `init`. */
  async segment(segment: PastSegment, content: PastContent): Promise<LentBytes | null> {
    const { file, run, media } = segment;
    const { camera } = run;
    if (content === 'recorded' && camera.masks === null) {
      return this.#media.lend(file, media.offset, media.byteLength);
    }
    const tracks = await this.#tracksOf(run);
    if (content === 'key-frames') return this.#keyFrame(segment, tracks);
    const shown = withMasks(content, camera, tracks);
    if (isH264(shown) && this.#recoded.isFor(camera, tracks)) return this.#recode(segment, tracks, shown);
    const trackId = trackIdFor(tracks, asRecorded(shown));
    if (trackId === undefined) return null;
    if (trackId === null) return this.#media.lend(file, media.offset, media.byteLength);
    return owned(await this.#media.readTrack(file, media.offset, media.byteLength, trackId));
  }

  /** null: with masks, there are none, and other segments begin with one. */
  async #keyFrame({ file, run, media }: PastSegment, { video }: PastTracks): Promise<LentBytes | null> {
    if (video === null || run.camera.masks !== null) return null;
    const read: ReadBytes = (name, offset, length) => this.#media.read(name, offset, length);
    const frame = await readKeyFrame(read, file, media, video.trackId);
    return frame === null ? null : owned(frame);
  }

  /** The audio is recorded; a segment can have several fragments. */
  async #recode(
    { file, run, media }: PastSegment,
    tracks: PastTracks,
    content: PastContent,
  ): Promise<LentBytes> {
    const making = this.#recoded.segment({ camera: run.camera, file, media, tracks });
    if (content !== 'h264' || tracks.audio === null) return owned(await making);
    const reading = this.#media.readTrack(file, media.offset, media.byteLength, tracks.audio.trackId);
    return owned(Buffer.concat(await Promise.all([making, reading])));
  }

  /** The frame that a masked camera showed at an instant; null: the camera has no masks. Fails like the store and `segment`. */
  async maskedFrame(cameraUuid: Ruuid, atEpochMs: number): Promise<FoundFrame | null> {
    if (this.cameraOf(cameraUuid).masks === null) return null;
    const timeline = await this.timeline(cameraUuid, { fromMs: atEpochMs, toMs: atEpochMs + 1 });
    const segment = timeline.segments.findLast(({ media }) => media.epochMs <= atEpochMs);
    if (segment === undefined) return { kind: 'none' };
    const init = await this.init(segment.run, 'h264-video');
    const lent = await this.segment(segment, 'h264-video');
    if (init === null || lent === null) return { kind: 'none' };
    // What was encoded is shared, and a frame belongs to its caller.
    const bytes = Buffer.from(lent.bytes);
    lent.release();
    const found = frameAt(init, bytes, { epochMs: segment.media.epochMs, openDurationMs: null }, atEpochMs);
    return found.kind === 'previous' ? { kind: 'none' } : found;
  }

  /** A viewer who plays in order requests the segment next. Never fails. */
  async prepare({ file, run, media }: PastSegment, content: PastContent): Promise<void> {
    const { camera } = run;
    const tracks = await this.#tracksOf(run).catch(() => null);
    if (tracks === null || !this.#recoded.isFor(camera, tracks)) return;
    if (isH264(withMasks(content, camera, tracks))) this.#recoded.prepare({ camera, file, media, tracks });
  }

  /**
   * The same, for programs that join the segments of a range into one file: its time begins with the first segment, and not
   * with the recording, which may have begun days before. A gap stays one. Everything is late by one frame of audio,
   * because the audio may begin that much before its video.
   */
  async joinedSegment(
    timeline: PastTimeline,
    segment: PastSegment,
    content: PastContent,
  ): Promise<LentBytes | null> {
    // Before anything is lent, which would not be given back if this fails.
    const { video, audio } = await this.#tracksOf(segment.run);
    const lent = await this.segment(segment, content);
    if (lent === null) return null;
    const { startTicks, timescaleHz, epochMs } = segment.run.first;
    const gapMs = Math.max(0, epochMs - timeline.segments[0]!.media.epochMs);
    const frameMs =
      audio?.track.kind === 'audio' ? ticksToMs(audio.track.samplesPerFrame, audio.track.sampleRateHz) : 0;
    // The bytes that were lent are not ours to change.
    const bytes = Buffer.from(lent.bytes);
    lent.release();
    moveFragments(bytes, (trackId) => {
      const hz = (trackId === audio?.trackId ? audio : video)?.track.timescaleHz ?? timescaleHz;
      return msToTicks(gapMs + frameMs, hz) - convertTicks(startTicks, timescaleHz, hz);
    });
    return owned(bytes);
  }

  #isComplete({ range, endMs, isGrowing }: PastTimeline): boolean {
    if (isGrowing) return false;
    const nowEpochMs = this.#clock.epochMs();
    return nowEpochMs >= range.toMs && (endMs >= range.toMs || nowEpochMs >= range.toMs + COMPLETE_AFTER_MS);
  }

  async #runMedia(run: PastRun, sample: PastSegment, hasAudio: boolean): Promise<PastRunMedia> {
    const tracks = await this.#tracksOf(run);
    const recoded = this.#recoded.propertiesOf(run.camera, tracks);
    if (!hasAudio || tracks.audio === null) return { ...tracks, recoded, audioBitsPerSec: 0 };
    const { trackId } = tracks.audio;
    const measuring = remembered(this.#audioBitsPerSec, runKey(run), () => this.#measure(sample, trackId));
    return { ...tracks, recoded, audioBitsPerSec: await measuring };
  }

  /** The bit rate of a track in a segment. */
  async #measure({ file, media }: PastSegment, trackId: number): Promise<number> {
    const { offset, byteLength, durationTicks, timescaleHz } = media;
    const { length } = await this.#media.readTrack(file, offset, byteLength, trackId);
    return (length * BITS_PER_BYTE * MS_PER_SEC) / Math.max(1, ticksToMs(durationTicks, timescaleHz));
  }

  #tracksOf(run: PastRun): Promise<PastTracks> {
    const { file, init } = run;
    const read = () => this.#media.read(file, init.offset, init.byteLength).then(readPastTracks);
    return remembered(this.#runs, runKey(run), read);
  }
}

/** With masks, video is never what was recorded. */
function withMasks(content: PastContent, { masks }: PastCamera, { video }: PastTracks): PastContent {
  if (masks === null) return content;
  if (video === null) return 'audio';
  if (content === 'recorded') return 'h264';
  return content === 'video' ? 'h264-video' : content;
}

function owned(bytes: Buffer): LentBytes {
  return { bytes, release: () => undefined };
}

function runKey({ file, init }: PastRun): string {
  return `${file}@${init.offset}`;
}

/** In slices. Fails PLAYBACK_NOTHING_RECORDED. */
async function shownSegments(
  timeline: PastTimeline,
  spans: readonly TimeSpan[],
): Promise<readonly PastSegment[]> {
  const shown = await shownOf(timeline, spans);
  if (shown.length === 0) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_NOTHING_RECORDED);
  return shown;
}

/** In slices. */
async function shownOf(timeline: PastTimeline, spans: readonly TimeSpan[]): Promise<PastSegment[]> {
  const work = new SegmentWork();
  const shown: PastSegment[] = [];
  // It may grow meanwhile.
  for (const segment of timeline.segments.slice(0, timeline.discontinuities.length)) {
    if (isWithin(segment, spans)) shown.push(segment);
    if (work.step()) await work.pause();
  }
  return shown;
}

/** Its Discontinuity Sequence Number, for all renditions alike: times that a viewer may not see divide them all. */
function discontinuityOf(
  { discontinuities }: PastTimeline,
  segment: PastSegment,
  spans: readonly TimeSpan[],
): number {
  return discontinuities[segment.number - 1]! + spanOf(segment, spans);
}

/** As far as possible the same for all playlists of a range (RFC 8216bis §6.2.4). */
function targetDurationSec(
  timelines: readonly (PastTimeline | null)[],
  segments: readonly PastSegment[],
  durationsTicks: readonly number[],
): number {
  let longestMs = 0;
  for (const [index, { media }] of segments.entries()) {
    longestMs = Math.max(longestMs, ticksToMs(durationsTicks[index]!, media.timescaleHz));
  }
  for (const timeline of timelines) {
    for (const { media } of timeline?.segments ?? []) {
      longestMs = Math.max(longestMs, ticksToMs(media.durationTicks, media.timescaleHz));
    }
  }
  return Math.max(MIN_TARGET_SEC, Math.round(longestMs / MS_PER_SEC));
}
