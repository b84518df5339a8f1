/** The properties of a rendition in a Multivariant Playlist and a manifest, measured on its window. */

import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { LiveSegment } from './live-segment.ts';

/** Known only once something has been packaged. */
export interface RenditionProperties {
  /** Highest and mean bit rate of the window, in bits per second. */
  readonly peakBitsPerSec: number;
  readonly averageBitsPerSec: number;
  /** RFC 6381, one per track. */
  readonly codecs: readonly string[];
  /** null: it has no video. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Measured; null before there are enough frames, and without video. */
  readonly frameRateHz: number | null;
}

/** Needs a few frames to be meaningful. */
const MIN_PICTURES = 4;

/** `tracks`: of the newest part. `segments`: those that the playlist lists, at least one. */
export function measuredProperties(
  { video, audio, hasVideo }: PackagedTracks,
  segments: readonly LiveSegment[],
): RenditionProperties {
  const codecs = hasVideo && video !== null ? [video.codecString] : [];
  if (audio !== null) codecs.push(audio.codecString);
  return {
    ...bitRates(segments),
    codecs,
    widthPx: video?.widthPx ?? null,
    heightPx: video?.heightPx ?? null,
    frameRateHz: frameRateHz(segments),
  };
}

/** Bit rates of complete segments, as RFC 8216bis §4.4.6.2 defines them; of the open segment until there is a complete one. */
function bitRates(segments: readonly LiveSegment[]): { peakBitsPerSec: number; averageBitsPerSec: number } {
  const complete = segments.filter((segment) => segment.isComplete);
  const measured = complete.length > 0 ? complete : segments;
  let peakBitsPerSec = 0;
  let bits = 0;
  let seconds = 0;
  for (const segment of measured) {
    const segmentSec = segment.durationMs / 1_000;
    // An end of a timeline without a frame of audio.
    if (segmentSec === 0) continue;
    peakBitsPerSec = Math.max(peakBitsPerSec, (segment.byteLength * 8) / segmentSec);
    bits += segment.byteLength * 8;
    seconds += segmentSec;
  }
  return {
    peakBitsPerSec: Math.ceil(peakBitsPerSec),
    averageBitsPerSec: seconds === 0 ? 0 : Math.ceil(bits / seconds),
  };
}

function frameRateHz(segments: readonly LiveSegment[]): number | null {
  let pictures = 0;
  let seconds = 0;
  for (const segment of segments) {
    pictures += segment.pictures;
    seconds += segment.durationMs / 1_000;
  }
  return pictures < MIN_PICTURES ? null : pictures / seconds;
}
