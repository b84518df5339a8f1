import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { EventLoopLateness } from './history-sources.ts';

function occupy(forMs: number): void {
  const fromMs = performance.now();
  while (performance.now() - fromMs < forMs) Math.sqrt(2);
}

describe('EventLoopLateness', () => {
  it('shows a turn that took long', async () => {
    const fromMs = performance.now();
    const lateness = new EventLoopLateness();
    onTestFinished(() => lateness.close());
    let polls = 0;
    const lateMs = await until('a late timer', () => {
      // Timers fire between one call and the next.
      polls += 1;
      if (polls % 2 === 1) occupy(200);
      const p99Ms = polls % 2 === 0 ? lateness.p99Ms() : null;
      return p99Ms !== null && p99Ms > 100 ? p99Ms : null;
    });
    // No timer is later than the time since the first one: the unit is right.
    expect(lateMs).toBeLessThan(2 * (performance.now() - fromMs));
  });
});
