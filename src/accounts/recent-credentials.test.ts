import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { RecentCredentials } from './recent-credentials.ts';

describe('RecentCredentials', () => {
  it('takes room from the organization that has most', () => {
    const recent = new RecentCredentials<number>(10);
    const [quiet, greedy, late] = [newRuuid(), newRuuid(), newRuuid()];
    recent.put('quiet', quiet, 0);
    for (let key = 0; key < 100; key++) recent.put(`greedy ${key}`, greedy, key);
    expect(recent.has('quiet')).toBe(true);
    recent.put('late', late, 1);
    expect([recent.get('quiet'), recent.get('late')]).toEqual([0, 1]);
    expect([recent.has('greedy 91'), recent.has('greedy 92'), recent.get('greedy 99')]).toEqual([
      false,
      true,
      99,
    ]);
  });

  it('forgets what is deleted, and what is read again is its organization’s newest', () => {
    const recent = new RecentCredentials<number>(2);
    const org = newRuuid();
    recent.put('first', org, 1);
    recent.put('second', org, 2);
    recent.put('first', org, 3);
    recent.put('third', org, 4);
    expect([recent.get('first'), recent.get('second'), recent.get('third')]).toEqual([3, undefined, 4]);
    recent.deleteWhere((value) => value === 3);
    expect(recent.has('first')).toBe(false);
    recent.clear();
    expect(recent.has('third')).toBe(false);
  });
});
