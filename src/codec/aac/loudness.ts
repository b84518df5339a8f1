/**
 * How loud an AAC frame is, without decoding it: global_gain of its first channel, in steps of 1.5 dB. It is the step of the
 * quantizer in the lowest band, which encoders make larger for louder sound: 25 to 40 steps from a quiet room to a voice
 * (ffmpeg). It says little about pure tones. ISO/IEC 14496-3 §4.4.2.1, §4.6.2.
 */

const SINGLE_CHANNEL_ELEMENT = 0;
const CHANNEL_PAIR_ELEMENT = 1;
/** id_syn_ele and element_instance_tag. */
const ELEMENT_BITS = 7;
const GAIN_BITS = 8;
const EIGHT_SHORT_SEQUENCE = 2;
/** ics_reserved_bit, window_sequence, window_shape. */
const WINDOW_BITS = 4;

/** Loudness of a raw_data_block, borrowed; null if it begins with another element, or is too short. Hot: once per frame. */
export function aacLoudness(frame: Uint8Array): number | null {
  const element = bits(frame, 0, 3);
  let at = ELEMENT_BITS;
  if (element === CHANNEL_PAIR_ELEMENT) {
    const hasCommonWindow = bits(frame, at, 1) === 1;
    at += 1;
    if (hasCommonWindow) at = endOfCommonWindow(frame, at);
  } else if (element !== SINGLE_CHANNEL_ELEMENT) return null;
  return at + GAIN_BITS <= frame.length * 8 ? bits(frame, at, GAIN_BITS) : null;
}

/** End of ics_info and ms_used; AAC-LC has no prediction. */
function endOfCommonWindow(frame: Uint8Array, start: number): number {
  const isShort = bits(frame, start + 1, 2) === EIGHT_SHORT_SEQUENCE;
  let at = start + WINDOW_BITS;
  const maxSfb = bits(frame, at, isShort ? 4 : 6);
  let groups = 1;
  if (isShort) {
    for (let bit = 0; bit < 7; bit++) groups += 1 - bits(frame, at + 4 + bit, 1);
    at += 4 + 7;
  } else at += 6 + 1;
  const hasMask = bits(frame, at, 2) === 1;
  return at + 2 + (hasMask ? groups * maxSfb : 0);
}

/** Zeros after the end. */
function bits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++)
    value = (value << 1) | (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
  return value;
}
