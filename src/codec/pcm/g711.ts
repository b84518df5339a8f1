/** G.711 µ-law and A-law. ITU-T G.711 tables 1a to 2b; RFC 3551 §4.5.14. */

import type { PcmDecoder } from './pcm-decoder.ts';

/** Added before µ-law's segments are distinguished, so subtracted again. */
const MU_LAW_BIAS = 0x84;
/** A-law inverts every other bit. */
const A_LAW_TOGGLE = 0x55;
/** Scaled to 16 bits: a step of the lowest segment is 8, of the others twice the one before. */
const MU_LAW = Int16Array.from({ length: 256 }, (_, code) => muLawSample(code));
const A_LAW = Int16Array.from({ length: 256 }, (_, code) => aLawSample(code));
const SAMPLES = 65_536;
const MU_LAW_CODES = codesOf(MU_LAW);
const A_LAW_CODES = codesOf(A_LAW);

export type G711Law = 'mu-law' | 'a-law';

export function g711Decoder(law: G711Law): PcmDecoder {
  const table = law === 'mu-law' ? MU_LAW : A_LAW;
  return {
    samplesIn: (payloadBytes) => payloadBytes,
    decode(chunk, start, end, samples) {
      for (let at = start; at < end; at++) samples[at - start] = table[chunk[at]!]!;
      return end - start;
    },
  };
}

/** Codes of samples, one byte each: exactly those that the samples were decoded from. */
export function encodeG711(law: G711Law, samples: Int16Array): Uint8Array {
  const codes = law === 'mu-law' ? MU_LAW_CODES : A_LAW_CODES;
  return Uint8Array.from(samples, (sample) => codes[sample + SAMPLES / 2]!);
}

/** By sample: the code whose own sample is closest. Of two that mean the same, the larger one: µ-law's zero without a sign. */
function codesOf(table: Int16Array): Uint8Array {
  const ordered = Array.from(table, (sample, code) => ({ sample, code })).sort(
    (one, other) => one.sample - other.sample || one.code - other.code,
  );
  const codes = new Uint8Array(SAMPLES);
  let at = 0;
  for (let sample = -SAMPLES / 2; sample < SAMPLES / 2; sample++) {
    while (at + 1 < ordered.length && isCloser(ordered[at + 1]!.sample, ordered[at]!.sample, sample)) at++;
    codes[sample + SAMPLES / 2] = ordered[at]!.code;
  }
  return codes;
}

function isCloser(next: number, current: number, sample: number): boolean {
  return Math.abs(next - sample) <= Math.abs(current - sample);
}

/** Sign, three bits of segment, four of step; all inverted. */
function muLawSample(code: number): number {
  const bits = ~code;
  const magnitude = ((((bits & 0x0f) << 3) + MU_LAW_BIAS) << ((bits >> 4) & 7)) - MU_LAW_BIAS;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

/** The middle of a step; the first two segments have the same steps. */
function aLawSample(code: number): number {
  const bits = code ^ A_LAW_TOGGLE;
  const segment = (bits >> 4) & 7;
  const middle = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? middle : (middle + 0x100) << (segment - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}
