import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const COUNTS = '/api/report/getThresholdCrossingCountReport';
const EVENTS = '/api/report/getThresholdCrossingEvents';
const OCCUPANCY = '/api/report/getOccupancyCounts';
const START_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const RANGE = { startTimeMs: START_MS, endTimeMs: START_MS + 2 * HOUR_MS };

let fixture: ApiFixture;
let camera: string;
let doorbell: string;
beforeEach(async () => {
  fixture = await openApiFixture();
  camera = fixture.own.camera.uuid;
  doorbell = fixture.own.doorbell.uuid;
});
afterEach(() => fixture.close());

const foreignKey = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

async function reportCrossings(): Promise<void> {
  const crossing = (id: string, deviceUuid: string, atMs: number, fields: object = {}) => ({
    id,
    deviceUuid,
    timestampMs: START_MS + atMs,
    objectId: 7,
    crossingObject: 'HUMAN',
    direction: 'INGRESS',
    ...fields,
  });
  const rows = [
    crossing('a', camera, 0),
    crossing('b', `${camera}.v0`, HOUR_MS, { direction: 'EGRESS' }),
    crossing('c', camera, HOUR_MS + 1, { crossingObject: 'VEHICLE', objectId: 8 }),
    crossing('d', doorbell, 0),
  ];
  expect(await fixture.call('/api/ingest/thresholdCrossings', { rows })).toMatchObject({ acceptedCount: 4 });
}

it(`${COUNTS} counts at one device, by its UUID or by that of a facet`, async () => {
  await reportCrossings();
  const counts = async (deviceUuid: string, fields: object = {}) =>
    (await fixture.call(COUNTS, { deviceUuid, ...RANGE, ...fields })).crossingCounts;
  expect(await counts(camera)).toEqual([
    { timestampMs: START_MS, ingressCount: 1, egressCount: 0 },
    { timestampMs: START_MS + HOUR_MS, ingressCount: 1, egressCount: 1 },
  ]);
  expect(await counts(`${camera}.v0`)).toEqual(await counts(camera));
  expect(await counts(camera, { crossingObject: 'VEHICLE', bucketSize: 'DAY' })).toMatchObject([
    { ingressCount: 1, egressCount: 0 },
  ]);
  for (const [body, headers, sentence] of [
    [{ deviceUuid: camera }, foreignKey(), 'deviceUuid: there is no device with this UUID.'],
    [{ deviceUuid: newRuuid() }, {}, 'deviceUuid: there is no device with this UUID.'],
    [{}, {}, 'deviceUuid is required.'],
    [{ deviceUuid: camera, timeZone: 'Mars' }, {}, /^timeZone must be an IANA time zone/],
  ] as const) {
    expect(await fixture.call(COUNTS, { ...RANGE, ...body }, headers)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(sentence),
    });
  }
});

it(`${EVENTS} lists the crossings of each device`, async () => {
  await reportCrossings();
  const silent = newRuuid();
  await fixture.store.cameras.save({ ...fixture.own.camera, uuid: silent });
  const list = (body: object, headers = {}) => fixture.call(EVENTS, { ...RANGE, ...body }, headers);
  const response = await list({ devices: [camera, doorbell, silent, camera], crossingObject: 'HUMAN' });
  const crossed = { objectId: 7, crossingObject: 'HUMAN' };
  expect(response.deviceToThresholdCrossingEventMap).toEqual({
    [camera]: [
      { ...crossed, timestampMs: START_MS, direction: 'INGRESS' },
      { ...crossed, timestampMs: START_MS + HOUR_MS, direction: 'EGRESS' },
    ],
    [doorbell]: [{ ...crossed, timestampMs: START_MS, direction: 'INGRESS' }],
    [silent]: [],
  });
  for (const [body, headers, sentence] of [
    [{ devices: [camera, newRuuid()] }, {}, 'devices[1]: there is no device with this UUID.'],
    [{ devices: [camera] }, foreignKey(), 'devices[0]: there is no device with this UUID.'],
    [{}, {}, 'devices is required.'],
    [{ devices: [camera], endTimeMs: START_MS - 1 }, {}, 'endTimeMs must not be before startTimeMs.'],
  ] as const) {
    expect(await list(body, headers)).toMatchObject({ error: true, errorMsg: sentence });
  }
});

it(`${EVENTS} refuses more crossings than fit in one response`, async () => {
  const orgUuid = fixture.own.organization.uuid;
  const device = { deviceUuid: fixture.own.camera.uuid, facet: '' };
  const crossing = (index: number) => ({
    ...device,
    id: `c${index}`,
    atMs: START_MS + index,
    objectId: 1,
    object: 'HUMAN' as const,
    direction: 'INGRESS' as const,
  });
  for (let start = 0; start < 10_000; start += 1_000) {
    await fixture.store.crossings.add(
      orgUuid,
      Array.from({ length: 1_000 }, (_, index) => crossing(start + index)),
    );
  }
  const list = async () => fixture.call(EVENTS, { ...RANGE, devices: [camera] });
  const { deviceToThresholdCrossingEventMap: map } = await list();
  expect((map as Record<string, unknown[]>)[camera]).toHaveLength(10_000);
  await fixture.store.crossings.add(orgUuid, [crossing(10_000)]);
  expect((await list()).errorMsg).toMatch(/^There are more than 10,000 crossings/);
});

it(`${OCCUPANCY} returns the same as getOccupancyCountsV2`, async () => {
  const rows = [3, 5].map((occupancy, index) => ({
    id: `o${index}`,
    deviceUuid: camera,
    timestampMs: START_MS + index,
    occupancy,
  }));
  await fixture.call('/api/ingest/occupancyCounts', { rows });
  const body = { deviceUuid: camera, ...RANGE, interval: 'HOURLY' };
  const response = await fixture.call(OCCUPANCY, body);
  expect(response.timeSeriesDataPoints).toMatchObject([
    { timestampMs: START_MS, eventCountMap: { OCCUPANCY_COUNTING: 5 } },
  ]);
  expect(response).toEqual(await fixture.call('/api/report/getOccupancyCountsV2', body));
  expect(await fixture.call(OCCUPANCY, body, foreignKey())).toMatchObject({
    error: true,
    errorMsg: 'There is no device with this UUID.',
  });
});
