import { describe, expect, it } from 'vitest';
import { liveCores } from './worker-cores.ts';

describe('liveCores', () => {
  const encode = { video: 'encode', audio: 'off' } as const;

  it.each([
    [640, 360, 25, 0.04],
    [1_920, 1_080, 25, 0.27],
    [3_840, 2_160, 25, 0.65],
  ])(
    'is near what was measured for %i × %i at %i frames per second',
    (width, height, framesPerSec, cores) => {
      const estimate = liveCores(encode, { framePx: width * height, framesPerSec });
      expect(Math.abs(estimate - cores)).toBeLessThan(0.05);
    },
  );

  it('takes an unknown camera for a usual one, and an absurd rate for a mistake', () => {
    expect(liveCores(encode, null)).toBe(liveCores(encode, { framePx: 1_920 * 1_080, framesPerSec: 25 }));
    const size = { framePx: 1_920 * 1_080 };
    expect(liveCores(encode, { ...size, framesPerSec: 90_000 })).toBe(
      liveCores(encode, { ...size, framesPerSec: 120 }),
    );
  });

  it('counts audio, and hardly counts a copy', () => {
    const copy = liveCores({ video: 'copy', audio: 'copy' }, null);
    expect(copy).toBeLessThan(0.05);
    expect(liveCores({ video: 'copy', audio: 'encode' }, null)).toBeGreaterThan(copy);
  });
});
