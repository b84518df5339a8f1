/**
 * `video` in the query of a Multivariant Playlist (docs/design/live-window.md#one-variant-on-bare-urls): `h264` for players and
 * analytics that decode nothing else, `main` or `sub` for one stream of the camera's, and `all` for players that choose. In the
 * query of a manifest, only `h264` makes a difference.
 */

import { GatewayError } from '../../core/errors.ts';
import type { VideoRequest } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { requestedHeightPx } from './requested-height.ts';

/** The variants that a player wants. */
export interface VariantQuery {
  /** As askedHeightPx. */
  readonly maxHeightPx: number | null;
  readonly video: VideoRequest;
}

const QUERIES: ReadonlySet<string> = new Set<VideoRequest>(['all', 'h264', 'main', 'sub']);

/** Fails with VIDEO_UNKNOWN for any other value. */
export function variantQueryOf(query: string): VariantQuery {
  return { maxHeightPx: requestedHeightPx(query), video: requestedVideo(query) ?? 'all' };
}

/**
 * The same for bare URLs: one variant unless the query chooses. Players of the ffmpeg family open every variant that they
 * are shown, and so each would start the transcoder.
 */
export function bareQueryOf(query: string): VariantQuery {
  const maxHeightPx = requestedHeightPx(query);
  return { maxHeightPx, video: requestedVideo(query) ?? (maxHeightPx === null ? 'main' : 'all') };
}

/** The part of the query that a redirect keeps, without `?`; '': nothing. Fails like variantWishOf. */
export function videoQuery(query: string): string {
  return requestedVideo(query) === 'h264' ? 'video=h264' : '';
}

/** null: the query has no `video`. */
function requestedVideo(query: string): VideoRequest | null {
  if (!query.includes('video=')) return null;
  const video = new URLSearchParams(query).get('video');
  if (video === null || isQuery(video)) return video;
  throw new GatewayError(FRONT_DOOR_ERRORS.VIDEO_UNKNOWN, { video: video.slice(0, 20) });
}

function isQuery(video: string): video is VideoRequest {
  return QUERIES.has(video);
}
