/** A file as Dahua recorders export it (.dav), with the video of another file: each frame has a header, and the same length behind it. */

import { clipTracks } from '../../src/cmaf/clip-segments.ts';
import { readClip } from '../../src/isobmff/clip-reader.ts';
import { lengthsToStartCodes } from '../../src/isobmff/lost-index.ts';
import { memorySource } from './clip-files.ts';

const KEY_FRAME = 0xfd;
const OTHER_FRAME = 0xfc;
const H264 = 4;
const FRAMES_PER_SEC = 25;
const HEADER_BYTES = 24;
const TRAILER_BYTES = 8;

/** `clip`: H.264 of at most 2040 by 2040, at 25 frames per second. */
export function dahuaFile(clip: Buffer): Buffer {
  const { video } = clipTracks(readClip(memorySource(clip)));
  const { track, samples } = video;
  const size = Buffer.from([0x80, 0, track.widthPx / 8, track.heightPx / 8]);
  const coding = Buffer.from([0x81, 0, H264, FRAMES_PER_SEC]);
  const extension = Buffer.concat([size, coding]);
  const pieces: Buffer[] = [];
  for (let index = 0; index < samples.count; index++) {
    const offset = samples.offsets[index]!;
    const data = Buffer.from(clip.subarray(offset, offset + samples.sizesBytes[index]!));
    lengthsToStartCodes(data);
    const header = Buffer.alloc(HEADER_BYTES);
    header.write('DHAV', 0, 'latin1');
    header[4] = samples.keys[index] === 1 ? KEY_FRAME : OTHER_FRAME;
    header.writeUInt32LE(index, 8);
    const frameBytes = HEADER_BYTES + extension.length + data.length + TRAILER_BYTES;
    header.writeUInt32LE(frameBytes, 12);
    header.writeUInt32LE(dateOf(Math.floor(index / FRAMES_PER_SEC)), 16);
    header.writeUInt16LE((index * 1_000) / FRAMES_PER_SEC, 20);
    header[22] = extension.length;
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.write('dhav', 0, 'latin1');
    trailer.writeUInt32LE(frameBytes, 4);
    pieces.push(header, extension, data, trailer);
  }
  return Buffer.concat(pieces);
}

/** 2026-01-01 00:00, and seconds after it. */
function dateOf(second: number): number {
  return ((2026 - 2000) << 26) | (1 << 22) | (1 << 17) | second;
}
