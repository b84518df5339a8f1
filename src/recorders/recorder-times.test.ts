import { describe, expect, it } from 'vitest';
import {
  basicTime,
  clockTime,
  isoTime,
  shownTimeMs,
  spacedTime,
  underscoreTime,
  zoneMs,
} from './recorder-times.ts';

const NOON_MS = Date.UTC(2024, 0, 31, 12, 0, 0);

describe('times as recorders write them', () => {
  it('are written in each form', () => {
    expect(basicTime(NOON_MS)).toBe('20240131T120000Z');
    expect(clockTime(NOON_MS + 250)).toBe('20240131T120000.250Z');
    expect(isoTime(NOON_MS)).toBe('2024-01-31T12:00:00Z');
    expect(underscoreTime(NOON_MS)).toBe('2024_01_31_12_00_00');
    expect(spacedTime(NOON_MS)).toBe('2024-01-31 12:00:00');
  });

  it.each([
    ['2024-01-31T12:00:00Z', NOON_MS],
    ['20240131T120000Z', NOON_MS],
    ['20240131t120000.5z', NOON_MS + 500],
    ['2024-01-31 12:00:00', NOON_MS],
    ['2024-1-31 12:00:00 (Dahua, one digit)', NOON_MS],
    ['2024-01-31T12:00:00+08:00 (the shown time, not the instant)', NOON_MS],
    ['result = 2024-01-31 12:00:00\r\n', NOON_MS],
    ['yesterday', null],
    ['', null],
  ])('%s is read', (text, expected) => {
    expect(shownTimeMs(text)).toBe(expected);
  });

  it.each([
    ['2024-01-31T12:00:00+08:00', 8 * 3_600_000],
    ['2024-01-31T12:00:00-03:30', -3.5 * 3_600_000],
    ['2024-01-31T12:00:00Z', null],
  ])('the zone of %s', (text, expected) => {
    expect(zoneMs(text)).toBe(expected);
  });
});
