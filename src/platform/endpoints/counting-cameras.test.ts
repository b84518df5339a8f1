import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const OCCUPANCY = '/api/camera/getOccupancyEnabledCameras';
const LINES = '/api/camera/getLineCrossingEnabledCamerasForLocation';
const TIME_MS = 1_767_225_600_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });
const configure = (deviceUuid: string, settings: object) =>
  fixture.call('/api/camera/updateConfig', { config: { deviceUuid, ...settings } });
const counting = async (headers = {}) =>
  ((await fixture.call(OCCUPANCY, {}, headers)).cameras as { uuid: string }[]).map(({ uuid }) => uuid);
const crossing = async (headers = {}) =>
  (await fixture.call(LINES, { locationUuid: fixture.own.locationUuid }, headers)).camerasToConfigs;

it('a camera counts people if its configuration says so, or if it reports and nothing is configured', async () => {
  const { camera, doorbell, locationUuid } = fixture.own;
  expect(await counting()).toEqual([]);
  await configure(camera.uuid, { occupancy_counting: true });
  const rows = [
    { id: 'a', deviceUuid: `${doorbell.uuid}.v0`, timestampMs: TIME_MS, occupancy: 3 },
    { id: 'b', deviceUuid: newRuuid(), timestampMs: TIME_MS, occupancy: 3 },
  ];
  await fixture.call('/api/ingest/occupancyCounts', { rows });
  expect(new Set(await counting())).toEqual(new Set([camera.uuid, doorbell.uuid]));
  await configure(doorbell.uuid, { occupancy_counting: false });
  expect(await fixture.call(OCCUPANCY)).toMatchObject({
    cameras: [
      { uuid: camera.uuid, deviceUuid: camera.uuid, name: camera.name, locationUuid, facetNameMap: {} },
    ],
  });
  expect(await counting(foreign())).toEqual([]);
});

it('a camera counts crossings if its configuration says so, or if it reports and nothing is configured', async () => {
  const { camera, doorbell } = fixture.own;
  expect(await crossing()).toEqual({});
  const lines = {
    directions: ['INGRESS'],
    object_type: 'HUMAN',
    in_roi: [{ coordinates: [{ x: 0, y: 0 }] }],
  };
  await configure(camera.uuid, { cross_counting: true, cross_counting_settings: lines });
  expect(await crossing()).toEqual({ [camera.uuid]: lines });
  const row = { id: 'a', deviceUuid: doorbell.uuid, timestampMs: TIME_MS, objectId: 1 };
  const rows = [{ ...row, crossingObject: 'VEHICLE', direction: 'EGRESS' }];
  expect(await fixture.call('/api/ingest/thresholdCrossings', { rows })).toMatchObject({ acceptedCount: 1 });
  expect(await crossing()).toEqual({ [camera.uuid]: lines, [doorbell.uuid]: {} });
  await configure(doorbell.uuid, { cross_counting: false });
  expect(await crossing()).toEqual({ [camera.uuid]: lines });
  expect((await fixture.call(LINES, { locationUuid: fixture.own.locationUuid }, foreign())).errorMsg).toBe(
    'There is no location with this locationUuid.',
  );
});
