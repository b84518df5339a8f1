/** How a session description says that AAC is packetized. RFC 3640 §4.1. */

import { MAX_AUDIO_SPECIFIC_CONFIG_BYTES } from '../../codec/aac/audio-specific-config.ts';

export interface AacPayloadFormat {
  /** Bits of the size, of the first index and of the following indices in an AU header. */
  readonly sizeBits: number;
  readonly indexBits: number;
  readonly indexDeltaBits: number;
  /**
   * The description does not mention indices, which §4.1 reads as none: the AU headers decide (AMS32, gortsplib issue
   * 118).
   */
  readonly mayLackIndex: boolean;
}

/** AAC-hbr (§3.3.6); AAC-lbr (§3.3.5) has 6, 2, 2. */
const HBR = { sizeBits: 13, indexBits: 3, indexDeltaBits: 3 };
const LBR = { sizeBits: 6, indexBits: 2, indexDeltaBits: 2 };
const MAX_FIELD_BITS = 16;

/**
 * Lengths as given; an absent or invalid length is that of the mode. AU headers with timestamps are not AAC-hbr: null.
 */
export function aacPayloadFormat(fmtp: ReadonlyMap<string, string>): AacPayloadFormat | null {
  const hasTimes = [
    'ctsdeltalength',
    'dtsdeltalength',
    'randomaccessindication',
    'streamstateindication',
  ].some((name) => (fmtp.get(name) ?? '0') !== '0');
  if (hasTimes || (fmtp.get('auxiliarydatasizelength') ?? '0') !== '0') return null;
  // An AVOIP encoder writes AAC_hbr (mediamtx issue 4183).
  const mode = fmtp.get('mode')?.toLowerCase().replaceAll('_', '-') === 'aac-lbr' ? LBR : HBR;
  const format = {
    sizeBits: fieldBits(fmtp.get('sizelength'), mode.sizeBits),
    indexBits: fieldBits(fmtp.get('indexlength'), mode.indexBits),
    indexDeltaBits: fieldBits(fmtp.get('indexdeltalength'), mode.indexDeltaBits),
    mayLackIndex: !fmtp.has('indexlength') && !fmtp.has('indexdeltalength'),
  };
  return format.sizeBits === 0 ? null : format;
}

/** `config=`: AudioSpecificConfig in hexadecimal; null if it is invalid. */
export function decodeAacConfig(fmtp: ReadonlyMap<string, string>): Uint8Array | null {
  const text = (fmtp.get('config') ?? '').replaceAll('"', '').trim();
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(text);
  if (!isHex || text.length > MAX_AUDIO_SPECIFIC_CONFIG_BYTES * 2) return null;
  return new Uint8Array(Buffer.from(text, 'hex'));
}

function fieldBits(text: string | undefined, otherwise: number): number {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return otherwise;
  return Math.min(Number(text), MAX_FIELD_BITS);
}
