/**
 * A live Media Playlist for the viewer who opened the camera, at the URL that the Multivariant Playlist gave it, `?first=<n>`. n is the
 * number of the opening's first segment. That segment is listed part by part, so that players of plain HLS begin with its
 * first part instead of waiting for its end. Most of these segments do not begin with a key frame, so EXT-X-INDEPENDENT-SEGMENTS
 * is missing (RFC 8216bis §4.4.2.1).
 *
 * Segments are numbered apart from those of other playlists. Numbers never go back, at any node: an opening has room for
 * `PIECES_PER_SEGMENT` numbers for each segment of earlier ones.
 */

import { msToSecondsText } from './decimal-seconds.ts';
import { partName } from './media-names.ts';
import { HOLD_BACK, type MediaPlaylist, PART_HOLD_BACK, VERSION } from './media-playlist.ts';
import type { SegmentHead } from './segment-text.ts';

/** More than the parts of the longest segment. */
const PIECES_PER_SEGMENT = 10_000;
/** Players that begin three segments before the end (ffmpeg) then find the key frame. */
export const FIRST_PIECES = 3;
/**
 * Instead of a hint at a part that begins a segment: Shaka Player 5.2 fails when it opens a short list with one. Without a
 * line behind the last segment, hls.js 1.7 takes that for the open one.
 */
const NO_HINT = '# more to come\n';

/** The numbers of one URL's playlist. */
export interface PieceNumbers {
  /** n of the URL. */
  readonly firstMsn: number;
  /** The first segment of the current opening. */
  readonly openingMsn: number;
}

/** The number at which a segment, or its first part, is listed. */
export function pieceNumberOf(
  { msn, piecesBefore = 0 }: Pick<SegmentHead, 'msn' | 'piecesBefore'>,
  { firstMsn, openingMsn }: PieceNumbers,
): number {
  return msn + piecesBefore + (openingMsn - firstMsn) * PIECES_PER_SEGMENT;
}

export function renderPiecewisePlaylist(playlist: MediaPlaylist, numbers: PieceNumbers): string {
  const { segments, firstWithParts, hint } = playlist;
  let text = header(playlist, pieceNumberOf(segments[0]!.head, numbers));
  let initUri: string | null = null;
  for (const [index, segment] of segments.entries()) {
    const withParts = index >= firstWithParts;
    const { isPiecewise = false } = segment.head;
    text += isPiecewise ? segment.renderPieces(initUri, withParts) : segment.render(initUri, withParts);
    initUri = segment.head.initUri;
  }
  if (segments.at(-1)!.head.isPiecewise === true) return text + NO_HINT;
  return `${text}#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${partName(hint.msn, hint.part)}"\n`;
}

/** The same, with the first parts of the opening's segment alone: what players find at first begins with a key frame. */
export function renderBeginning(playlist: MediaPlaylist, numbers: PieceNumbers): string {
  const [first] = playlist.segments;
  return (
    header(playlist, pieceNumberOf(first!.head, numbers)) +
    first!.renderPieces(null, true, FIRST_PIECES) +
    NO_HINT
  );
}

function header(playlist: MediaPlaylist, mediaSequence: number): string {
  const { targetDurationSec, partTargetMs, discontinuitySequence } = playlist;
  const partHoldBack = msToSecondsText(PART_HOLD_BACK * partTargetMs);
  const holdBack = msToSecondsText(HOLD_BACK * targetDurationSec * 1_000);
  return `#EXTM3U
#EXT-X-VERSION:${VERSION}
#EXT-X-TARGETDURATION:${targetDurationSec}
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${partHoldBack},HOLD-BACK=${holdBack}
#EXT-X-PART-INF:PART-TARGET=${msToSecondsText(partTargetMs)}
#EXT-X-MEDIA-SEQUENCE:${mediaSequence}
#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}
`;
}
