import { expect, it } from 'vitest';
import { goalText, percentText, shortMs, stateWords } from './service-levels.ts';

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
