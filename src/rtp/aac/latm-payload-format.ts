/**
 * MP4A-LATM in session descriptions: `config=` holds the multiplex configuration, followed by the coder's. RFC 6416
 * §6.1, §7.3; StreamMuxConfig: ISO/IEC 14496-3 §1.7.3.
 */

import { BitReader } from '../../bytes/bit-reader.ts';
import { aacTrackOf, MAX_AUDIO_SPECIFIC_CONFIG_BYTES } from '../../codec/aac/audio-specific-config.ts';
import type { AacTrack } from '../../codec/track.ts';

export interface LatmPayloadFormat {
  readonly track: AacTrack;
  /** Frames per audioMuxElement. */
  readonly frames: number;
}

/** audioMuxVersion, allStreamsSameTimeFraming, numSubFrames, numProgram, numLayer */
const MUX_HEADER_BITS = 15;
const FRAME_LENGTH_TYPE_BITS = 3;
/**
 * Bits of an AudioSpecificConfig whose rates have an index and whose channels have a number, by its first object type.
 */
const CONFIG_BITS: ReadonlyMap<number, number> = new Map([
  [2, 16],
  [5, 25],
  [29, 25],
]);
const MAX_INDEXED_RATE = 12;

/** null for configurations in band (`cpresent=1`, the default), several streams, and coders other than AAC-LC with or without SBR. */
export function latmPayloadFormat(fmtp: ReadonlyMap<string, string>): LatmPayloadFormat | null {
  const text = (fmtp.get('config') ?? '').replaceAll('"', '').trim();
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(text) && text.length <= MAX_AUDIO_SPECIFIC_CONFIG_BYTES * 2;
  if (fmtp.get('cpresent') !== '0' || !isHex) return null;
  const reader = new BitReader(Buffer.from(text, 'hex'));
  const [version, isSameTiming, subFrames] = [reader.bits(1), reader.bits(1), reader.bits(6)];
  const isOneStream = version === 0 && isSameTiming === 1 && reader.bits(4 + 3) === 0;
  if (!isOneStream) return null;
  const objectType = reader.bits(5);
  const configBits = CONFIG_BITS.get(objectType);
  const isIndexed = reader.bits(4) <= MAX_INDEXED_RATE && reader.bits(4) > 0;
  if (configBits === undefined || !isIndexed) return null;
  const bits = [...Buffer.from(text, 'hex')].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const configEnd = MUX_HEADER_BITS + configBits;
  // Frames include their length.
  if (bits.slice(configEnd, configEnd + FRAME_LENGTH_TYPE_BITS) !== '000') return null;
  const octets = bits.slice(MUX_HEADER_BITS, configEnd).match(/.{1,8}/g) ?? [];
  const track = aacTrackOf(Uint8Array.from(octets, (octet) => Number.parseInt(octet.padEnd(8, '0'), 2)));
  return track === null ? null : { track, frames: subFrames + 1 };
}
