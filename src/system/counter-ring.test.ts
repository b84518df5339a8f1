import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { CounterRing, RING_SAMPLES, ringBytes } from './counter-ring.ts';

const values = (ring: CounterRing<'a' | 'b'>, from: number, to: number) => {
  const { a, b } = ring.columns(from, to);
  return [Array.from(a), Array.from(b)];
};

describe('CounterRing', () => {
  it('gives back what was put, and gaps as unknown', () => {
    const ring = new CounterRing(['a', 'b']);
    ring.put(1, { a: 1, b: null });
    ring.put(4, { a: 4, b: 40 });
    const unknown = Number.NaN;
    expect(values(ring, 0, 5)).toEqual([
      [unknown, 1, unknown, unknown, 4, unknown],
      [unknown, unknown, unknown, unknown, 40, unknown],
    ]);
    expect(ring.lastTick).toBe(4);
  });

  it('ignores a tick that is not newer', () => {
    const ring = new CounterRing(['a', 'b']);
    ring.put(4, { a: 4, b: 40 });
    ring.put(4, { a: 5, b: 50 });
    ring.put(3, { a: 3, b: 30 });
    expect(values(ring, 3, 4)).toEqual([
      [Number.NaN, 4],
      [Number.NaN, 40],
    ]);
  });

  it('does not show what it wrote an hour before in a gap', () => {
    const ring = new CounterRing(['a', 'b']);
    for (let tick = 0; tick < RING_SAMPLES; tick++) ring.put(tick, { a: tick, b: tick });
    ring.put(3 * RING_SAMPLES, { a: 7, b: 8 });
    const last = 3 * RING_SAMPLES;
    const known = values(ring, last - RING_SAMPLES + 1, last)[0]!.filter((value) => !Number.isNaN(value));
    expect(known).toEqual([7]);
  });

  it('takes four bytes for a value, whatever was put', () => {
    expect(ringBytes(6)).toBe(6 * RING_SAMPLES * 4);
  });

  it('is the last hour of any sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 40 }), (steps) => {
        const ring = new CounterRing(['a']);
        const put = new Map<number, number>();
        let tick = 0;
        for (const step of steps) {
          tick += step;
          ring.put(tick, { a: step });
          put.set(tick, step);
        }
        const from = Math.max(0, tick - RING_SAMPLES + 1);
        const { a } = ring.columns(from, tick);
        for (let at = from; at <= tick; at++) expect(a[at - from]).toBe(put.get(at) ?? Number.NaN);
      }),
      randomRuns(200),
    );
  });
});
