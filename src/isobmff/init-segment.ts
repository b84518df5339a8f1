/** The Media Initialization Section: `ftyp` and `moov`. ISO/IEC 14496-12 §8.8, ISO/IEC 23000-19 §7.3.1, RFC 8216 §3.3. */

import type { Track } from '../codec/track.ts';
import { BoxWriter } from './box-writer.ts';
import { ftyp } from './file-boxes.ts';
import { moov } from './movie-boxes.ts';

/** More than all fixed fields of one track and of the movie need. */
const FIXED_BYTES = 1_024;

/** A new buffer. The same tracks give the same bytes. Track IDs are positions in `tracks`, from 1. */
export function writeInitSegment(tracks: readonly Track[]): Buffer {
  let capacityBytes = FIXED_BYTES;
  for (const track of tracks) capacityBytes += FIXED_BYTES + configurationBytes(track);
  const writer = new BoxWriter(Buffer.allocUnsafe(capacityBytes));
  ftyp(writer, tracks.length);
  moov(writer, tracks);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

function configurationBytes(track: Track): number {
  if (track.kind === 'audio') return track.audioSpecificConfig.length;
  let bytes = 0;
  for (const nalu of track.sps) bytes += 2 + nalu.length;
  for (const nalu of track.pps) bytes += 2 + nalu.length;
  return bytes;
}
