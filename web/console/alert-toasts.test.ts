import { describe, expect, it } from 'vitest';
import {
  type AlertNotice,
  AlertStorm,
  isWithin,
  NO_TOASTS,
  type Toasts,
  uuidsOf,
  withNotices,
  withoutAlerts,
} from './alert-toasts.ts';

const notice = (uuid: string) => ({ alert: { uuid } }) as AlertNotice;
/** As the gateway answers: all UUIDs, and the newest three. */
const add = (toasts: Toasts, ...uuids: string[]) => withNotices(toasts, uuids, uuids.slice(0, 3).map(notice));

describe('notices of alerts', () => {
  it('are shown one by one up to three, the newest first', () => {
    const toasts = add(add(NO_TOASTS, 'a'), 'c', 'b');
    expect(toasts.kind).toBe('few');
    expect(uuidsOf(toasts)).toEqual(['c', 'b', 'a']);
  });

  it('become one with a count, and stay one until it is empty', () => {
    const many = add(add(NO_TOASTS, 'a', 'b'), 'd', 'c');
    expect(many).toMatchObject({ kind: 'many', newest: notice('d'), uuids: ['d', 'c', 'a', 'b'] });
    const fewer = withoutAlerts(many, new Set(['a', 'b', 'c']));
    expect(add(fewer, 'e')).toMatchObject({ kind: 'many', uuids: ['e', 'd'], newest: notice('e') });
    expect(withoutAlerts(fewer, new Set(['d']))).toEqual(NO_TOASTS);
  });

  it('are counted up to a bound', () => {
    let toasts = NO_TOASTS;
    for (let batch = 0; batch < 6; batch++) {
      toasts = add(toasts, ...Array.from({ length: 500 }, (_, index) => `${batch}.${index}`));
    }
    expect(uuidsOf(toasts)).toHaveLength(2_000);
  });

  it('are not shown twice', () => {
    const toasts = add(NO_TOASTS, 'a');
    expect(add(toasts, 'a')).toBe(toasts);
    expect(withoutAlerts(toasts, new Set(['x']))).toBe(toasts);
  });
});

describe('a storm', () => {
  it('of 1,000 alerts in a minute makes one sound', () => {
    const storm = new AlertStorm();
    let lastMs = Number.NaN;
    let sounds = 0;
    for (let atMs = 0; atMs < 60_000; atMs += 60) {
      if (!storm.note(1, atMs) && !isWithin(lastMs, atMs, 10_000)) {
        sounds += 1;
        lastMs = atMs;
      }
    }
    expect(sounds).toBe(1);
    // The next one, after some quiet.
    expect(storm.note(1, 180_000)).toBe(false);
  });

  it('does not silence alerts that come now and then, or after the clock was set back', () => {
    const storm = new AlertStorm();
    for (let atMs = 0; atMs < 300_000; atMs += 20_000) expect(storm.note(1, atMs)).toBe(false);
    expect(storm.note(50, 300_000)).toBe(false);
    expect(storm.note(1, 301_000)).toBe(true);
    expect(storm.note(1, 1_000)).toBe(false);
    const within = [Number.NaN, 9_000, 5, -9_995].map((atMs) => isWithin(atMs, 5, 10_000));
    expect(within).toEqual([false, false, true, false]);
  });
});
