import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetClock, gatewayNowMs, noteDate, onClockSet, sentNow } from './gateway-clock.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);

describe('the gateway’s clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
    forgetClock();
  });
  afterEach(() => vi.useRealTimers());

  /** A response of a gateway that is `aheadMs` ahead, 40 ms after the request, `afterMs` after the last one. */
  function respond(aheadMs: number, afterMs = 0): void {
    vi.setSystemTime(Date.now() + afterMs);
    const sentMs = sentNow();
    const date = new Date(Date.now() + 20 + aheadMs).toUTCString();
    vi.setSystemTime(Date.now() + 40);
    noteDate(date, sentMs);
  }

  /** By the faked clock, which only the test moves. */
  const isAhead = (aheadMs: number, withinMs: number) =>
    Math.abs(gatewayNowMs() - Date.now() - aheadMs) <= withinMs;

  it('is the browser’s while both may agree', () => {
    for (let turn = 0; turn < 50; turn++) respond(0, 377);
    expect(gatewayNowMs()).toBe(Date.now());
  });

  it.each([-3_600_000, -90_000, 6_000, 360_000])('is read from responses: %d ms ahead', (aheadMs) => {
    respond(aheadMs);
    expect(isAhead(aheadMs, 1_000)).toBe(true);
    for (let turn = 0; turn < 50; turn++) respond(aheadMs, 377);
    expect(isAhead(aheadMs, 50)).toBe(true);
  });

  it('follows a clock that is set', () => {
    for (let turn = 0; turn < 20; turn++) respond(0, 377);
    respond(60_000, 377);
    expect(isAhead(60_000, 1_000)).toBe(true);
  });

  it('reports that another time turned out to be right, before the page shows a wrong one', () => {
    const heard: number[] = [];
    onClockSet(() => heard.push(gatewayNowMs() - Date.now()));
    respond(0);
    expect(heard).toEqual([]);
    respond(3_600_000);
    expect(heard).toHaveLength(1);
    expect(Math.abs(heard[0]! - 3_600_000)).toBeLessThanOrEqual(1_000);
  });

  it('ignores a response without a date', () => {
    respond(60_000);
    const before = gatewayNowMs();
    noteDate(null, sentNow());
    noteDate('soon', sentNow());
    expect(gatewayNowMs()).toBe(before);
  });
});
