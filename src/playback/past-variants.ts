/**
 * The Multivariant Playlist of a range of the past: its main stream, its substream, and both as H.264 for players that decode nothing else
 * (docs/design/playback.md#renditions).
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { GatewayError } from '../core/errors.ts';
import {
  renderMultivariantPlaylist,
  type TrickPlayStreams,
  type VariantStream,
} from '../hls/multivariant-playlist.ts';
import type { CameraRendition } from '../recording/recorded-cameras.ts';
import type { VideoRequest } from '../stream/media/live-media.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { fittingStream } from './fitting-stream.ts';
import {
  fillsMainStream,
  H264_FOLDER,
  isOfKeyFrames,
  isOfSubstream,
  KEY_FRAMES_NAME,
  SUB_FOLDER,
  THUMBNAILS_NAME,
} from './past-names.ts';
import type { PastCamera, PastRun, PastSegment } from './past-timeline.ts';
import type { PastTracks } from './past-tracks.ts';
import type { RecodedProperties } from './recoded-past.ts';
import { SHEET, SHEET_BITS_PER_SEC } from './thumbnail-size.ts';

/** What a Multivariant Playlist lists. */
export interface PastVariants {
  readonly hasAudio: boolean;
  readonly video: VideoRequest;
  /** Variants that are higher are left out; where all are, the lowest stays. null: none. */
  readonly maxHeightPx: number | null;
  /** Where the playlists of the range are, with a trailing slash; '': next to this one. */
  readonly folder: string;
}

export interface PastVariantParts {
  readonly camera: PastCamera;
  /** What the viewer may see, in order; at least one. */
  readonly main: readonly PastSegment[];
  /** The same of the substream; empty: there is none. */
  readonly sub: readonly PastSegment[];
  readonly tracksOf: (run: PastRun) => Promise<PastTracks>;
  /** Whether the viewer may see thumbnails of the range. */
  readonly hasThumbnails: boolean;
  /** null: it stays as it is, or nothing can be made of it. */
  readonly recodedOf: (tracks: PastTracks) => RecodedProperties | null;
}

/** A recorded stream, as it is and as H.264. */
interface Stream {
  /** null: no viewer sees it as it is. */
  readonly recorded: VariantStream | null;
  /** null: it is H.264, or this gateway has no encoder. */
  readonly made: VariantStream | null;
  readonly hasAudio: boolean;
  readonly hasVideo: boolean;
}

/** Gaps of a stream that others fill, of which each is another read. With more, a substream is not listed. */
const MAX_FILLS = 32;
const BITS_PER_BYTE = 8;
const MS_PER_SEC = 1_000;
/** The beginning of the RFC 6381 names of H.264. */
const H264_CODEC = /^avc[13]\./;
const H265_CODEC = /^(?:hvc|hev)1\./;

/** Fails PLAYBACK_SOUND_ONLY; rejects like `tracksOf` and `recodedOf`. */
export async function renderPastVariants(wanted: PastVariants, parts: PastVariantParts): Promise<string> {
  const whole = parts.main.filter(({ file }) => !isOfKeyFrames(file));
  const fills = [...runsOf(whole.filter(({ file }) => fillsMainStream(file)))].slice(0, MAX_FILLS);
  // Key frames have no sound, and what follows them may have.
  const own = whole.find(({ file }) => !fillsMainStream(file)) ?? whole[0];
  const main = await streamOf(parts.main, fills, wanted.folder, wanted, parts, own);
  if (!main.hasVideo && !main.hasAudio) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_SOUND_ONLY);
  const sub = await substreamOf(wanted, parts, main);
  const variants = within(chosen(wanted, main, sub), wanted.maxHeightPx);
  return renderMultivariantPlaylist(variants, trickPlayOf(wanted.folder, variants, main, parts));
}

/** Frames of the main stream where it is listed as recorded: what they take is not known before they are read, and at most all of it. */
function trickPlayOf(
  folder: string,
  variants: readonly VariantStream[],
  { recorded, hasVideo }: Stream,
  { hasThumbnails }: PastVariantParts,
): TrickPlayStreams {
  const hasFrames = hasVideo && recorded !== null && variants.includes(recorded);
  const { tileWidthPx: widthPx, tileHeightPx: heightPx } = SHEET;
  return {
    iFrames: hasFrames ? iFramesOf(recorded, folder) : null,
    images:
      hasVideo && hasThumbnails
        ? { uri: `${folder}${THUMBNAILS_NAME}`, bitsPerSec: SHEET_BITS_PER_SEC, widthPx, heightPx }
        : null,
  };
}

/** The codec of the video is the first one. */
function iFramesOf(
  { codecs, peakBitsPerSec, widthPx, heightPx }: VariantStream,
  folder: string,
): TrickPlayStreams['iFrames'] {
  return {
    uri: `${folder}${KEY_FRAMES_NAME}`,
    codecs: codecs.slice(0, 1),
    peakBitsPerSec,
    widthPx,
    heightPx,
  };
}

/** The stream that is no higher than that, or the lowest. Rejects like `tracksOf`. */
export async function streamWithin(
  { main, sub, tracksOf }: Pick<PastVariantParts, 'main' | 'sub' | 'tracksOf'>,
  maxHeightPx: number,
): Promise<CameraRendition> {
  const own = sub.find(({ file }) => isOfSubstream(file));
  const whole =
    main.find(({ file }) => !fillsMainStream(file)) ?? main.find(({ file }) => !isOfSubstream(file));
  const tracks = {
    main: whole === undefined ? null : await tracksOf(whole.run),
    sub: own === undefined ? null : await tracksOf(own.run),
  };
  return fittingStream(tracks, maxHeightPx);
}

/** null: it is not there for all of its players. */
async function substreamOf(
  wanted: PastVariants,
  parts: PastVariantParts,
  main: Stream,
): Promise<Stream | null> {
  const own = parts.sub.find(({ file }) => isOfSubstream(file));
  if (own === undefined || !main.hasVideo) return null;
  const fills = runsOf(parts.sub.filter(({ file }) => !isOfSubstream(file)));
  if (fills.size > MAX_FILLS) return null;
  const folder = `${wanted.folder}${SUB_FOLDER}/`;
  const sub = await streamOf(parts.sub, [...fills], folder, wanted, parts, own);
  // Between a variant with audio and one without, players stop.
  return sub.hasVideo && sub.hasAudio === main.hasAudio ? sub : null;
}

function runsOf(segments: readonly PastSegment[]): ReadonlySet<PastRun> {
  return new Set(segments.map(({ run }) => run));
}

async function streamOf(
  segments: readonly PastSegment[],
  fills: readonly PastRun[],
  folder: string,
  { hasAudio }: Pick<PastVariants, 'hasAudio'>,
  { camera, tracksOf, recodedOf }: PastVariantParts,
  sample: PastSegment = segments[0]!,
): Promise<Stream> {
  const tracks = await tracksOf(sample.run);
  const { video, audio } = tracks;
  const sound = hasAudio && audio !== null ? [audio.track.codecString] : [];
  const codecs = new Set(video === null ? [] : [video.track.codecString]);
  for (const run of fills) {
    const filled = (await tracksOf(run)).video;
    if (filled !== null) codecs.add(filled.track.codecString);
  }
  const recoded = recodedOf(tracks);
  const isMasked = camera.masks !== null;
  const { widthPx = null, heightPx = null } = video?.track.kind === 'video' ? video.track : {};
  const hidden = isMasked && video !== null;
  const uri = `${folder}stream.m3u8`;
  return {
    hasVideo: video !== null,
    hasAudio: sound.length > 0,
    recorded: hidden
      ? null
      : { uri, codecs: [...codecs, ...sound], widthPx, heightPx, frameRateHz: null, ...ratesOf(segments) },
    made:
      recoded === null
        ? null
        : {
            uri: isMasked ? uri : `${folder}${H264_FOLDER}/stream.m3u8`,
            codecs: [recoded.codecString, ...sound],
            peakBitsPerSec: recoded.peakBitsPerSec,
            averageBitsPerSec: recoded.peakBitsPerSec,
            widthPx: recoded.widthPx,
            heightPx: recoded.heightPx,
            frameRateHz: null,
          },
  };
}

/** Players start with the first. At least one. */
function chosen(
  { video, maxHeightPx }: Pick<PastVariants, 'video' | 'maxHeightPx'>,
  main: Stream,
  sub: Stream | null,
): readonly VariantStream[] {
  const whole = (main.recorded ?? main.made)!;
  if (video === 'main') return [whole];
  if (video === 'sub') return [sub?.recorded ?? sub?.made ?? whole];
  // Some players open all that they are shown, and what is made of both streams takes two workers.
  const isSubMade = video === 'all' || maxHeightPx !== null;
  const all = [main.recorded, sub?.recorded, main.made, isSubMade ? sub?.made : null].filter(
    (variant) => variant !== null && variant !== undefined,
  );
  const wanted = video === 'h264' ? all.filter(isH264) : all;
  return wanted.length === 0 ? all : wanted;
}

/** Also where the main stream fills its gaps. */
function isH264({ codecs }: VariantStream): boolean {
  return codecs.some((codec) => H264_CODEC.test(codec)) && !codecs.some((codec) => H265_CODEC.test(codec));
}

function within(variants: readonly VariantStream[], maxHeightPx: number | null): readonly VariantStream[] {
  if (maxHeightPx === null) return variants;
  const heights = variants.map(({ heightPx }) => heightPx ?? 0);
  const limitPx = Math.max(maxHeightPx, Math.min(...heights));
  return variants.filter((_variant, i) => heights[i]! <= limitPx);
}

function ratesOf(
  segments: readonly PastSegment[],
): Pick<VariantStream, 'peakBitsPerSec' | 'averageBitsPerSec'> {
  let peakBitsPerSec = 0;
  let bits = 0;
  let durationMs = 0;
  for (const { media } of segments) {
    const segmentMs = Math.max(1, ticksToMs(media.durationTicks, media.timescaleHz));
    const segmentBits = media.byteLength * BITS_PER_BYTE;
    peakBitsPerSec = Math.max(peakBitsPerSec, (segmentBits * MS_PER_SEC) / segmentMs);
    bits += segmentBits;
    durationMs += segmentMs;
  }
  return { peakBitsPerSec, averageBitsPerSec: (bits * MS_PER_SEC) / durationMs };
}
