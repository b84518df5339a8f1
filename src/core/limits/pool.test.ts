import { describe, expect, it } from 'vitest';
import { Pool } from './pool.ts';
import type { PoolLimit } from './shared-limit.ts';

const SLOTS = {
  kind: 'pool',
  what: 'slots of a test',
  unit: 'slots',
  per: 'process',
  total: 100,
  reserve: 10,
  atLimit: '',
  levels: { organization: { share: 1 / 2 }, link: { share: 1 / 2 }, viewer: { max: 4 } },
} as const satisfies PoolLimit;

let viewers = 0;

function holders(organization: string, link: string, viewer = `viewer ${viewers++}`) {
  return { organization, link, viewer };
}

/** Takes one by one until nothing more is taken; returns how many. */
function takeAll(pool: Pool<typeof SLOTS>, next: () => ReturnType<typeof holders>): number {
  for (let taken = 0; ; taken++) if (!pool.take(next()).isTaken) return taken;
}

describe('a shared pool', () => {
  it('leaves half of what there is to others, whatever one organization takes', () => {
    const pool = new Pool(SLOTS);
    let link = 0;
    // 90 without the reserve.
    expect(takeAll(pool, () => holders('greedy', `link ${link++}`))).toBe(45);
    expect(takeAll(pool, () => holders('also greedy', `link ${link++}`))).toBe(22);
    expect(pool.take(holders('modest', 'its link'))).toMatchObject({ isTaken: true });
    expect(takeAll(pool, () => holders('modest', `its link ${link++}`))).toBeGreaterThan(5);
  });

  it('leaves half of what its organization may have to other links', () => {
    const pool = new Pool(SLOTS);
    expect(takeAll(pool, () => holders('one', 'greedy link'))).toBe(22);
    expect(takeAll(pool, () => holders('one', 'other link'))).toBe(11);
    expect(takeAll(pool, () => holders('two', 'a link'))).toBeGreaterThan(10);
  });

  it('names the level whose bound was reached', () => {
    const pool = new Pool(SLOTS);
    for (let i = 0; i < 4; i++) pool.take(holders('one', 'link', 'viewer'));
    expect(pool.take(holders('one', 'link', 'viewer'))).toEqual({ isTaken: false, level: 'viewer' });
    takeAll(pool, () => holders('one', 'link'));
    expect(pool.take(holders('one', 'link'))).toEqual({ isTaken: false, level: 'link' });
    expect(pool.take(holders('two', 'link of two'), 91)).toEqual({ isTaken: false, level: 'all' });
    expect(pool.refused).toBe(4);
  });

  it('keeps its reserve for administrators and for what ends access', () => {
    const pool = new Pool(SLOTS);
    let organization = 0;
    expect(takeAll(pool, () => holders(`organization ${organization++}`, `link ${organization}`))).toBe(90);
    expect(pool.take(holders('one', 'link'))).toMatchObject({ isTaken: false, level: 'all' });
    expect(pool.take(holders('one', 'link'), 1, { isReserved: true })).toMatchObject({ isTaken: true });
  });

  it('gives a holder without anything its first, however large', () => {
    const pool = new Pool(SLOTS);
    expect(pool.take(holders('one', 'link'), 80)).toMatchObject({ isTaken: true });
    expect(pool.take(holders('one', 'link'), 1)).toMatchObject({ isTaken: false });
  });

  it('gets back what was taken, once', () => {
    const pool = new Pool(SLOTS);
    const taken = pool.take(holders('one', 'link'), 40);
    if (!taken.isTaken) throw new Error('nothing taken');
    expect(pool.used).toBe(40);
    taken.giveBack();
    taken.giveBack();
    expect(pool.used).toBe(0);
    expect(takeAll(pool, () => holders('one', 'link'))).toBe(22);
  });

  it('says how much more its holders can have', () => {
    const pool = new Pool(SLOTS);
    const one = holders('one', 'link', 'viewer');
    expect(pool.left(one)).toBe(4);
    expect(pool.left(holders('one', 'link', 'other viewer'))).toBe(4);
    takeAll(pool, () => one);
    expect(pool.left(one)).toBe(0);
    let organization = 0;
    takeAll(pool, () => holders(`organization ${organization++}`, `link ${organization}`));
    expect(pool.left(holders('two', 'another link'))).toBe(0);
  });

  it('can grow and shrink', () => {
    const pool = new Pool({
      kind: 'pool',
      what: 'room',
      unit: 'bytes',
      per: 'process',
      atLimit: '',
      total: Number.POSITIVE_INFINITY,
      levels: { organization: { share: 1 / 2 } },
    } as const);
    expect(pool.left({ organization: 'one' })).toBe(Number.POSITIVE_INFINITY);
    pool.take({ organization: 'one' }, 60);
    pool.total = 100;
    expect(pool.take({ organization: 'one' }, 1)).toMatchObject({ isTaken: false, level: 'organization' });
    expect(pool.left({ organization: 'two' })).toBe(20);
    expect(pool.free).toBe(40);
    pool.total = 200;
    expect(pool.left({ organization: 'one' })).toBe(40);
  });

  it('keeps its reserve in proportion to a configured total', () => {
    const pool = new Pool(SLOTS, 10);
    let organization = 0;
    expect(takeAll(pool, () => holders(`organization ${organization++}`, `link ${organization}`))).toBe(9);
  });
});
