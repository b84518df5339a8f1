/**
 * A JPEG of someone else with nothing but what draws its picture: tables, the frame's header, and scans. Metadata (where and
 * with what it was taken), thumbnails, comments, and everything after its end are left out. Nothing is decoded. ITU-T T.81
 * §B.
 */

import { APP0, DHT, DQT, EOI, LENGTH_BYTES, MARKER, MARKER_BYTES, SOF0, SOI, SOS } from './baseline-jpeg.ts';

export interface CleanJpeg {
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Progressive (§G). */
const SOF2 = 0xc2;
const DRI = 0xdd;
const RST0 = 0xd0;
const RST7 = 0xd7;
const KEPT = new Set([DQT, DHT, DRI, SOF0, SOF2, SOS]);
/** Left out: applications' data, and comments. */
const APP15 = 0xef;
const COM = 0xfe;
/** A progressive picture with thousands of scans keeps a browser busy. Encoders write ten. */
const MAX_SCANS = 64;
/** In the frame's header, after its length: bits per sample, height, width, components. */
const FRAME_HEAD_BYTES = 6;
const SAMPLE_BITS = 8;

/** `bytes` is borrowed. Null: it is not a whole JPEG of 8 bits with one or three components, baseline or progressive. */
export function cleanJpeg(bytes: Buffer): CleanJpeg | null {
  if (!bytes.subarray(0, SOI.length).equals(SOI)) return null;
  const kept: Buffer[] = [SOI];
  let size: Omit<CleanJpeg, 'bytes'> | null = null;
  let scans = 0;
  let at = SOI.length;
  while (at + MARKER_BYTES <= bytes.length) {
    if (bytes[at] !== MARKER) return null;
    const marker = bytes[at + 1]!;
    // Any number of FF may precede a marker (§B.1.1.2).
    if (marker === MARKER) {
      at += 1;
      continue;
    }
    if (marker === EOI[1]) {
      if (size === null || scans === 0) return null;
      return { bytes: Buffer.concat([...kept, EOI]), ...size };
    }
    const end = segmentEnd(bytes, at);
    if (end === null) return null;
    if (!KEPT.has(marker)) {
      if (!isMetadata(marker)) return null;
      at = end;
      continue;
    }
    if (marker === SOF0 || marker === SOF2) {
      const found = sizeOf(bytes.subarray(at + MARKER_BYTES + LENGTH_BYTES, end));
      if (found === null || size !== null) return null;
      size = found;
    }
    const next = marker === SOS ? scanEnd(bytes, end) : end;
    if (marker === SOS) scans += 1;
    if (next === null || scans > MAX_SCANS) return null;
    kept.push(bytes.subarray(at, next));
    at = next;
  }
  return null;
}

function isMetadata(marker: number): boolean {
  return (marker >= APP0 && marker <= APP15) || marker === COM;
}

/** Null: it reaches beyond the end. */
function segmentEnd(bytes: Buffer, at: number): number | null {
  const lengthAt = at + MARKER_BYTES;
  if (lengthAt + LENGTH_BYTES > bytes.length) return null;
  const length = bytes.readUInt16BE(lengthAt);
  const end = lengthAt + length;
  return length < LENGTH_BYTES || end > bytes.length ? null : end;
}

/** Where the next marker after coded blocks is; null: there is none. */
function scanEnd(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(MARKER, from); at >= 0; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return null;
    const isCoded = next === 0 || (next >= RST0 && next <= RST7);
    if (!isCoded) return at;
  }
  return null;
}

function sizeOf(head: Buffer): Omit<CleanJpeg, 'bytes'> | null {
  if (head.length < FRAME_HEAD_BYTES || head[0] !== SAMPLE_BITS) return null;
  const heightPx = head.readUInt16BE(1);
  const widthPx = head.readUInt16BE(3);
  const components = head[5]!;
  if (widthPx === 0 || heightPx === 0 || (components !== 1 && components !== 3)) return null;
  return { widthPx, heightPx };
}
