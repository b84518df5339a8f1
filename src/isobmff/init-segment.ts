/** The Media Initialization Section: `ftyp` and `moov`. ISO/IEC 14496-12 §8.8, ISO/IEC 23000-19 §7.3.1, RFC 8216 §3.3. */

import type { CodedTrack } from '../codec/track.ts';
import { BoxWriter } from './box-writer.ts';
import { ftyp } from './file-boxes.ts';
import { moov } from './movie-boxes.ts';

/** More than all fixed fields of one track and of the movie need. */
const FIXED_BYTES = 1_024;

/** A new buffer. The same tracks give the same bytes. CodedTrack IDs are positions in `tracks`, from 1. */
export function writeInitSegment(tracks: readonly CodedTrack[]): Buffer {
  let capacityBytes = FIXED_BYTES;
  for (const track of tracks) capacityBytes += FIXED_BYTES + configurationBytes(track);
  const writer = new BoxWriter(Buffer.allocUnsafe(capacityBytes));
  ftyp(writer, tracks.length);
  moov(writer, tracks);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

function configurationBytes(track: CodedTrack): number {
  if (track.kind === 'audio') return track.codec === 'aac' ? track.audioSpecificConfig.length : 0;
  if (track.codec === 'jpeg') return 0;
  let bytes = 0;
  if (track.codec === 'h265') for (const nalu of track.vps) bytes += 2 + nalu.length;
  for (const nalu of track.sps) bytes += 2 + nalu.length;
  for (const nalu of track.pps) bytes += 2 + nalu.length;
  return bytes;
}
