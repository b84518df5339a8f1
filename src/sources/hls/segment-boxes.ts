/**
 * The top-level boxes of an fMP4 segment, before it is read: how many there are, and that they end where the segment ends.
 * Otherwise the reader would take the rest of one segment for the beginning of the next.
 */

import { GatewayError } from '../../core/errors.ts';
import { BoxCursor, fourCc } from '../../isobmff/box-reader.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';

/** Top-level boxes: with a fragment per frame and track, 15 s of video with audio have 4,000. */
export const MAX_SEGMENT_FRAGMENTS = 4_000;

const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');

/** Fails HLS_SEGMENT_INVALID, HLS_SEGMENT_TOO_LONG or ISOBMFF_… */
export function checkSegmentBoxes(segment: Uint8Array): void {
  let fragments = 0;
  let isDataDue = false;
  // BoxCursor allows as many boxes as its own limit, which fails ISOBMFF_LIMIT.
  const box = new BoxCursor(segment, 0, segment.length, 0, { boxes: 4 * MAX_SEGMENT_FRAGMENTS });
  while (box.next()) {
    if (box.type === MDAT) isDataDue = false;
    if (box.type !== MOOF) continue;
    // Samples are counted when their data comes: fragments without data would cost time and count nothing.
    if (isDataDue) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { box: 'mdat' });
    isDataDue = true;
    if (++fragments > MAX_SEGMENT_FRAGMENTS) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_TOO_LONG, { fragments });
    }
  }
}
