/**
 * The frame that a camera's recording, or its live window, shows at an instant, still coded: the newest one that was
 * taken by then, with all that it takes to decode it, from the key frame before it on.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { isRaslPicture } from '../codec/h265/access-unit.ts';
import type { VideoTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { BoxCursor, fourCc } from '../isobmff/box-reader.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundSegment } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment } from '../recording/segment-index.ts';
import type { KeyFrame, LiveCamera, LiveRendition, RenditionName } from '../stream/media/live-media.ts';
import type { RecordedMedia } from './recorded-media.ts';
import { type FrameGap, ROUNDING_MS, type SegmentTime, shownFrame, type VideoSample } from './shown-frame.ts';

/** A segment is a group of pictures or a few; one of 20 s at 10 Mbit/s has 25 MB. */
const MAX_SEGMENT_BYTES = 28 * 1024 * 1024;
/** Between two segments that follow each other: wall time moves by at most 500 ppm against media time. */
const SEAM_MS = 20;
/** The recorded one, and what else has its frames. */
export const RECENT_RENDITIONS: readonly RenditionName[] = [RECORDED_RENDITION, 'main-silent'];
/** The same moments in another size or coding, if nothing has them as they are recorded. */
export const OTHER_RENDITIONS: readonly RenditionName[] = ['h264-silent', 'h264', 'sub-silent', 'sub'];
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');

/** One frame, with all that it takes to decode it. */
export interface PastFrame extends KeyFrame {
  /** Frames of `fmp4` that are shown before it. */
  readonly frameIndex: number;
}

/** The frame of an instant. `coming`: some data for it is still missing. `none`: nothing is held of it. */
export type FoundFrame =
  | { readonly kind: 'frame'; readonly frame: PastFrame }
  | FrameGap
  | { readonly kind: 'coming' }
  | { readonly kind: 'none' };

const NONE: FoundFrame = { kind: 'none' };

/** Finds the frame in recordings; never `coming`. Fails like RecordedMedia, or ISOBMFF_… */
export async function pastFrame(
  media: Pick<RecordedMedia, 'seek' | 'read'>,
  cameraUuid: Ruuid,
  atEpochMs: number,
): Promise<FoundFrame> {
  const stream = { cameraUuid, rendition: RECORDED_RENDITION };
  let found = await media.seek(stream, atEpochMs);
  // Segments follow each other, but wall time moves against their durations: the one before covers the time in between.
  const isSeam = found !== null && isInSeam(found.segment, atEpochMs);
  if (isSeam) found = await media.seek(stream, atEpochMs - SEAM_MS);
  if (found === null || found.segment.epochMs > atEpochMs + ROUNDING_MS) return NONE;
  if (endEpochMs(found.segment) + (isSeam ? SEAM_MS : 0) <= atEpochMs) return NONE;
  const { init, bytes } = await segmentOf(media, found);
  const { epochMs } = found.segment;
  const shown = frameAt(init, bytes, { epochMs, openDurationMs: null }, atEpochMs);
  if (shown.kind !== 'previous') return shown;
  const before = await media.seek(stream, epochMs - SEAM_MS);
  const isFollowed = before !== null && before.segment.epochMs < epochMs;
  const previous =
    isFollowed && isSequel(found.segment, endEpochMs(before.segment))
      ? (await segmentOf(media, before)).bytes
      : null;
  return asFound(frameAt(init, bytes, { epochMs, openDurationMs: null, previous }, atEpochMs));
}

/** The same from the live window, which has the media that are not on the disk yet. */
export function recentFrame(
  camera: Pick<LiveCamera, 'rendition'>,
  atEpochMs: number,
  names: readonly RenditionName[] = RECENT_RENDITIONS,
): FoundFrame {
  let found = NONE;
  for (const name of names) {
    const rendition = camera.rendition(name);
    if (rendition === null) continue;
    const shown = frameOfWindow(rendition, atEpochMs);
    if (shown.kind === 'frame') return shown;
    if (found.kind === 'none') found = shown;
  }
  return found;
}

function frameOfWindow(rendition: Pick<LiveRendition, 'segmentAt'>, atEpochMs: number): FoundFrame {
  const media = rendition.segmentAt(atEpochMs, MAX_SEGMENT_BYTES);
  if (media === null) return NONE;
  const { init, bytes, epochMs, openDurationMs } = media;
  const shown = frameAt(init, bytes, { epochMs, openDurationMs }, atEpochMs);
  if (shown.kind !== 'previous') return shown;
  const previous = media.previous(MAX_SEGMENT_BYTES);
  return asFound(frameAt(init, bytes, { epochMs, openDurationMs, previous }, atEpochMs));
}

async function segmentOf(
  media: Pick<RecordedMedia, 'read'>,
  { name, segment }: FoundSegment,
): Promise<{ init: Buffer; bytes: Buffer }> {
  if (segment.byteLength > MAX_SEGMENT_BYTES) {
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { segmentBytes: segment.byteLength });
  }
  const [init, bytes] = await Promise.all([
    media.read(name, segment.init.offset, segment.init.byteLength),
    media.read(name, segment.offset, segment.byteLength),
  ]);
  return { init, bytes };
}

/** Whether the instant lies right before this segment, which continues another one. */
function isInSeam(segment: RecordedSegment, atEpochMs: number): boolean {
  return segment.epochMs > atEpochMs + ROUNDING_MS && isSequel(segment, atEpochMs);
}

function isSequel({ epochMs, isDiscontinuity }: RecordedSegment, endMs: number): boolean {
  return !isDiscontinuity && Math.abs(epochMs - endMs) <= SEAM_MS;
}

/** The decoder turns the picture before all else. */
function shownSize({ widthPx, heightPx, turns = 0 }: VideoTrack): { widthPx: number; heightPx: number } {
  return turns % 2 === 0 ? { widthPx, heightPx } : { widthPx: heightPx, heightPx: widthPx };
}

function asFound(shown: FrameInSegment): FoundFrame {
  return shown.kind === 'previous' ? NONE : shown;
}

/** `previous`: with an open group of pictures, it takes the segment before this one to decode the frame. */
export type FrameInSegment = Exclude<FoundFrame, { kind: 'none' }> | { readonly kind: 'previous' };

interface SegmentWithPrevious extends Pick<SegmentTime, 'epochMs' | 'openDurationMs'> {
  /** The segment that it continues; null: there is none. Absent: not looked at. */
  readonly previous?: Buffer | null;
}

/** `init` and the bytes become part of the result. */
export function frameAt(
  init: Buffer,
  bytes: Buffer,
  { epochMs, openDurationMs, previous }: SegmentWithPrevious,
  atEpochMs: number,
): FrameInSegment {
  const fragments = fragmentsOf(bytes);
  const { track, samples } = videoOf(init, bytes, fragments);
  const [first] = samples;
  if (first === undefined || track === null)
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'trun' });
  const time = { epochMs, openDurationMs, timescaleHz: track.timescaleHz };
  const shown = shownFrame(samples, time, atEpochMs);
  if (shown.kind !== 'frame') return shown;
  const { sample, atEpochMs: takenAtEpochMs } = shown;
  const { widthPx, heightPx } = shownSize(track);
  const frameOf = (fmp4: Buffer[], frameIndex: number): FrameInSegment => ({
    kind: 'frame',
    frame: { fmp4, widthPx, heightPx, atEpochMs: takenAtEpochMs, frameIndex },
  });
  const isLeading = sample.ptsTicks < first.ptsTicks;
  if (!isLeading || previous === null) {
    if (isLeading && (sample.isRasl || track.codec === 'h264')) {
      const afterMs = Math.ceil(
        takenAtEpochMs + ticksToMs(first.ptsTicks - sample.ptsTicks, track.timescaleHz),
      );
      return { kind: 'gap', beforeMs: null, afterMs };
    }
    const { begin, end, frameIndex } = decodedSpan(samples, sample);
    return frameOf([init, bytes.subarray(fragments[begin]!.start, fragments[end]!.end)], frameIndex);
  }
  if (previous === undefined) return { kind: 'previous' };
  // Decoding begins in the previous segment, which it takes to its end.
  const earlier = fragmentsOf(previous);
  const moved = samples.map((each) => ({ ...each, fragment: each.fragment + earlier.length }));
  const all = [...videoOf(init, previous, earlier).samples, ...moved];
  const { begin, end, frameIndex } = decodedSpan(all, moved[samples.indexOf(sample)]!);
  const ends = bytes.subarray(0, fragments[end - earlier.length]!.end);
  return frameOf([init, previous.subarray(earlier[begin]!.start), ends], frameIndex);
}

/** Which fragments it takes to decode the frame, and how many frames of them are shown before it. */
function decodedSpan(
  samples: readonly VideoSample[],
  wanted: VideoSample,
): { begin: number; end: number; frameIndex: number } {
  // Decoding begins with a fragment: with the last one whose first frame is a key frame from before the wanted one.
  let begin = 0;
  for (const [index, sample] of samples.entries()) {
    const isFirstOfFragment = index === 0 || samples[index - 1]!.fragment !== sample.fragment;
    if (isFirstOfFragment && sample.isKey && sample.ptsTicks <= wanted.ptsTicks) begin = sample.fragment;
  }
  const from = samples.filter(({ fragment }) => fragment >= begin);
  const beginPtsTicks = from[0]!.ptsTicks;
  // Frames that refer to frames before the beginning are not shown.
  const isShown = ({ isRasl, ptsTicks }: VideoSample) => !isRasl || ptsTicks > beginPtsTicks;
  const before = from.filter((sample) => sample.ptsTicks < wanted.ptsTicks && isShown(sample));
  const end = Math.max(wanted.fragment, ...before.map(({ fragment }) => fragment));
  return { begin, end, frameIndex: before.length };
}

interface FragmentSpan {
  readonly start: number;
  readonly end: number;
}

/** Each `moof` with the `mdat` after it. */
function fragmentsOf(bytes: Buffer): FragmentSpan[] {
  const fragments: FragmentSpan[] = [];
  const box = new BoxCursor(bytes, 0, bytes.length);
  let moofStart = 0;
  for (let start = 0; box.next(); start = box.end) {
    if (box.type === MOOF) moofStart = start;
    else if (box.type === MDAT) fragments.push({ start: moofStart, end: box.end });
  }
  return fragments;
}

function videoOf(
  init: Buffer,
  bytes: Buffer,
  fragments: readonly FragmentSpan[],
): { track: VideoTrack | null; samples: readonly VideoSample[] } {
  let track: VideoTrack | null = null;
  let videoIndex = -1;
  let fragment = 0;
  const samples: VideoSample[] = [];
  const reader = new FragmentReader({
    onTracks(tracks) {
      videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
      track = (tracks[videoIndex] as VideoTrack | undefined) ?? null;
    },
    onSample(trackIndex, dtsTicks, ptsTicks, isKey, data) {
      if (trackIndex !== videoIndex) return;
      const isRasl = track?.codec === 'h265' && isRaslPicture(data);
      samples.push({ dtsTicks, ptsTicks, isKey, fragment, isRasl });
    },
  });
  reader.push(init);
  for (; fragment < fragments.length; fragment++) {
    reader.push(bytes.subarray(fragments[fragment]!.start, fragments[fragment]!.end));
  }
  return { track, samples };
}
