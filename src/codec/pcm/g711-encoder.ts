/** Linear 16-bit samples as G.711 codes. ITU-T G.711 tables 1a to 2b. */

import type { G711Law } from './g711.ts';

/** Makes the segments of µ-law distinguishable. */
const MU_LAW_BIAS = 0x84;
/** What the largest code of µ-law stands for, less the bias. */
const MU_LAW_CLIP = 0x7fff - MU_LAW_BIAS;
const A_LAW_TOGGLE = 0x55;
const SIGN = 0x80;

/** The code whose sample is closest. Hot. */
export function g711Code(law: G711Law, sample: number): number {
  return law === 'mu-law' ? muLawCode(sample) : aLawCode(sample);
}

/** Sign, three bits of segment, four of step; all inverted. */
function muLawCode(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), MU_LAW_CLIP) + MU_LAW_BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? SIGN : 0) | (segment << 4) | step) & 0xff;
}

/** Positive samples have the sign bit. The first two segments have the same steps. */
function aLawCode(sample: number): number {
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 0x7fff);
  const segment = magnitude < 0x100 ? 0 : 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : SIGN) | (segment << 4) | step) ^ A_LAW_TOGGLE;
}
