import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const REPORT = '/api/report/getCountReportV2';
const AT_LOCATION = '/api/report/getCountReportsForDevicesAtLocation';
const TIME_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const RANGE = { startTimeMs: TIME_MS, endTimeMs: TIME_MS + 2 * HOUR_MS };

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { camera, organization } = fixture.own;
  const cross = (atMs: number, object: 'HUMAN' | 'VEHICLE', direction: 'INGRESS' | 'EGRESS') => ({
    ...{ id: newRuuid(), deviceUuid: camera.uuid, facet: 'v0', atMs: TIME_MS + atMs },
    ...{ object, objectId: 1, direction },
  });
  await fixture.store.crossings.add(organization.uuid, [
    cross(0, 'HUMAN', 'INGRESS'),
    cross(1, 'HUMAN', 'EGRESS'),
    cross(HOUR_MS, 'VEHICLE', 'INGRESS'),
  ]);
});
afterEach(() => fixture.close());

const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });
const countsOf = (points: unknown) =>
  (points as { eventCountMap: object }[]).map(({ eventCountMap }) => eventCountMap);
const counts = async (body: object, headers = {}) =>
  countsOf((await fixture.call(REPORT, { ...RANGE, ...body }, headers)).timeSeriesDataPoints);

it('counts are those of the crossings at a camera, a location or all, by interval', async () => {
  const { camera, locationUuid } = fixture.own;
  const types = ['PEOPLE', 'VEHICLES'];
  const expected = [
    { PEOPLE: 2, VEHICLES: 0 },
    { PEOPLE: 0, VEHICLES: 1 },
  ];
  for (const where of [
    {},
    { scope: 'DEVICE', uuid: camera.uuid },
    { scope: 'LOCATION', uuid: locationUuid },
  ]) {
    expect([where, await counts({ ...where, types })]).toEqual([where, expected]);
  }
  expect(await counts({})).toEqual([{ PEOPLE: 2 }, { PEOPLE: 0 }]);
  const local = { timeZone: 'America/New_York', interval: 'HOURLY' };
  const { timeSeriesDataPoints } = await fixture.call(REPORT, { ...RANGE, ...local });
  expect((timeSeriesDataPoints as object[])[0]).toMatchObject({
    dateLocal: '2025-12-31T19:00:00-05:00',
    dateUtc: '2026-01-01T00:00:00Z',
  });
});

it('counts of a location are those of each of its cameras', async () => {
  const { camera, locationUuid } = fixture.own;
  const answer = await fixture.call(AT_LOCATION, { ...RANGE, locationUuid, type: 'VEHICLES' });
  const map = answer.timeSeriesDataPointsMap as Record<string, unknown>;
  expect(countsOf(map[camera.uuid])).toEqual([{ VEHICLES: 0 }, { VEHICLES: 1 }]);
});

it('nothing is counted for another organization, and bad input is named', async () => {
  const { camera, locationUuid } = fixture.own;
  expect(await counts({}, foreign())).toEqual([{ PEOPLE: 0 }, { PEOPLE: 0 }]);
  const sentence = async (path: string, body: object, headers = {}) =>
    (await fixture.call(path, body, headers)).errorMsg;
  expect(await sentence(REPORT, { scope: 'DEVICE', uuid: camera.uuid }, foreign())).toBe(
    'uuid: there is no device with this UUID.',
  );
  const unknown = 'There is no location with this locationUuid.';
  expect(await sentence(AT_LOCATION, { locationUuid }, foreign())).toBe(unknown);
  expect(await sentence(REPORT, { scope: 'LOCATION', uuid: newRuuid() })).toBe(
    'There is no location with this uuid.',
  );
  expect(await sentence(REPORT, { scope: 'DEVICE' })).toBe('uuid is required with scope DEVICE.');
  expect(await sentence(REPORT, { types: ['BANDWIDTH'] })).toContain('types[0] must be');
});
