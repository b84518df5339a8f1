/** What a client sends that talks to a camera (docs/guide/real-time-view.md#talk): a control message once, then frames of 20 ms. */

export const TALK_RATE_HZ = 48_000;
export const FRAME_SAMPLES = 960;
const FULL_SCALE = 32_767;
const PLAY_AT_ONCE = Array<number>(8).fill(0xff);

/** `ctrl`, the length 8 (32 bits, big-endian), and eight bytes 0xff. */
export const TALK_CONTROL = Uint8Array.from([
  ...new TextEncoder().encode('ctrl'),
  0,
  0,
  0,
  8,
  ...PLAY_AT_ONCE,
]);

/** Makes frames of 1,920 bytes, little-endian, of a microphone's samples at any rate. */
export class TalkFrames {
  /** Samples of the microphone for each one that is sent. */
  readonly #step: number;
  /** Where the next sample lies, from the newest one of the block before: between -1 and 0, or later. */
  #at = 0;
  #last = 0;
  #frame = new DataView(new ArrayBuffer(2 * FRAME_SAMPLES));
  #filled = 0;

  constructor(rateHz: number) {
    this.#step = rateHz / TALK_RATE_HZ;
  }

  /** The frames that `samples` (-1 to 1) complete. Straight lines between samples: the speaker has 8 kHz. */
  push(samples: Float32Array): ArrayBuffer[] {
    const whole: ArrayBuffer[] = [];
    const last = samples.length - 1;
    for (; this.#at <= last; this.#at += this.#step) {
      const before = Math.floor(this.#at);
      const from = before < 0 ? this.#last : samples[before]!;
      const to = samples[Math.min(before + 1, last)]!;
      const done = this.#put(from + (to - from) * (this.#at - before));
      if (done !== null) whole.push(done);
    }
    this.#at -= samples.length;
    if (last >= 0) this.#last = samples[last]!;
    return whole;
  }

  #put(sample: number): ArrayBuffer | null {
    const clipped = Math.max(-1, Math.min(1, sample));
    this.#frame.setInt16(2 * this.#filled, Math.round(clipped * FULL_SCALE), true);
    this.#filled++;
    if (this.#filled < FRAME_SAMPLES) return null;
    const { buffer } = this.#frame;
    this.#frame = new DataView(new ArrayBuffer(2 * FRAME_SAMPLES));
    this.#filled = 0;
    return buffer;
  }
}

/** Quieter than this is an empty meter. */
const FLOOR_DB = -50;

/** How loud samples are for the ear: 0 (silent) to 1 (full scale). */
export function loudness(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const db = 10 * Math.log10(sum / samples.length);
  return Number.isNaN(db) ? 0 : Math.max(0, Math.min(1, 1 - db / FLOOR_DB));
}
