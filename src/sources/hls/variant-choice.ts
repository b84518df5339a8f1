/** Which variant of a Multivariant Playlist a camera's stream is. RFC 8216 §4.3.4.2. */

import { GatewayError } from '../../core/errors.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import type { MultivariantPlaylist, Variant } from './playlist.ts';

/** The main stream is the largest variant, the substream the smallest. */
export type VariantSize = 'largest' | 'smallest';

const H264 = /^avc[13]\b/;
/** In HLS, H.265 is in fMP4. */
const H265 = /^h(?:vc|ev)1\b/;

/**
 * Chooses among the variants that need no worker, if there are any. The largest or smallest picture wins, then H.264, which
 * plays everywhere, then the most or least bandwidth. Fails HLS_NO_VIDEO.
 */
export function chosenVariant({ variants }: MultivariantPlaylist, size: VariantSize): Variant {
  const video = variants.filter((variant) => isH264(variant) || has(variant, H265));
  const sign = size === 'largest' ? -1 : 1;
  const rated = (video.length > 0 ? video : variants).toSorted(
    (a, b) =>
      sign * (a.pixels - b.pixels) ||
      Number(isH264(b)) - Number(isH264(a)) ||
      sign * (a.bandwidthBitsPerSec - b.bandwidthBitsPerSec),
  );
  if (rated[0] === undefined) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_NO_VIDEO);
  return rated[0];
}

/** A variant that does not say is taken for one. */
function isH264(variant: Variant): boolean {
  return variant.codecs === null || has(variant, H264);
}

function has({ codecs }: Variant, codec: RegExp): boolean {
  return codecs?.split(',').some((name) => codec.test(name.trim())) ?? false;
}

/** RFC 6381; empty: not known. */
export function codecsOf(variant: Variant | null): string[] {
  return variant?.codecs?.split(',').map((codec) => codec.trim()) ?? [];
}
