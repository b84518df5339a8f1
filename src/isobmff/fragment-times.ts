/** Moves the fragments of a Media Segment in time. ISO/IEC 14496-12 §8.8.12. */

import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { readDecodeTime, readTrackFragmentHeader } from './track-fragment.ts';

const MOOF = fourCc('moof');
const TRAF = fourCc('traf');
const TFHD = fourCc('tfhd');
const TFDT = fourCc('tfdt');

const MAX_32_BITS = 0xffff_ffff;

/**
 * Adds `ticksOf(trackId)` to the decoding time of each fragment, in place. A time never becomes less than 0: what would
 * begin earlier begins at 0. Fails ISOBMFF_…
 */
export function moveFragments(segment: Buffer, ticksOf: (trackId: number) => number): void {
  for (const top = new BoxCursor(segment, 0, segment.length); top.next(); ) {
    if (top.type !== MOOF) continue;
    for (const traf = top.children(); traf.next(); ) {
      if (traf.type === TRAF) moveFragment(segment, traf.children(), ticksOf);
    }
  }
}

function moveFragment(segment: Buffer, box: BoxCursor, ticksOf: (trackId: number) => number): void {
  let ticks = 0;
  while (box.next()) {
    if (box.type === TFHD) ticks = ticksOf(readTrackFragmentHeader(box).trackId);
    if (box.type !== TFDT) continue;
    const isLong = segment[box.position] === 1; // version
    const movedTicks = Math.max(0, readDecodeTime(box) + ticks);
    if (isLong) segment.writeBigUInt64BE(BigInt(movedTicks), box.position - 8);
    else if (movedTicks <= MAX_32_BITS) segment.writeUInt32BE(movedTicks, box.position - 4);
    else throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'tfdt', ticks: movedTicks });
  }
}
