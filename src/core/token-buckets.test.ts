import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { FakeClock } from './fake-clock.ts';
import { TokenBuckets } from './token-buckets.ts';

function setup(burst: number, tokens: number, perMs: number, maxBuckets = 100) {
  const clock = new FakeClock();
  const buckets = new TokenBuckets({ clock, burst, refill: { tokens, perMs }, maxBuckets });
  const taken = (key = 'caller') => buckets.take(key).isTaken;
  return { clock, buckets, taken };
}

describe('TokenBuckets', () => {
  it('allows a burst, then refills to the millisecond', () => {
    const { clock, buckets, taken } = setup(3, 5, 60_000);
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, false]);
    expect(buckets.take('caller')).toMatchObject({ isTaken: false, tokens: 0, waitMs: 12_000 });
    clock.advance(11_999);
    expect(taken()).toBe(false);
    clock.advance(1);
    expect([taken(), taken()]).toEqual([true, false]);
  });

  it('loses no fraction when callers keep asking', () => {
    const { clock, taken } = setup(1, 1, 1_000);
    taken();
    let requested = 0;
    while (!taken()) {
      clock.advance(1);
      requested++;
    }
    expect(requested).toBe(1_000);
  });

  it('holds no more than the burst, however long no one asks', () => {
    const { clock, buckets } = setup(2, 100, 1_000);
    buckets.take('caller');
    clock.advance(3_600_000);
    expect(buckets.peek('caller')).toBe(2);
    expect(buckets.take('caller')).toMatchObject({ isTaken: true, tokens: 1, waitMs: 0 });
  });

  it('separates callers', () => {
    const { taken } = setup(1, 1, 1_000);
    expect([taken('a'), taken('b'), taken('a')]).toEqual([true, true, false]);
  });

  it('takes a token back once, and only if it was taken', () => {
    const { buckets } = setup(2, 1, 60_000);
    const [first, second] = [buckets.take('caller'), buckets.take('caller')];
    const refused = buckets.take('caller');
    refused.giveBack();
    expect(buckets.peek('caller')).toBe(0);
    first!.giveBack();
    first!.giveBack();
    expect(buckets.peek('caller')).toBe(1);
    second!.giveBack();
    expect(buckets.peek('caller')).toBe(2);
  });

  it('does not overfill when a token is returned late', () => {
    const { clock, buckets } = setup(1, 1, 1_000);
    const drawn = buckets.take('caller');
    clock.advance(60_000);
    buckets.take('caller');
    clock.advance(1_000);
    buckets.take('other');
    drawn.giveBack();
    expect(buckets.peek('caller')).toBe(1);
  });

  it('forgets the least recently used bucket; looking does not count as use', () => {
    const { buckets, taken } = setup(1, 1, 1e9, 3);
    for (const key of ['first', 'kept', 'looked at', 'kept']) taken(key);
    expect(buckets.peek('first')).toBe(0);
    taken('another');
    expect([buckets.size, buckets.peek('first'), buckets.peek('kept')]).toEqual([3, 1, 0]);
    buckets.peek('nobody');
    expect(buckets.size).toBe(3);
  });

  it('never allows more than the burst plus the refill, whenever callers ask', () => {
    const pauses = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        pauses,
        (burst, rate, waits) => {
          const { clock, taken } = setup(burst, rate, 60_000);
          let given = 0;
          let passedMs = 0;
          for (const waitMs of waits) {
            clock.advance(waitMs);
            passedMs += waitMs;
            if (taken()) given++;
            expect(given).toBeLessThanOrEqual(burst + (passedMs * rate) / 60_000 + 1e-6);
          }
        },
      ),
      randomRuns(300),
    );
  });
});
