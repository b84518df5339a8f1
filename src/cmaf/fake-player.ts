/** Reads finished parts as a player does: the counterpart in tests of the code that writes them. */

import { BoxCursor, fourCc, fourCcText } from '../isobmff/box-reader.ts';

export interface ReadSample {
  readonly durationTicks: number;
  readonly compositionOffsetTicks: number;
  readonly isKey: boolean;
  readonly data: Buffer;
}

export interface ReadRun {
  readonly trackId: number;
  readonly startTicks: number;
  readonly endTicks: number;
  readonly samples: readonly ReadSample[];
}

export interface ReadFragment {
  /** Top-level boxes in order. */
  readonly boxes: readonly string[];
  readonly sequenceNumber: number;
  readonly runs: readonly ReadRun[];
}

const NON_SYNC_SAMPLE = 0x10000;
const VERSION_AND_FLAGS_BYTES = 4;

/** Reads the output of this folder's fragment writer; throws on anything else. */
export function readFragment(bytes: Buffer): ReadFragment {
  const boxes: string[] = [];
  const runs: ReadRun[] = [];
  let sequenceNumber = -1;
  let moofStart = 0;
  const cursor = new BoxCursor(bytes, 0, bytes.length);
  for (let start = 0; cursor.next(); start = cursor.end) {
    boxes.push(fourCcText(cursor.type));
    if (cursor.type !== fourCc('moof')) continue;
    moofStart = start;
    const children = cursor.children();
    while (children.next()) {
      if (children.type === fourCc('traf')) runs.push(readRun(children.children(), bytes, moofStart));
      else sequenceNumber = field(children);
    }
  }
  return { boxes, sequenceNumber, runs };
}

function readRun(traf: BoxCursor, bytes: Buffer, moofStart: number): ReadRun {
  let trackId = 0;
  let startTicks = 0;
  let endTicks = 0;
  const samples: ReadSample[] = [];
  while (traf.next()) {
    if (traf.type === fourCc('tfhd')) trackId = field(traf);
    else if (traf.type === fourCc('tfdt')) {
      traf.skip(VERSION_AND_FLAGS_BYTES);
      startTicks = traf.u64();
    } else {
      const count = field(traf);
      let offset = moofStart + traf.u32();
      endTicks = startTicks;
      for (let i = 0; i < count; i++) {
        const durationTicks = traf.u32();
        const data = bytes.subarray(offset, offset + traf.u32());
        const isKey = (traf.u32() & NON_SYNC_SAMPLE) === 0;
        samples.push({ durationTicks, compositionOffsetTicks: traf.u32(), isKey, data });
        offset += data.length;
        endTicks += durationTicks;
      }
    }
  }
  return { trackId, startTicks, endTicks, samples };
}

/** The first 32-bit field of a FullBox. */
function field(cursor: BoxCursor): number {
  cursor.skip(VERSION_AND_FLAGS_BYTES);
  return cursor.u32();
}
