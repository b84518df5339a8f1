import { describe, expect, it } from 'vitest';
import { BELIEVED_AFTER_MS, CautiousClock, SMALL_STEP_MS } from './cautious-clock.ts';
import { FakeClock } from './fake-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function open() {
  const clock = new FakeClock(START_MS);
  return { clock, cautious: new CautiousClock(clock) };
}

describe('CautiousClock', () => {
  it.each([
    ['back an hour', -HOUR_MS],
    ['back a year', -365 * DAY_MS],
    ['ahead a little', SMALL_STEP_MS],
  ])('believes a clock at once that is set %s', (_name, stepMs) => {
    const { clock, cautious } = open();
    clock.stepWallClock(stepMs);
    expect(cautious.epochMs()).toBe(START_MS + stepMs);
    clock.advance(DAY_MS);
    expect(cautious.epochMs()).toBe(START_MS + stepMs + DAY_MS);
  });

  it('believes a clock that is set far ahead after a day', () => {
    const { clock, cautious } = open();
    clock.stepWallClock(40 * DAY_MS);
    expect(cautious.epochMs()).toBe(START_MS);
    clock.advance(BELIEVED_AFTER_MS - 1);
    expect(cautious.epochMs()).toBe(START_MS + BELIEVED_AFTER_MS - 1);
    clock.advance(1);
    expect(cautious.epochMs()).toBe(START_MS + 40 * DAY_MS + BELIEVED_AFTER_MS);
  });

  it('forgets a step that was undone', () => {
    const { clock, cautious } = open();
    for (let i = 0; i < 3; i++) {
      clock.stepWallClock(40 * DAY_MS);
      cautious.epochMs();
      clock.advance(BELIEVED_AFTER_MS / 2);
      clock.stepWallClock(-40 * DAY_MS);
      expect(cautious.epochMs()).toBe(START_MS + ((i + 1) * BELIEVED_AFTER_MS) / 2);
    }
  });

  it('is set right at once if it was wrong and the clock goes back', () => {
    const { clock, cautious } = open();
    clock.stepWallClock(40 * DAY_MS);
    cautious.epochMs();
    clock.advance(BELIEVED_AFTER_MS);
    cautious.epochMs();
    clock.stepWallClock(-40 * DAY_MS);
    expect(cautious.epochMs()).toBe(START_MS + BELIEVED_AFTER_MS);
  });
});
