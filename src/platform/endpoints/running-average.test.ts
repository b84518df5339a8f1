import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const AVERAGE = '/api/report/getRunningAverage';
const TIME_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const RANGE = { startTimeMs: TIME_MS, endTimeMs: TIME_MS + 3 * HOUR_MS };

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { camera, organization } = fixture.own;
  const cross = (hour: number, object: 'HUMAN' | 'VEHICLE') => ({
    ...{ id: newRuuid(), deviceUuid: camera.uuid, facet: 'v0', atMs: TIME_MS + hour * HOUR_MS },
    ...{ object, objectId: 1, direction: 'INGRESS' as const },
  });
  const crossings = [...Array(4).fill(0), ...Array(2).fill(1)].map((hour: number) => cross(hour, 'HUMAN'));
  await fixture.store.crossings.add(organization.uuid, [...crossings, cross(2, 'VEHICLE')]);
});
afterEach(() => fixture.close());

const points = async (body: object = {}, headers = {}) =>
  (await fixture.call(AVERAGE, { ...RANGE, ...body }, headers)).statsDataPoints as {
    readonly date: string;
    readonly stats: Readonly<Record<string, { readonly avg: number; readonly stddev: number }>>;
  }[];

it('averages the counts of the intervals up to each one', async () => {
  const { camera, locationUuid } = fixture.own;
  for (const where of [
    {},
    { scope: 'DEVICE', uuid: camera.uuid },
    { scope: 'LOCATION', uuid: locationUuid },
  ]) {
    const found = await points(where);
    expect(found.map(({ stats }) => stats.PEOPLE)).toEqual([
      { avg: 4, stddev: 0 },
      { avg: 3, stddev: 1 },
      { avg: 2, stddev: expect.closeTo(Math.sqrt(8 / 3), 9) },
    ]);
    expect(found.map(({ stats }) => stats.VEHICLES?.avg)).toEqual([0, 0, expect.closeTo(1 / 3, 9)]);
    expect(Object.keys(found[0]!.stats).sort()).toEqual(['FACES', 'LICENSEPLATES', 'PEOPLE', 'VEHICLES']);
  }
});

it('begins and ends on dates in the time zone of the report', async () => {
  const dates = { startDate: '2025-12-31', endDate: '2026-01-01', timeZone: 'America/New_York' };
  const answer = await fixture.call(AVERAGE, { ...dates, interval: 'DAILY' });
  const found = answer.statsDataPoints as { date: string; stats: { PEOPLE: object } }[];
  expect(found.map(({ date, stats }) => [date, stats.PEOPLE])).toEqual([
    ['2025-12-31', { avg: 6, stddev: 0 }],
    ['2026-01-01', { avg: 3, stddev: 3 }],
  ]);
});

it('averages nothing of another organization, and names bad input', async () => {
  const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
  expect((await points({}, foreign)).map(({ stats }) => stats.PEOPLE?.avg)).toEqual([0, 0, 0]);
  const sentence = async (body: object, headers = {}) =>
    (await fixture.call(AVERAGE, body, headers)).errorMsg;
  const { camera, locationUuid } = fixture.own;
  expect(await sentence({ scope: 'DEVICE', uuid: camera.uuid }, foreign)).toBe(
    'uuid: there is no device with this UUID.',
  );
  expect(await sentence({ scope: 'LOCATION', uuid: locationUuid }, foreign)).toBe(
    'There is no location with this uuid.',
  );
  expect(await sentence({ scope: 'DEVICE' })).toBe('uuid is required with scope DEVICE.');
  expect(await sentence({ startDate: 'yesterday' })).toBe('startDate must be a date such as 2026-01-31.');
  expect(await sentence({ startDate: '2026-01-01', startTimeMs: 1 })).toBe(
    'Send either startDate or startTimeMs, not both.',
  );
});
