/** `sprop-parameter-sets` of an SDP: Base64 NAL units separated by commas. RFC 6184 §8.1. */

/** Parameter sets of one value that are read; encoders write one SPS and one or two PPS. */
const MAX_PARAMETER_SETS = 32;
const MAX_ENCODED_CHARS = 2048;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** NAL units in order. What is no Base64 is left out; start codes that some cameras put in front are taken off. */
export function decodeSpropParameterSets(value: string): Uint8Array[] {
  const nalus: Uint8Array[] = [];
  for (const encoded of value.split(',', MAX_PARAMETER_SETS)) {
    const text = encoded.trim();
    if (text.length > MAX_ENCODED_CHARS || !BASE64.test(text)) continue;
    const nalu = withoutStartCode(new Uint8Array(Buffer.from(text, 'base64')));
    if (nalu.length > 0) nalus.push(nalu);
  }
  return nalus;
}

/** The value for these NAL units. */
export function encodeSpropParameterSets(nalus: readonly Uint8Array[]): string {
  return nalus.map((nalu) => Buffer.from(nalu).toString('base64')).join(',');
}

/** Annex B: zeros and a one. A NAL header is never 0. */
function withoutStartCode(bytes: Uint8Array): Uint8Array {
  let at = 0;
  while (at < bytes.length && bytes[at] === 0) at++;
  return at >= 2 && bytes[at] === 1 ? bytes.subarray(at + 1) : bytes;
}
