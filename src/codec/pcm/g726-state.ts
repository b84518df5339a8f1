/**
 * The decoder of ITU-T G.726 for one stream of codes of 2 to 5 bits. Every step is the Recommendation's integer
 * arithmetic, and named after its block there (§4, sub-blocks of Annex A): decoders that differ in one bit drift apart.
 */

/** The values that each magnitude of a code stands for, for one code width. */
interface CodeTable {
  /** Logarithm of the quantized difference (tables 7 to 10), -2048 for none. */
  readonly logDifference: readonly number[];
  /** W(I), the multiplier of the scale factor (§4.2.4). */
  readonly scaleStep: readonly number[];
  /** F(I), how loud the code is (§4.2.5). */
  readonly loudness: readonly number[];
}

export type G726CodeBits = 2 | 3 | 4 | 5;

const NO_DIFFERENCE = -2_048;
const TABLES: Readonly<Record<G726CodeBits, CodeTable>> = {
  2: { logDifference: [116, 365], scaleStep: [-22, 439], loudness: [0, 7] },
  3: {
    logDifference: [NO_DIFFERENCE, 135, 273, 373],
    scaleStep: [-4, 30, 137, 582],
    loudness: [0, 1, 2, 7],
  },
  4: {
    logDifference: [NO_DIFFERENCE, 4, 135, 213, 273, 323, 373, 425],
    scaleStep: [-12, 18, 41, 64, 112, 198, 355, 1_122],
    loudness: [0, 0, 0, 1, 1, 1, 3, 7],
  },
  5: {
    logDifference: [NO_DIFFERENCE, -66, 28, 104, 169, 224, 274, 318, 358, 395, 429, 459, 488, 514, 539, 566],
    scaleStep: [14, 14, 24, 39, 40, 41, 58, 100, 141, 179, 219, 280, 358, 440, 529, 696],
    loudness: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6],
  },
};

const MIN_SCALE = 544;
const MAX_SCALE = 5_120;
const INITIAL_SLOW_SCALE = 34_816;
/** 1.0 of the speed control. */
const FULL_SPEED = 256;
const ZEROS = 6;
/** Zero as a number of 4 bits of exponent and 6 of mantissa, with a separate sign. */
const FLOAT_ZERO = 32;
const MAX_A2 = 12_288;
const A1_PLUS_A2 = 15_360;
/** Below it, the second pole hears a tone: modem signals need a faster adaptation. */
const TONE_A2 = -11_776;

export class G726State {
  readonly #bits: G726CodeBits;
  readonly #table: CodeTable;
  /** yl, yu: the scale factor, slow and fast. */
  #slowScale = INITIAL_SLOW_SCALE;
  #fastScale = MIN_SCALE;
  /** dms, dml, ap: how fast the scale factor follows. */
  #shortLoudness = 0;
  #longLoudness = 0;
  #speed = 0;
  /** td: a tone was heard. */
  #isTone = false;
  /** a1, a2 of the poles and b1 to b6 of the zeros, times 2^14. */
  #a1 = 0;
  #a2 = 0;
  readonly #b = new Int32Array(ZEROS);
  /** The last differences and reconstructed signals as floats without sign, and their signs (-1 or 0). */
  readonly #differences = new Int32Array(ZEROS).fill(FLOAT_ZERO);
  readonly #differenceSigns = new Int32Array(ZEROS);
  #signal1 = FLOAT_ZERO;
  #signal2 = FLOAT_ZERO;
  #signalSign1 = 0;
  #signalSign2 = 0;
  /** pk1, pk2: signs of the partially reconstructed signal. */
  #partSign1 = 0;
  #partSign2 = 0;

  constructor(bits: G726CodeBits) {
    this.#bits = bits;
    this.#table = TABLES[bits];
  }

  /** The next code as a linear sample of 16 bits. */
  decode(code: number): number {
    const sign = -(code >> (this.#bits - 1));
    // Negative codes count down from the largest.
    const magnitude = (sign === 0 ? code : ~code) & ((1 << (this.#bits - 1)) - 1);
    const zerosSum = this.#zerosEstimate();
    const zerosEstimate = zerosSum >> 1;
    const estimate =
      (zerosSum +
        product(this.#a1 >> 2, this.#signal1, this.#signalSign1) +
        product(this.#a2 >> 2, this.#signal2, this.#signalSign2)) >>
      1;
    const scale = this.#scale();
    const difference = antilog(this.#table.logDifference[magnitude]! + (scale >> 2));
    const signed = sign === 0 ? difference : -difference;
    const signal = ((estimate + signed) << 16) >> 16;
    this.#update(scale, magnitude, difference, sign, signal, signed + zerosEstimate);
    return Math.max(-32_768, Math.min(32_767, signal << 2));
  }

  /** ACCUM of the sixth-order part. */
  #zerosEstimate(): number {
    let sum = 0;
    for (let index = 0; index < ZEROS; index++)
      sum += product(this.#b[index]! >> 2, this.#differences[index]!, this.#differenceSigns[index]!);
    return sum;
  }

  /** LIMA, MIX: between the slow and the fast scale factor. */
  #scale(): number {
    if (this.#speed >= FULL_SPEED) return this.#fastScale;
    const slow = this.#slowScale >> 6;
    const weighted = (this.#fastScale - slow) * (this.#speed >> 2);
    // Toward zero.
    return slow + (weighted >= 0 ? weighted >> 6 : -(-weighted >> 6));
  }

  #update(
    scale: number,
    magnitude: number,
    difference: number,
    sign: number,
    signal: number,
    partSignal: number,
  ): void {
    const isTransition = this.#isTone && difference > this.#transitionThreshold();
    // FUNCTW, FILTD, LIMB, FILTE.
    const fast = scale + (((this.#table.scaleStep[magnitude]! << 5) - scale) >> 5);
    this.#fastScale = Math.max(MIN_SCALE, Math.min(MAX_SCALE, fast));
    this.#slowScale += this.#fastScale + (-this.#slowScale >> 6);
    const partSign = partSignal < 0 ? 1 : 0;
    if (isTransition) this.#forgetPredictor();
    else {
      this.#movePoles(partSign, partSignal === 0);
      this.#moveZeros(difference, sign);
    }
    this.#remember(difference, sign, signal);
    this.#partSign2 = this.#partSign1;
    this.#partSign1 = partSign;
    this.#isTone = !isTransition && this.#a2 < TONE_A2;
    this.#moveSpeed(scale, magnitude, isTransition);
  }

  /** TRANS: a difference beyond it, after a tone, begins another signal. */
  #transitionThreshold(): number {
    const exponent = this.#slowScale >> 15;
    const mantissa = (this.#slowScale >> 10) & 31;
    const threshold = exponent > 9 ? 31 << 10 : (32 + mantissa) << exponent;
    return (threshold + (threshold >> 1)) >> 1;
  }

  /** TRIGB */
  #forgetPredictor(): void {
    this.#a1 = 0;
    this.#a2 = 0;
    this.#b.fill(0);
  }

  /** UPA2, LIMC, UPA1, LIMD. */
  #movePoles(partSign: number, isZero: boolean): void {
    const differs1 = partSign !== this.#partSign1;
    const differs2 = partSign !== this.#partSign2;
    let a2 = this.#a2 - (this.#a2 >> 7);
    if (!isZero) {
      const f = differs1 ? this.#a1 : -this.#a1;
      a2 += f < -8_191 ? -256 : f > 8_191 ? 255 : f >> 5;
      a2 += differs2 ? -128 : 128;
    }
    a2 = Math.max(-MAX_A2, Math.min(MAX_A2, a2));
    let a1 = this.#a1 - (this.#a1 >> 8);
    if (!isZero) a1 += differs1 ? -192 : 192;
    const limit = A1_PLUS_A2 - a2;
    this.#a1 = Math.max(-limit, Math.min(limit, a1));
    this.#a2 = a2;
  }

  /** UPB: slower for codes of 5 bits. */
  #moveZeros(difference: number, sign: number): void {
    const leak = this.#bits === 5 ? 9 : 8;
    const b = this.#b;
    for (let index = 0; index < ZEROS; index++) {
      b[index] = b[index]! - (b[index]! >> leak);
      if (difference !== 0) b[index] = b[index]! + (sign === this.#differenceSigns[index]! ? 128 : -128);
    }
  }

  /** FLOATA, FLOATB and their delays. */
  #remember(difference: number, sign: number, signal: number): void {
    this.#differences.copyWithin(1, 0, ZEROS - 1);
    this.#differenceSigns.copyWithin(1, 0, ZEROS - 1);
    this.#differences[0] = float(difference);
    this.#differenceSigns[0] = sign;
    this.#signal2 = this.#signal1;
    this.#signalSign2 = this.#signalSign1;
    this.#signal1 = float(Math.abs(signal) & 0x7fff);
    this.#signalSign1 = signal < 0 ? -1 : 0;
  }

  /** FILTA, FILTB, SUBTC, FILTC, TRIGA. */
  #moveSpeed(scale: number, magnitude: number, isTransition: boolean): void {
    const loudness = this.#table.loudness[magnitude]! << 9;
    this.#shortLoudness += (loudness - this.#shortLoudness) >> 5;
    this.#longLoudness += ((loudness << 2) - this.#longLoudness) >> 7;
    if (isTransition) {
      this.#speed = FULL_SPEED;
      return;
    }
    const change = Math.abs((this.#shortLoudness << 2) - this.#longLoudness);
    const isFast = scale < 1_536 || this.#isTone || change >= this.#longLoudness >> 3;
    this.#speed += ((isFast ? 2 * FULL_SPEED : 0) - this.#speed) >> 4;
  }
}

/** ANTILOG: the difference without its sign. */
function antilog(logarithm: number): number {
  if (logarithm < 0) return 0;
  return ((128 + (logarithm & 127)) << 7) >> (14 - ((logarithm >> 7) & 15));
}

/** FLOATA: `magnitude` of 15 bits as exponent and mantissa. */
function float(magnitude: number): number {
  if (magnitude === 0) return FLOAT_ZERO;
  const exponent = 32 - Math.clz32(magnitude);
  return (exponent << 6) | ((magnitude << 6) >> exponent);
}

/** FMULT: a coefficient of 14 bits times a float with its sign. */
function product(coefficient: number, operand: number, operandSign: number): number {
  const magnitude = Math.abs(coefficient) & 0x1fff;
  const exponent = 32 - Math.clz32(magnitude);
  const mantissa = magnitude === 0 ? 32 : (magnitude << 6) >> exponent;
  const shift = exponent + (operand >> 6) - 19;
  const scaled = (mantissa * (operand & 63) + 48) >> 4;
  const result = shift >= 0 ? (scaled << shift) & 0x7fff : scaled >> -shift;
  return coefficient < 0 !== operandSign < 0 ? -result : result;
}
