/**
 * A live Media Playlist, full or as a delta update, for regular and low-latency clients alike. RFC 8216bis §4.4.3,
 * §6.2.5.1.
 */

import { msToSecondsText } from './decimal-seconds.ts';
import { partName, segmentName } from './media-names.ts';
import type { SegmentText } from './segment-text.ts';

/** EXT-X-SKIP needs version 9 (§8). */
export const VERSION = 9;
/** In Part Target Durations; three are recommended (§4.4.3.8). */
export const PART_HOLD_BACK = 3;
/** In Target Durations; the minimum allowed (§4.4.3.8). */
export const HOLD_BACK = 3;
const SKIP_BOUNDARY = 6;

export interface MediaPlaylist {
  readonly targetDurationSec: number;
  readonly partTargetMs: number;
  /** Discontinuity Sequence Number before the first listed segment's own tag (§6.2.1). */
  readonly discontinuitySequence: number;
  /** In order, at least one; only the last may be incomplete. */
  readonly segments: readonly SegmentText[];
  /** Segments from this index on are listed with their parts. */
  readonly firstWithParts: number;
  /** The next part, which does not exist yet. */
  readonly hint: { readonly msn: number; readonly part: number };
}

/** The end of another rendition's Media Playlist. */
export interface PlaylistEdge {
  readonly msn: number;
  readonly part: number;
}

/** How far behind the end of the playlist segments can be left out of a delta update. */
export function skipBoundarySec(targetDurationSec: number): number {
  return SKIP_BOUNDARY * targetDurationSec;
}

/** `skippedSegments`: 0 for the full playlist; otherwise a delta update that leaves out this many from the front. */
export function renderMediaPlaylist(playlist: MediaPlaylist, skippedSegments: number): string {
  const { segments, firstWithParts, hint } = playlist;
  let text = header(playlist);
  if (needsGap(playlist)) text += gap(firstMsn(playlist), playlist);
  if (skippedSegments > 0) text += `#EXT-X-SKIP:SKIPPED-SEGMENTS=${skippedSegments}\n`;
  let initUri = segments[skippedSegments - 1]?.head.initUri ?? null;
  for (let i = skippedSegments; i < segments.length; i++) {
    const segment = segments[i]!;
    text += segment.render(initUri, i >= firstWithParts);
    initUri = segment.head.initUri;
  }
  return `${text}#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${partName(hint.msn, hint.part)}"\n`;
}

/**
 * EXT-X-RENDITION-REPORT §4.4.5.4, which goes after everything else. It is not part of the rendered text above, because the
 * other rendition advances on its own. `uri`: of the other Media Playlist, relative to this one.
 */
export function renditionReport(uri: string, { msn, part }: PlaylistEdge): string {
  return `#EXT-X-RENDITION-REPORT:URI="${uri}",LAST-MSN=${msn},LAST-PART=${part}\n`;
}

/**
 * Whether a segment that is marked as absent (§4.4.4.7) goes before the first one. While the first one is incomplete,
 * players would find no segment at all in the playlist; hls.js then waits a whole target duration before it reloads. With
 * the gap, its absent parts and the start point at its end, it plays the first part immediately.
 */
function needsGap({ segments }: MediaPlaylist): boolean {
  const first = segments[0];
  return first !== undefined && !first.isComplete && first.head.msn > 0;
}

function firstMsn(playlist: MediaPlaylist): number {
  const msn = playlist.segments[0]?.head.msn ?? 0;
  return needsGap(playlist) ? msn - 1 : msn;
}

/**
 * About as long as a segment: a player that comes from another variant loads parts only when its buffer reaches
 * beyond the first listed part plus the duration of the open segment (hls.js 1.7, `shouldLoadParts`).
 */
function gap(msn: number, { targetDurationSec, partTargetMs }: MediaPlaylist): string {
  const partMs = Math.min(partTargetMs, targetDurationSec * 1_000);
  const parts = Math.floor((targetDurationSec * 1_000) / partMs);
  const duration = msToSecondsText(parts * partMs);
  let text = `#EXT-X-START:TIME-OFFSET=${duration}\n`;
  for (let part = 0; part < parts; part++) {
    text += `#EXT-X-PART:DURATION=${msToSecondsText(partMs)},URI="${partName(msn, part)}",GAP=YES\n`;
  }
  return `${text}#EXT-X-GAP\n#EXTINF:${duration},\n${segmentName(msn)}\n`;
}

function header(playlist: MediaPlaylist): string {
  const { targetDurationSec, partTargetMs, discontinuitySequence } = playlist;
  const partHoldBack = msToSecondsText(PART_HOLD_BACK * partTargetMs);
  const skipUntil = msToSecondsText(skipBoundarySec(targetDurationSec) * 1_000);
  const holdBack = msToSecondsText(HOLD_BACK * targetDurationSec * 1_000);
  return `#EXTM3U
#EXT-X-VERSION:${VERSION}
#EXT-X-TARGETDURATION:${targetDurationSec}
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${partHoldBack},CAN-SKIP-UNTIL=${skipUntil},HOLD-BACK=${holdBack}
#EXT-X-PART-INF:PART-TARGET=${msToSecondsText(partTargetMs)}
#EXT-X-MEDIA-SEQUENCE:${firstMsn(playlist)}
#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}
#EXT-X-INDEPENDENT-SEGMENTS
`;
}
