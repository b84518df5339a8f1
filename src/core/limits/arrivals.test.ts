import { expect, it } from 'vitest';
import { type ArrivalLimit, Arrivals } from './arrivals.ts';

const LIMIT = {
  kind: 'pool',
  what: 'connections of a test',
  unit: 'connections',
  per: 'process',
  total: 20,
  atLimit: '',
  levels: { address: { max: 5 } },
} as const satisfies ArrivalLimit;

/** `count` from one address; returns the indexes of those that made room. */
function arrive(arrivals: Arrivals, address: string, count: number): number[] {
  const gone: number[] = [];
  for (let index = 0; index < count; index++) arrivals.add(address, () => gone.push(index));
  return gone;
}

it('lets everyone in, and the oldest of the same address makes room', () => {
  const arrivals = new Arrivals(LIMIT);
  const others = arrive(arrivals, '192.0.2.1', 2);
  expect(arrive(arrivals, '192.0.2.2', 7)).toEqual([0, 1]);
  expect(others).toEqual([]);
  expect(arrivals.madeRoom).toBe(2);
});

it('counts a /64 of IPv6 as one address', () => {
  const arrivals = new Arrivals(LIMIT);
  const gone: string[] = [];
  for (let host = 1; host <= 6; host++) {
    const address = `2001:db8:1:2::${host}`;
    arrivals.add(address, () => gone.push(address));
  }
  expect(gone).toEqual(['2001:db8:1:2::1']);
});

it('lets a newcomer in however many addresses others have', () => {
  const arrivals = new Arrivals(LIMIT);
  for (let host = 0; host < 200; host++) arrive(arrivals, `198.51.100.${host}`, 1);
  expect(arrivals.size).toBe(20);
  const gone = arrive(arrivals, '192.0.2.1', 1);
  for (let host = 0; host < 19; host++) arrive(arrivals, `203.0.113.${host}`, 1);
  expect(gone).toEqual([]);
});

it('forgets those that have left', () => {
  const arrivals = new Arrivals(LIMIT);
  const gone: string[] = [];
  const first = arrivals.add('192.0.2.1', () => gone.push('first'));
  first.leave();
  first.leave();
  expect(arrivals.size).toBe(0);
  expect(arrive(arrivals, '192.0.2.1', 5)).toEqual([]);
  expect(gone).toEqual([]);
});
