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
import { endEpochMs, type RecordedSegment } from '../recording/segment-index.ts';
import type { KeyFrame, LiveCamera } from '../stream/live-media.ts';
import type { RecordedMedia } from './recorded-media.ts';

/** A segment is a group of pictures or a few; one of 20 s at 10 Mbit/s has 25 MB. */
const MAX_SEGMENT_BYTES = 28 * 1024 * 1024;
/** Times are stored in whole milliseconds. */
const ROUNDING_MS = 1;
/** The recorded one, and what else has its frames. */
const RECENT_RENDITIONS = [RECORDED_RENDITION, 'main-silent'] as const;
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');

interface VideoSample {
  readonly ptsTicks: number;
  readonly isKey: boolean;
  /** Which fragment of the segment holds it. */
  readonly fragment: number;
  /** H.265: refers to pictures before its key frame. */
  readonly isRasl: boolean;
}

/** One frame, with all that it takes to decode it. */
export interface PastFrame extends KeyFrame {
  /** Frames of `fmp4` that are shown before it. */
  readonly frameIndex: number;
}

/** null: nothing is recorded of this instant. Fails like RecordedMedia, or ISOBMFF_… */
export async function pastFrame(
  media: Pick<RecordedMedia, 'seek' | 'read'>,
  cameraUuid: Ruuid,
  atEpochMs: number,
): Promise<PastFrame | null> {
  const found = await media.seek({ cameraUuid, rendition: RECORDED_RENDITION }, atEpochMs);
  if (found === null) return null;
  const { name, segment } = found;
  if (segment.epochMs > atEpochMs + ROUNDING_MS || endEpochMs(segment) <= atEpochMs) return null;
  if (segment.byteLength > MAX_SEGMENT_BYTES) {
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { segmentBytes: segment.byteLength });
  }
  const [init, bytes] = await Promise.all([
    media.read(name, segment.init.offset, segment.init.byteLength),
    media.read(name, segment.offset, segment.byteLength),
  ]);
  return frameAt(init, bytes, segment, atEpochMs);
}

/** The same from the live window, which has what is not on the disk yet; null: it does not have this instant. */
export function recentFrame(camera: Pick<LiveCamera, 'rendition'>, atEpochMs: number): PastFrame | null {
  for (const name of RECENT_RENDITIONS) {
    const media = camera.rendition(name)?.segmentAt(atEpochMs, MAX_SEGMENT_BYTES) ?? null;
    if (media !== null) return frameAt(media.init, media.bytes, media, atEpochMs);
  }
  return null;
}

/** Exported for its tests. `init` and `bytes` become part of what is returned. */
export function frameAt(
  init: Buffer,
  bytes: Buffer,
  { epochMs }: Pick<RecordedSegment, 'epochMs'>,
  atEpochMs: number,
): PastFrame {
  const fragments = fragmentsOf(bytes);
  const { track, samples } = videoOf(init, bytes, fragments);
  const [first] = samples;
  if (first === undefined || track === null)
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'trun' });
  const takenAtMs = ({ ptsTicks }: VideoSample) =>
    epochMs + ticksToMs(ptsTicks - first.ptsTicks, track.timescaleHz);
  const isTaken = (sample: VideoSample) => takenAtMs(sample) <= atEpochMs + ROUNDING_MS;
  let wanted = first;
  for (const sample of samples) if (isTaken(sample) && sample.ptsTicks > wanted.ptsTicks) wanted = sample;
  // Decoding begins with a fragment: with the last one whose first frame is a key frame from before the wanted one.
  let begin = 0;
  for (const [index, sample] of samples.entries()) {
    const isFirstOfFragment = index === 0 || samples[index - 1]!.fragment !== sample.fragment;
    if (isFirstOfFragment && sample.isKey && sample.ptsTicks <= wanted.ptsTicks) begin = sample.fragment;
  }
  const from = samples.filter(({ fragment }) => fragment >= begin);
  const beginPtsTicks = from[0]!.ptsTicks;
  // Pictures that refer to what is before the beginning are not shown.
  const isShown = ({ isRasl, ptsTicks }: VideoSample) => !isRasl || ptsTicks > beginPtsTicks;
  const before = from.filter((sample) => sample.ptsTicks < wanted.ptsTicks && isShown(sample));
  const end = Math.max(wanted.fragment, ...before.map(({ fragment }) => fragment));
  return {
    fmp4: [init, bytes.subarray(fragments[begin]!.start, fragments[end]!.end)],
    widthPx: track.widthPx,
    heightPx: track.heightPx,
    atEpochMs: Math.round(takenAtMs(wanted)),
    frameIndex: before.length,
  };
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
    onSample(trackIndex, _dtsTicks, ptsTicks, isKey, data) {
      if (trackIndex !== videoIndex) return;
      const isRasl = track?.codec === 'h265' && isRaslPicture(data);
      samples.push({ ptsTicks, isKey, fragment, isRasl });
    },
  });
  reader.push(init);
  for (; fragment < fragments.length; fragment++) {
    reader.push(bytes.subarray(fragments[fragment]!.start, fragments[fragment]!.end));
  }
  return { track, samples };
}
