import { expect, it } from 'vitest';
import './page-address-fixture.ts';
import { goalText, percentText, protocolWords, shortMs, stateWords } from './measured-levels.ts';

const RUN = {
  startedAtMs: 1,
  isCold: false,
  playedSec: 0,
  stalledSec: 0,
  stalls: 0,
  requests: 0,
  failedRequests: 0,
};

it.each([
  [0, '0 %'],
  [0.004, '< 0.01 %'],
  [0.123, '0.12 %'],
  [12.34, '12.3 %'],
  [99.5, '99.50 %'],
  [99.996, '> 99.99 %'],
  [100, '100 %'],
])('says %d percent as %s', (percent, text) => expect(percentText(percent)).toBe(text));

it('says goals as they were written', () => {
  expect([99, 99.9, 99.95].map(goalText)).toEqual(['99 %', '99.9 %', '99.95 %']);
});

it('says milliseconds, and seconds from one on', () => {
  expect([shortMs(820.4), shortMs(1_449), shortMs(undefined)]).toEqual(['820 ms', '1.4 s', null]);
});

it('says what a share is doing', () => {
  const share = { sharedLiveVideoStreamUuid: 'a', name: 'b', runs: [], isRunning: true };
  expect(stateWords({ ...share, isProbed: false })[0]).toBe('Viewers only');
  expect(stateWords({ ...share, isProbed: true, state: 'waiting' })[0]).toBe('Playing now');
  expect(stateWords({ ...share, isProbed: true, state: 'camera-offline' })).toEqual([
    'Camera offline',
    'offline',
  ]);
});

it('says what is wrong with the certificate while there is no picture for it', () => {
  const share = { sharedLiveVideoStreamUuid: 'a', name: 'b', isRunning: false, isProbed: true };
  const run = { ...RUN, outcome: 'failed' as const };
  const words = (reason: string, state: 'failing' | 'measured' = 'failing') =>
    stateWords({ ...share, state, runs: [{ ...run, reason }] });
  expect(words('certificate-expired')).toEqual(['Certificate expired', 'offline']);
  expect(words('certificate-name')[0]).toBe('Wrong certificate name');
  expect(words('connect')).toEqual(['No picture', 'offline']);
  expect(words('certificate-expired', 'measured')[0]).toBe('Plays');
});

it('says the protocol of the newest run that got a response', () => {
  const run = { ...RUN, outcome: 'played' as const };
  expect(protocolWords({ runs: [run, { ...run, protocol: 'h2' }, { ...run, protocol: 'http/1.1' }] })).toBe(
    'HTTP/2',
  );
  expect(protocolWords({ runs: [{ ...run, protocol: 'http/1.1' }] })).toBe('HTTP/1.1');
  expect(protocolWords({ runs: [run] })).toBeNull();
});
