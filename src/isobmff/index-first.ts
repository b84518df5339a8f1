/**
 * The order in which a program that cannot seek must get the bytes of a progressive file: the `moov` before the media,
 * with the chunk offsets that fit (ISO/IEC 14496-12 §8.7.5).
 */

import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from './box-reader.ts';
import { BoxFinder, type ByteSource, type TopBox } from './clip-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';

export type FilePiece =
  | { readonly kind: 'range'; readonly offset: number; readonly byteLength: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

const MOOV = fourCc('moov');
const MDAT = fourCc('mdat');
const CONTAINERS = new Set(['trak', 'mdia', 'minf', 'stbl'].map(fourCc));
const STCO = fourCc('stco');
const CO64 = fourCc('co64');
const MAX_MOOV_BYTES = 64 * 1_048_576;
const MAX_U32 = 2 ** 32 - 1;

/** The whole file, in the order in which it can be read without seeking. Fails ISOBMFF_… */
export function indexFirst(source: ByteSource): FilePiece[] {
  const whole: FilePiece[] = [{ kind: 'range', offset: 0, byteLength: source.byteLength }];
  let moov: TopBox | null = null;
  let media: TopBox | null = null;
  const boxes = new BoxFinder(source);
  for (let box = boxes.next(); box !== null; box = boxes.next()) {
    if (box.type === MDAT) media ??= box;
    else if (box.type === MOOV) moov ??= box;
    // As readClip.
    boxes.mayBeCut ||= moov !== null;
  }
  if (moov === null || media === null || moov.offset < media.offset) return whole;
  const byteLength = moov.endOffset - moov.offset;
  if (byteLength > MAX_MOOV_BYTES) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'moov' });
  const bytes = Uint8Array.from(source.read(moov.offset, byteLength));
  const contentStart = moov.contentOffset - moov.offset;
  shiftChunks(new BoxCursor(bytes, contentStart, byteLength), byteLength);
  return [
    { kind: 'range', offset: 0, byteLength: media.offset },
    { kind: 'bytes', bytes },
    { kind: 'range', offset: media.offset, byteLength: moov.offset - media.offset },
    { kind: 'range', offset: moov.endOffset, byteLength: source.byteLength - moov.endOffset },
  ];
}

/** In place. */
function shiftChunks(box: BoxCursor, shiftBytes: number): void {
  while (box.next()) {
    if (CONTAINERS.has(box.type)) shiftChunks(box.children(), shiftBytes);
    else if (box.type === STCO || box.type === CO64) shiftTable(box, box.type === CO64, shiftBytes);
  }
}

function shiftTable(box: BoxCursor, isLong: boolean, shiftBytes: number): void {
  const view = new DataView(box.bytes.buffer, box.bytes.byteOffset, box.bytes.byteLength);
  box.skip(4);
  const count = box.u32();
  for (let index = 0; index < count; index++) {
    const at = box.position;
    const offset = (isLong ? box.u64() : box.u32()) + shiftBytes;
    if (!isLong && offset > MAX_U32)
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'stco' });
    if (isLong) view.setBigUint64(at, BigInt(offset));
    else view.setUint32(at, offset);
  }
}
