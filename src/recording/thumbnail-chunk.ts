/**
 * The thumbnails of a recording file, in a file next to it: chunks, one after the other. Each has a head, where its thumbnails lie, and the
 * coded blocks of their JPEGs (src/codec/jpeg/jpeg-sheet.ts). A chunk is appended as a whole, and its first eight bytes last.
 */

import type { RecordedStream } from './segment-index.ts';

/** A picture of the first frame of a segment. */
export interface Thumbnail {
  /** Where its segment begins in the recording file. */
  readonly segmentOffset: number;
  readonly blocks: Uint8Array;
}

/** A file never has more. */
export const MAX_THUMBNAILS_BYTES = 2 * 1_048_576;
const MAGIC = 0x534c_544e; // "SLTN"
const VERSION = 1;
const HEAD_BYTES = 12;
const ENTRY_BYTES = 12;

/** Next to the folder of the recording. */
export function thumbnailsName({ cameraUuid, rendition }: RecordedStream, number: number): string {
  return `${cameraUuid}/${rendition}-thumbnails/${String(number).padStart(12, '0')}.bin`;
}

/** The same, of the name of a recording file (`recordingName`); null: it is another file. */
export function thumbnailsOf(recordingName: string): string | null {
  const match = /^([^/]+)\/([^/]+)\/(\d{12})\.mp4$/.exec(recordingName);
  return match === null ? null : `${match[1]}/${match[2]}-thumbnails/${match[3]}.bin`;
}

export function writeThumbnails(thumbnails: readonly Thumbnail[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + ENTRY_BYTES * thumbnails.length);
  let byteLength = head.length;
  for (const [i, { segmentOffset, blocks }] of thumbnails.entries()) {
    head.writeDoubleBE(segmentOffset, HEAD_BYTES + i * ENTRY_BYTES);
    head.writeUInt32BE(blocks.length, HEAD_BYTES + i * ENTRY_BYTES + 8);
    byteLength += blocks.length;
  }
  head.writeUInt32BE(MAGIC, 0);
  head.writeUInt32BE(byteLength, 4);
  head.writeUInt16BE(VERSION, 8);
  head.writeUInt16BE(thumbnails.length, 10);
  return Buffer.concat([head, ...thumbnails.map(({ blocks }) => blocks)]);
}

/** Views of `bytes` by the offset of their segment, as far as the chunks are whole. */
export function readThumbnails(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const byteLength = bytes.readUInt32BE(at + 4);
    const end = at + byteLength;
    const isWhole = bytes.readUInt32BE(at) === MAGIC && byteLength >= HEAD_BYTES && end <= bytes.length;
    if (!isWhole || bytes.readUInt16BE(at + 8) !== VERSION) break;
    readChunk(bytes.subarray(at, end), found);
    at = end;
  }
  return found;
}

function readChunk(chunk: Buffer, found: Map<number, Buffer>): void {
  const count = chunk.readUInt16BE(10);
  let data = HEAD_BYTES + count * ENTRY_BYTES;
  for (let i = 0; i < count && data <= chunk.length; i++) {
    const entry = HEAD_BYTES + i * ENTRY_BYTES;
    const end = data + chunk.readUInt32BE(entry + 8);
    if (end > chunk.length) return;
    found.set(chunk.readDoubleBE(entry), chunk.subarray(data, end));
    data = end;
  }
}
