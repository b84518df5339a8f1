import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import { cameraAttention, offlineCount, verdictOf } from './camera-attention.ts';
import { countStates, filterOfQuery, matcherOfFilter } from './camera-filter.ts';
import type { CameraItem } from './camera-state.ts';

/** One camera in each state that the list can have, alone and with what changes what it means. */
const FLEET = [
  { uuid: 'live', detail: { state: 'live' } },
  { uuid: 'ready', detail: { state: 'reachable' } },
  { uuid: 'connecting', detail: { state: 'connecting' } },
  { uuid: 'unchecked', detail: { state: 'not-checked' } },
  { uuid: 'unknown' },
  { uuid: 'offline', detail: { state: 'offline', offlineSinceMs: 1 } },
  { uuid: 'retrying', detail: { state: 'connecting', offlineSinceMs: 1 } },
  { uuid: 'offline, paused', detail: { state: 'offline', offlineSinceMs: 1 }, isPaused: true },
  { uuid: 'retrying, paused', detail: { state: 'connecting', offlineSinceMs: 1 }, isPaused: true },
  { uuid: 'live, paused', detail: { state: 'live' }, isPaused: true },
  { uuid: 'live, slow', detail: { state: 'live' }, isTroubled: true },
  { uuid: 'offline, slow', detail: { state: 'offline', offlineSinceMs: 1 }, isTroubled: true },
  { uuid: 'live, slow, paused', detail: { state: 'live' }, isTroubled: true, isPaused: true },
];
const CAMERAS = FLEET.map(
  ({ uuid, detail }) =>
    ({
      uuid,
      name: uuid,
      liveStreamsSharedCount: 0,
      ...(detail === undefined ? {} : { connectionDetail: detail }),
    }) as CameraItem,
);
const PAUSES = new Map(FLEET.flatMap(({ uuid, isPaused }) => (isPaused === true ? [[uuid, {}]] : [])));
/** Those of an NVR, and of a camera that was removed a moment ago, are no camera. */
const TROUBLES = [
  ...FLEET.flatMap(({ uuid, isTroubled }) => (isTroubled === true ? [{ deviceUuid: uuid }] : [])),
  { deviceUuid: 'offline' },
  { deviceUuid: 'an NVR' },
  { deviceUuid: 'removed' },
];
const ATTENTION = cameraAttention(CAMERAS, PAUSES, TROUBLES);
const PLACES = {
  locationNames: new Map(),
  nvrOf: new Map(),
  nvrNames: new Map(),
  nvrSites: new Map(),
  attention: ATTENTION,
};

it('needs someone if it is offline or has a trouble, and is not paused', () => {
  expect([...ATTENTION]).toEqual(['offline', 'retrying', 'live, slow', 'offline, slow']);
});

it('counts each camera once', () => {
  expect(verdictOf(CAMERAS, ATTENTION)).toEqual({
    count: 13,
    attention: 4,
    paused: 2,
    unchecked: 2,
    fine: 5,
  });
  expect(verdictOf([], new Set())).toEqual({ count: 0, attention: 0, paused: 0, unchecked: 0, fine: 0 });
});

it('is the same number in the sentence, in the filters that it leads to, and where sites count', () => {
  const verdict = verdictOf(CAMERAS, ATTENTION);
  const counts = countStates(CAMERAS, filterOfQuery({}), PLACES);
  const shown = (state: string) =>
    CAMERAS.filter(matcherOfFilter({ ...filterOfQuery({}), state }, PLACES)).map(({ uuid }) => uuid);
  expect(counts).toMatchObject({
    all: verdict.count,
    attention: verdict.attention,
    paused: verdict.paused,
    unknown: verdict.unchecked,
    offline: offlineCount(CAMERAS),
  });
  expect(counts.offline! + counts.working! + counts.unknown!).toBe(verdict.count);
  expect(shown('attention')).toEqual([...ATTENTION]);
  expect(shown('paused')).toEqual(['offline, paused', 'retrying, paused']);
  expect(offlineCount(CAMERAS)).toBe(5);
});
