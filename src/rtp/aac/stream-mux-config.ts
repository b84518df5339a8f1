/** StreamMuxConfig of LATM, in session descriptions and in the stream. ISO/IEC 14496-3 §1.7.3, table 1.42. */

import type { BitReader } from '../../bytes/bit-reader.ts';
import { copyBits } from '../../bytes/copy-bits.ts';
import {
  aacTrackOf,
  MAX_AUDIO_SPECIFIC_CONFIG_BYTES,
  parseAudioSpecificConfig,
} from '../../codec/aac/audio-specific-config.ts';
import type { AacTrack } from '../../codec/track.ts';

export interface StreamMux {
  readonly track: AacTrack;
  /** Per audioMuxElement. */
  readonly frames: number;
  /** After the frames of each element. */
  readonly otherDataBits: number;
}

const AAC_LC = 2;
const SBR = 5;
const PARAMETRIC_STEREO = 29;
const EXPLICIT_RATE_INDEX = 15;
const CORE_CODER_DELAY_BITS = 14;
/** No element has so much besides its frames. */
const MAX_OTHER_DATA_BITS = 64 * 1_024;

/**
 * Reads one from `reader`, which reads `bytes` from their beginning on. null: it is cut, has several streams or frames of
 * a fixed length, or a coder other than AAC-LC with or without SBR.
 */
export function readStreamMux(reader: BitReader, bytes: Uint8Array): StreamMux | null {
  const version = reader.bit();
  // audioMuxVersionA: reserved.
  if (version === 1 && reader.bit() === 1) return null;
  if (version === 1) latmValue(reader); // taraBufferFullness
  const isSameTiming = reader.flag();
  const frames = reader.bits(6) + 1;
  const isOneStream = reader.bits(4) === 0 && reader.bits(3) === 0;
  if (!isSameTiming || !isOneStream) return null;
  const config = version === 0 ? configWithoutLength(reader, bytes) : configWithLength(reader, bytes);
  const frameLengthType = reader.bits(3);
  reader.skip(8); // latmBufferFullness
  if (config === null || frameLengthType !== 0) return null;
  let otherDataBits = 0;
  if (reader.flag()) otherDataBits = version === 1 ? latmValue(reader) : escapedBits(reader);
  if (reader.flag()) reader.skip(8); // crcCheckSum
  const track = isLowComplexity(config) ? aacTrackOf(config) : null;
  if (track === null || reader.isOverrun || otherDataBits > MAX_OTHER_DATA_BITS) return null;
  return { track, frames, otherDataBits };
}

/** LatmGetValue. */
function latmValue(reader: BitReader): number {
  return reader.bits((reader.bits(2) + 1) * 8);
}

function escapedBits(reader: BitReader): number {
  let bits = 0;
  let hasMore = true;
  while (hasMore && bits <= MAX_OTHER_DATA_BITS && !reader.isOverrun) {
    hasMore = reader.flag();
    bits = bits * 256 + reader.bits(8);
  }
  return bits;
}

/** An AudioSpecificConfig that ends where its syntax does, so without an extension; null for others than can be measured. */
function configWithoutLength(reader: BitReader, bytes: Uint8Array): Uint8Array | null {
  const from = bytes.length * 8 - reader.bitsLeft;
  const objectType = reader.bits(5);
  skipRate(reader);
  const channels = reader.bits(4);
  if (objectType === SBR || objectType === PARAMETRIC_STEREO) {
    skipRate(reader);
    if (reader.bits(5) !== AAC_LC) return null;
  } else if (objectType !== AAC_LC) return null;
  // A program config element would follow.
  if (channels === 0) return null;
  reader.skip(1); // frameLengthFlag
  if (reader.flag()) reader.skip(CORE_CODER_DELAY_BITS);
  if (reader.flag()) return null; // extensionFlag
  return taken(reader, bytes, from, bytes.length * 8 - reader.bitsLeft - from);
}

function configWithLength(reader: BitReader, bytes: Uint8Array): Uint8Array | null {
  const bitCount = latmValue(reader);
  const from = bytes.length * 8 - reader.bitsLeft;
  if (bitCount > MAX_AUDIO_SPECIFIC_CONFIG_BYTES * 8) return null;
  reader.skip(bitCount);
  return taken(reader, bytes, from, bitCount);
}

function taken(reader: BitReader, bytes: Uint8Array, from: number, bitCount: number): Uint8Array | null {
  if (reader.isOverrun || bitCount === 0) return null;
  const config = new Uint8Array((bitCount + 7) >> 3);
  copyBits(bytes, from, bitCount, config);
  return config;
}

function skipRate(reader: BitReader): void {
  if (reader.bits(4) === EXPLICIT_RATE_INDEX) reader.skip(24);
}

function isLowComplexity(config: Uint8Array): boolean {
  const objectType = parseAudioSpecificConfig(config)?.objectType;
  return objectType === AAC_LC || objectType === SBR || objectType === PARAMETRIC_STEREO;
}
