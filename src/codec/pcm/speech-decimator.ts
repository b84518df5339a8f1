/** Samples of 48 kHz as samples of 8 kHz: what is above 3.4 kHz is left out, so that it does not come back as something else. */

/** Of the rates. */
const FACTOR = 6;
/** Eight samples of the output on both sides: a millisecond. */
const TAPS = 97;
/** Of the input's rate. */
const CUTOFF = 3_400 / 48_000;

const FILTER = lowPass();

export class SpeechDecimator {
  /** The newest samples, the oldest first. */
  readonly #history = new Float64Array(TAPS);
  #phase = 0;

  /** `samples` of 48 kHz; at least a sixth of them, rounded up, fit into `into`. Returns how many were written. */
  decimate(samples: Int16Array, into: Int16Array): number {
    let written = 0;
    for (const sample of samples) {
      this.#history.copyWithin(0, 1);
      this.#history[TAPS - 1] = sample;
      this.#phase = (this.#phase + 1) % FACTOR;
      if (this.#phase !== 0) continue;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap++) sum += this.#history[tap]! * FILTER[tap]!;
      into[written++] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    return written;
  }
}

/** A sinc in a Hamming window, with a sum of 1. */
function lowPass(): Float64Array {
  const taps = Float64Array.from({ length: TAPS }, (_, tap) => {
    const at = tap - (TAPS - 1) / 2;
    const sinc = at === 0 ? 2 * CUTOFF : Math.sin(2 * Math.PI * CUTOFF * at) / (Math.PI * at);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * tap) / (TAPS - 1)));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
