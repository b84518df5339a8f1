import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { parseClockRange, writeClockRange } from './clock-range.ts';

const JANUARY_MS = Date.UTC(2026, 0, 1);

it.each([
  ['clock=20260101T000000Z-', { fromMs: JANUARY_MS, toMs: null }],
  ['clock=20260101T000000.250Z-20260101T000001Z', { fromMs: JANUARY_MS + 250, toMs: JANUARY_MS + 1_000 }],
  [' Clock = 20260101T000000Z - ;time=x', { fromMs: JANUARY_MS, toMs: null }],
  ['npt=now-', null],
  ['clock=20261301T000000Z-', null],
  ['clock=20260101T250000Z-', null],
  ['clock=20260101T000000Z', null],
  ['clock=20260101T000001Z-20260101T000000Z', null],
  ['clock=20260101T000000Z-yesterday', null],
])('%s', (header, range) => {
  expect(parseClockRange(header)).toEqual(range);
});

it('reads what it writes', () => {
  const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
  const property = fc.property(time, fc.option(fc.integer({ min: 1, max: 1e9 })), (fromMs, durationMs) => {
    const range = { fromMs, toMs: durationMs === null ? null : fromMs + durationMs };
    expect(parseClockRange(writeClockRange(range))).toEqual(range);
  });
  fc.assert(property, randomRuns(300));
});

it('never throws, and names finite times', () => {
  const text = fc.string({ unit: fc.constantFrom(...'clock=0123456789TZ.-; '), maxLength: 60 });
  const property = fc.property(text, (header) => {
    const range = parseClockRange(`clock=${header}`);
    if (range !== null) expect(Number.isFinite(range.fromMs)).toBe(true);
  });
  fc.assert(property, randomRuns(1_000));
});
