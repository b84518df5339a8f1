/** Reads the sample entries that `audio-sample-entries.ts` writes, as other muxers write them too. */

import { flacTrackOf, STREAM_INFO_BYTES } from '../codec/flac/stream-info.ts';
import { opusTrackOf } from '../codec/opus/opus-track.ts';
import type { FlacTrack, OpusTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { type BoxCursor, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';

const DFLA = fourCc('dfLa');
const DOPS = fourCc('dOps');
/** ISO/IEC 14496-12 §12.2.3. */
const AUDIO_ENTRY_BYTES = 28;
const FULL_BOX_BYTES = 4;
const BLOCK_TYPE_MASK = 0x7f;
const STREAM_INFO_BLOCK = 0;
const MAX_CHANNELS = 2;

/** The first metadata block must be the STREAMINFO; the others say nothing about the samples. */
export function readFlacEntry(entry: BoxCursor): (timescaleHz: number) => FlacTrack {
  entry.skip(AUDIO_ENTRY_BYTES);
  const box = childOf(entry, DFLA, 'dfLa');
  box.skip(FULL_BOX_BYTES);
  const blockHeader = box.u32();
  const isStreamInfo = ((blockHeader >>> 24) & BLOCK_TYPE_MASK) === STREAM_INFO_BLOCK;
  if (!isStreamInfo || (blockHeader & 0xffffff) !== STREAM_INFO_BYTES) throw invalid('dfLa');
  const track = flacTrackOf(new Uint8Array(box.view(STREAM_INFO_BYTES)));
  if (track === null) throw invalid('dfLa');
  return (timescaleHz) => ({ ...track, timescaleHz });
}

/** null for several coded streams (surround sound), which we do not carry. */
export function readOpusEntry(entry: BoxCursor): ((timescaleHz: number) => OpusTrack) | null {
  entry.skip(AUDIO_ENTRY_BYTES);
  const box = childOf(entry, DOPS, 'dOps');
  const version = box.u8();
  const channelCount = box.u8();
  const preSkipSamples = box.u16();
  if (version !== 0 || channelCount === 0) throw invalid('dOps');
  if (channelCount > MAX_CHANNELS) return null;
  const track = opusTrackOf(channelCount, preSkipSamples);
  return (timescaleHz) => ({ ...track, timescaleHz });
}

function childOf(entry: BoxCursor, type: number, name: string): BoxCursor {
  const box = entry.children();
  while (box.next()) if (box.type === type) return box;
  throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: name });
}

function invalid(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box });
}
