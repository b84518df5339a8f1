/**
 * Reads the tracks of a Media Initialization Section. The sample entries are copied as they are, so that every codec that can be
 * recorded can be played back. ISO/IEC 14496-12 §8.
 */

import type { QuarterTurns } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from '../isobmff/box-reader.ts';
import { readQuarterTurns } from '../isobmff/display-matrix.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';

export interface RecordedTrack {
  readonly trackId: number;
  readonly kind: 'video' | 'audio';
  readonly timescaleHz: number;
  /** 0 for audio. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly turns: QuarterTurns;
  /** The only entry of `stsd`, as a whole box. */
  readonly sampleEntry: Buffer;
}

const MOOV = fourCc('moov');
const TRAK = fourCc('trak');
const TKHD = fourCc('tkhd');
const MDIA = fourCc('mdia');
const MDHD = fourCc('mdhd');
const HDLR = fourCc('hdlr');
const MINF = fourCc('minf');
const STBL = fourCc('stbl');
const STSD = fourCc('stsd');
const VIDE = fourCc('vide');
const SOUN = fourCc('soun');

interface Draft {
  trackId: number;
  handler: number;
  timescaleHz: number;
  widthPx: number;
  heightPx: number;
  turns: QuarterTurns;
  sampleEntry: Buffer | null;
}

/** `init`: `ftyp moov`, copied from. Tracks that are neither video nor audio are left out. Fails ISOBMFF_… */
export function readRecordedTracks(init: Buffer): RecordedTrack[] {
  const tracks: RecordedTrack[] = [];
  for (const top = new BoxCursor(init, 0, init.length); top.next(); ) {
    if (top.type !== MOOV) continue;
    for (const box = top.children(); box.next(); ) {
      if (box.type !== TRAK) continue;
      const track = trackOf(readTrak(box.children()));
      if (track !== null) tracks.push(track);
    }
  }
  if (tracks.length === 0) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'trak' });
  return tracks;
}

function trackOf(draft: Draft): RecordedTrack | null {
  const { handler, sampleEntry, trackId, timescaleHz, widthPx, heightPx, turns } = draft;
  if (handler !== VIDE && handler !== SOUN) return null;
  if (sampleEntry === null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'stsd' });
  if (timescaleHz === 0) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'mdhd' });
  const kind = handler === VIDE ? 'video' : 'audio';
  return { trackId, kind, timescaleHz, widthPx, heightPx, turns, sampleEntry };
}

function readTrak(box: BoxCursor): Draft {
  const draft: Draft = {
    trackId: 0,
    handler: 0,
    timescaleHz: 0,
    widthPx: 0,
    heightPx: 0,
    turns: 0,
    sampleEntry: null,
  };
  while (box.next()) {
    if (box.type === TKHD) readTkhd(box, draft);
    else if (box.type === MDIA) readMdia(box.children(), draft);
  }
  return draft;
}

/** §8.3.2 */
function readTkhd(box: BoxCursor, draft: Draft): void {
  const version = box.u8();
  box.skip(3); // flags
  box.skip(version === 1 ? 16 : 8); // creation_time, modification_time
  draft.trackId = box.u32();
  box.skip(version === 1 ? 12 : 8); // reserved, duration
  box.skip(8 + 8); // reserved; layer, alternate_group, volume, reserved
  draft.turns = readQuarterTurns(box);
  draft.widthPx = box.u16();
  box.skip(2);
  draft.heightPx = box.u16();
}

function readMdia(box: BoxCursor, draft: Draft): void {
  while (box.next()) {
    if (box.type === MDHD) {
      const version = box.u8();
      box.skip(3); // flags
      box.skip(version === 1 ? 16 : 8); // creation_time, modification_time
      draft.timescaleHz = box.u32();
    } else if (box.type === HDLR) {
      box.skip(8); // version, flags, pre_defined
      draft.handler = box.u32();
    } else if (box.type === MINF) {
      for (const minf = box.children(); minf.next(); ) {
        if (minf.type === STBL) readStbl(minf.children(), draft);
      }
    }
  }
}

function readStbl(box: BoxCursor, draft: Draft): void {
  while (box.next()) {
    if (box.type !== STSD) continue;
    box.skip(4); // version, flags
    const entries = box.u32();
    if (entries !== 1) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'stsd', entries });
    draft.sampleEntry = Buffer.from(box.view(box.left));
  }
}
