import { describe, expect, it } from 'vitest';
import { SpeechDecimator } from './speech-decimator.ts';

const RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;

/** Loudness (of a sine with an amplitude of 1) of a tone behind the filter, in frames of 20 ms. */
function gainAt(hz: number): number {
  const decimator = new SpeechDecimator();
  const out = new Int16Array(FRAME_SAMPLES);
  const heard: number[] = [];
  for (let at = 0; at < RATE_HZ; at += FRAME_SAMPLES) {
    const frame = Int16Array.from(
      { length: FRAME_SAMPLES },
      (_, index) => 10_000 * Math.sin((2 * Math.PI * hz * (at + index)) / RATE_HZ),
    );
    const count = decimator.decimate(frame, out);
    expect(count).toBe(FRAME_SAMPLES / 6);
    heard.push(...out.subarray(0, count));
  }
  const rest = heard.slice(100);
  const meanSquare = rest.reduce((sum, sample) => sum + sample * sample, 0) / rest.length;
  return Math.sqrt(2 * meanSquare) / 10_000;
}

describe('SpeechDecimator', () => {
  it.each([200, 500, 1_000, 2_000, 2_700])('keeps %i Hz', (hz) => {
    expect(gainAt(hz)).toBeCloseTo(1, 1);
  });

  it.each([5_000, 7_000, 12_000, 20_000])('leaves out %i Hz', (hz) => {
    expect(gainAt(hz)).toBeLessThan(0.02);
  });

  it('keeps silence, and the loudest samples', () => {
    const out = new Int16Array(200);
    new SpeechDecimator().decimate(new Int16Array(960), out);
    expect(new Set(out)).toEqual(new Set([0]));
    const count = new SpeechDecimator().decimate(new Int16Array(960).fill(32_767), out);
    expect(out[count - 1]).toBe(32_767);
  });
});
