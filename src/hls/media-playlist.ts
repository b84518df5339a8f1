/**
 * A live Media Playlist, full or as a delta update, for ordinary and low-latency clients alike. RFC 8216bis §4.4.3,
 * §6.2.5.1.
 */

import { msToSecondsText } from './decimal-seconds.ts';
import { partName } from './media-names.ts';
import type { SegmentText } from './segment-text.ts';

/** EXT-X-SKIP needs version 9 (§8). */
const VERSION = 9;
/** In Part Target Durations; three are recommended (§4.4.3.8). */
const PART_HOLD_BACK = 3;
/** In Target Durations; the least that is allowed (§4.4.3.8). */
const HOLD_BACK = 3;
const SKIP_BOUNDARY = 6;

export interface MediaPlaylist {
  readonly targetDurationSec: number;
  readonly partTargetMs: number;
  /** Discontinuity Sequence Number before the first listed segment's own tag (§6.2.1). */
  readonly discontinuitySequence: number;
  /** In order, at least one; only the last may be incomplete. */
  readonly segments: readonly SegmentText[];
  /** Segments from this position on are listed with their parts. */
  readonly firstWithParts: number;
  /** The next part, which does not exist yet. */
  readonly hint: { readonly msn: number; readonly part: number };
}

/** How far behind the end of the playlist segments may be left out of a delta update. */
export function skipBoundarySec(targetDurationSec: number): number {
  return SKIP_BOUNDARY * targetDurationSec;
}

/** `skippedSegments`: 0 for the full playlist, else a delta update that leaves out so many from the front. */
export function renderMediaPlaylist(playlist: MediaPlaylist, skippedSegments: number): string {
  const { segments, firstWithParts, hint } = playlist;
  let text = header(playlist);
  if (skippedSegments > 0) text += `#EXT-X-SKIP:SKIPPED-SEGMENTS=${skippedSegments}\n`;
  let initUri = segments[skippedSegments - 1]?.head.initUri ?? null;
  for (let i = skippedSegments; i < segments.length; i++) {
    const segment = segments[i]!;
    text += segment.render(initUri, i >= firstWithParts);
    initUri = segment.head.initUri;
  }
  return `${text}#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${partName(hint.msn, hint.part)}"\n`;
}

function header(playlist: MediaPlaylist): string {
  const { targetDurationSec, partTargetMs, discontinuitySequence, segments } = playlist;
  const partHoldBack = msToSecondsText(PART_HOLD_BACK * partTargetMs);
  const skipUntil = msToSecondsText(skipBoundarySec(targetDurationSec) * 1_000);
  const holdBack = msToSecondsText(HOLD_BACK * targetDurationSec * 1_000);
  return `#EXTM3U
#EXT-X-VERSION:${VERSION}
#EXT-X-TARGETDURATION:${targetDurationSec}
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${partHoldBack},CAN-SKIP-UNTIL=${skipUntil},HOLD-BACK=${holdBack}
#EXT-X-PART-INF:PART-TARGET=${msToSecondsText(partTargetMs)}
#EXT-X-MEDIA-SEQUENCE:${segments[0]?.head.msn ?? 0}
#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}
#EXT-X-INDEPENDENT-SEGMENTS
`;
}
