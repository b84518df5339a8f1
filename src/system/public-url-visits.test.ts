import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import {
  MAX_PUBLIC_URL_CHECKS,
  MAX_VISITORS,
  PUBLIC_URL_CHECK_MS,
  PublicUrlVisits,
} from './public-url-visits.ts';

const visit = (address: string) => ({ address, peerAddress: address, proxyHeaders: [] });

it('remembers from where a check was opened, the last one first', () => {
  const clock = new FakeClock();
  const visits = new PublicUrlVisits(clock);
  const { checkId } = visits.open();
  expect(checkId).toMatch(/^[\w-]{22}$/);
  expect(visits.visitsOf(checkId)).toEqual([]);
  const startEpochMs = clock.epochMs();
  expect(visits.visited(checkId, visit('192.0.2.1'))).toBe(true);
  clock.advance(1_000);
  visits.visited(checkId, visit('192.0.2.2'));
  clock.advance(1_000);
  visits.visited(checkId, visit('192.0.2.1'));
  expect(visits.visitsOf(checkId)).toEqual([
    { ...visit('192.0.2.1'), atEpochMs: startEpochMs + 2_000 },
    { ...visit('192.0.2.2'), atEpochMs: startEpochMs + 1_000 },
  ]);
});

it('knows no check that was not opened, and none that has ended', () => {
  const clock = new FakeClock();
  const visits = new PublicUrlVisits(clock);
  expect(visits.visited('AAAAAAAAAAAAAAAAAAAAAA', visit('192.0.2.1'))).toBe(false);
  const { checkId } = visits.open();
  clock.advance(PUBLIC_URL_CHECK_MS - 1);
  expect(visits.visited(checkId, visit('192.0.2.1'))).toBe(true);
  clock.advance(1);
  expect(visits.visited(checkId, visit('192.0.2.1'))).toBe(false);
  expect(visits.visitsOf(checkId)).toBeNull();
});

it('has room for so many checks and visitors', () => {
  const visits = new PublicUrlVisits(new FakeClock());
  const checks = Array.from({ length: MAX_PUBLIC_URL_CHECKS + 1 }, () => visits.open().checkId);
  expect(visits.visitsOf(checks[0]!)).toBeNull();
  expect(visits.visitsOf(checks[1]!)).toEqual([]);
  for (let i = 0; i <= MAX_VISITORS; i++) visits.visited(checks[1]!, visit(`192.0.2.${i}`));
  const addresses = visits.visitsOf(checks[1]!)!.map(({ address }) => address);
  expect(addresses).toHaveLength(MAX_VISITORS);
  expect(addresses).not.toContain('192.0.2.0');
});
