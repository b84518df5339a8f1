import { expect, it } from 'vitest';
import { LocalTier } from './local-tier.ts';

it('keeps files for a time, and gives up the oldest first', () => {
  const tier = new LocalTier(1_000);
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    expect(tier.add(name, 100, index * 100, 300)).toBe(true);
  }
  expect([tier.byteLength, tier.isEmpty]).toEqual([400, false]);
  expect(tier.takeDue(999)).toEqual([]);
  expect(tier.takeDue(1_100)).toEqual(['a', 'b']);
  tier.delete('c');
  tier.delete('c');
  expect(tier.byteLength).toBe(100);
  expect(tier.takeDue(2_000)).toEqual(['d']);
  expect([tier.byteLength, tier.isEmpty]).toEqual([0, true]);
});

it('does not take what is due already', () => {
  const tier = new LocalTier(1_000);
  expect(tier.add('a', 100, 0, 1_000)).toBe(false);
  for (const sealedMs of [0, 5, 9_000]) expect(new LocalTier(0).add('a', 100, sealedMs, 5)).toBe(false);
  expect(tier.isEmpty).toBe(true);
});

it('keeps nothing longer because the clock was set back', () => {
  const tier = new LocalTier(1_000);
  tier.add('a', 100, 50_000, 300);
  expect(tier.takeDue(1_300)).toEqual(['a']);
});

it('gives up as many of the oldest as the disk needs', () => {
  const tier = new LocalTier(1_000);
  for (const name of ['a', 'b', 'c']) tier.add(name, 100, 0, 0);
  expect(tier.takeOldest(0)).toEqual([]);
  expect(tier.takeOldest(101)).toEqual(['a', 'b']);
  expect(tier.takeOldest(1_000)).toEqual(['c']);
});

it('counts a file once that is added again', () => {
  const tier = new LocalTier(1_000);
  tier.add('a', 100, 0, 0);
  tier.add('a', 300, 50, 50);
  expect(tier.byteLength).toBe(300);
  expect(tier.takeDue(1_049)).toEqual([]);
});
