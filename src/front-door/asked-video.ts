/**
 * `video=h264` in the query of a Multivariant Playlist: only variants in H.264, for players and analytics that decode
 * nothing else (docs/design/live-path.md#viewers-that-cannot-decode-h265).
 */

import { GatewayError } from '../core/errors.ts';
import type { VideoWish } from '../stream/live-media.ts';
import { askedHeightPx } from './asked-height.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';

/** What a player wants of the variants. */
export interface VariantWish {
  /** As askedHeightPx. */
  readonly maxHeightPx: number | null;
  readonly video: VideoWish;
}

/** Fails with VIDEO_UNKNOWN for any other value. */
export function variantWishOf(query: string): VariantWish {
  return { maxHeightPx: askedHeightPx(query), video: askedVideo(query) };
}

/** What of the query is kept where a request is led on, without `?`; '': nothing. Fails like variantWishOf. */
export function videoQuery(query: string): string {
  return askedVideo(query) === 'h264' ? 'video=h264' : '';
}

function askedVideo(query: string): VideoWish {
  if (!query.includes('video=')) return 'any';
  const video = new URLSearchParams(query).get('video');
  if (video === null) return 'any';
  if (video === 'h264') return 'h264';
  throw new GatewayError(FRONT_DOOR_ERRORS.VIDEO_UNKNOWN, { video: video.slice(0, 20) });
}
