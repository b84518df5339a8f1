/** Parameter sets of an SDP: Base64 NAL units separated by commas. RFC 6184 §8.1, RFC 7798 §7.1. */

import { START_CODE, splitAnnexB } from './byte-stream.ts';

/** Limit on the parameter sets read from one value; encoders write one SPS and one or two PPS. */
const MAX_PARAMETER_SETS = 32;
const MAX_ENCODED_CHARS = 2048;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * NAL units in order. Invalid Base64 is left out. Start codes (ISO/IEC 14496-10 Annex B) that cameras put before, after
 * (GW Security) or between NAL units are removed.
 */
export function decodeSpropParameterSets(value: string): Uint8Array[] {
  const nalus: Uint8Array[] = [];
  for (const encoded of value.split(',', MAX_PARAMETER_SETS)) {
    const text = encoded.trim();
    if (text.length > MAX_ENCODED_CHARS || !BASE64.test(text)) continue;
    const bytes = Buffer.from(text, 'base64');
    nalus.push(...splitAnnexB(Buffer.concat([START_CODE, bytes])));
  }
  return nalus.slice(0, MAX_PARAMETER_SETS);
}

/** The value for these NAL units. */
export function encodeSpropParameterSets(nalus: readonly Uint8Array[]): string {
  return nalus.map((nalu) => Buffer.from(nalu).toString('base64')).join(',');
}
