import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { RECENT_MS, RecentGrants } from './recent-grants.ts';

const A = { organization: 'a', link: 'link', address: '192.0.2.1' };

let clock: FakeClock;
let recent: RecentGrants<string>;
beforeEach(() => {
  clock = new FakeClock();
  recent = new RecentGrants(clock);
});

describe('recent grants', () => {
  it('are for a client that comes back within a minute of its last request', () => {
    recent.put('player', 'grant', A);
    clock.advance(RECENT_MS);
    expect([recent.find('player'), recent.find('other')]).toEqual(['grant', null]);
    clock.advance(RECENT_MS);
    expect(recent.find('player')).toBe('grant');
    clock.advance(RECENT_MS + 1);
    expect(recent.find('player')).toBeNull();
  });

  it('of one organization stay, however many addresses open the links of another one', () => {
    recent.put('player', 'grant', A);
    const { total } = LIMITS.recentGrants;
    for (let count = 0; count < total; count++) {
      recent.put(`b${count}`, 'other', { organization: 'b', link: `${count % 7}`, address: `${count}` });
    }
    expect(recent.find('player')).toBe('grant');
  });

  it('of one link stay when another link of its organization has too many', () => {
    recent.put('player', 'grant', A);
    for (let count = 0; count < LIMITS.recentGrants.total; count++) {
      recent.put(`b${count}`, 'other', { ...A, link: 'greedy', address: `${count}` });
    }
    expect(recent.find('player')).toBe('grant');
  });
});
