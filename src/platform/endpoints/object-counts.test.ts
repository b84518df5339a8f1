import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

describe('counts of objects', () => {
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
      id: newRuuid(),
      deviceUuid: camera.uuid,
      facet: 'v0',
      atMs: TIME_MS + atMs,
      object,
      objectId: 1,
      direction,
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
    const response = await fixture.call(AT_LOCATION, { ...RANGE, locationUuid, type: 'VEHICLES' });
    const map = response.timeSeriesDataPointsMap as Record<string, unknown>;
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
});

describe('running averages', () => {
  const AVERAGE = '/api/report/getRunningAverage';
  const TIME_MS = 1_767_225_600_000;
  const HOUR_MS = 3_600_000;
  const RANGE = { startTimeMs: TIME_MS, endTimeMs: TIME_MS + 3 * HOUR_MS };

  let fixture: ApiFixture;
  beforeEach(async () => {
    fixture = await openApiFixture();
    const { camera, organization } = fixture.own;
    const cross = (hour: number, object: 'HUMAN' | 'VEHICLE') => ({
      id: newRuuid(),
      deviceUuid: camera.uuid,
      facet: 'v0',
      atMs: TIME_MS + hour * HOUR_MS,
      object,
      objectId: 1,
      direction: 'INGRESS' as const,
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
    const response = await fixture.call(AVERAGE, { ...dates, interval: 'DAILY' });
    const found = response.statsDataPoints as { date: string; stats: { PEOPLE: object } }[];
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
});

describe('people counts', () => {
  const EVENTS = '/api/report/getMostRecentPeopleCountEvents';
  const TIME_MS = 1_767_225_600_000;

  let fixture: ApiFixture;
  beforeEach(async () => {
    fixture = await openApiFixture();
  });
  afterEach(() => fixture.close());

  const events = async (body: object, headers = {}) =>
    (await fixture.call(EVENTS, body, headers)).events as Readonly<Record<string, unknown>>[];

  it('returns the newest counts that a camera reported, newest first', async () => {
    const { camera, doorbell, organization, locationUuid } = fixture.own;
    const row = (id: string, deviceUuid: string, afterMs: number, occupancy: number) => ({
      id,
      deviceUuid,
      timestampMs: TIME_MS + afterMs,
      occupancy,
    });
    const rows = [
      row('c1', camera.uuid, 1, 4),
      row('c2', `${camera.uuid}.v0`, 3, 6),
      row('c3', camera.uuid, 2, 5),
      row('d1', doorbell.uuid, 9, 1),
    ];
    expect(await fixture.call('/api/ingest/occupancyCounts', { rows })).toMatchObject({ acceptedCount: 4 });
    const newest = await events({ deviceUuid: camera.uuid, numMostRecent: 2 });
    expect(newest).toEqual([
      {
        uuid: expect.stringMatching(/^[\w-]{22}$/),
        orgUuid: organization.uuid,
        deviceUuid: `${camera.uuid}.v0`,
        locationUuid,
        eventTimestamp: TIME_MS + 3,
        timestampMs: TIME_MS + 3,
        peopleCount: 6,
        count: 6,
      },
      expect.objectContaining({ deviceUuid: camera.uuid, eventTimestamp: TIME_MS + 2, peopleCount: 5 }),
    ]);
    expect(await events({ deviceUuid: `${camera.uuid}.v1` })).toEqual([]);
    const both = await events({ deviceUuids: [camera.uuid, doorbell.uuid], numMostRecent: 3 });
    expect(both.map(({ count }) => count)).toEqual([1, 6, 5]);
    expect(await events({ deviceUuid: camera.uuid })).toHaveLength(3);
  });

  it('shows nothing to another organization, and names bad input', async () => {
    const { camera } = fixture.own;
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const sentence = async (body: object, headers = {}) =>
      (await fixture.call(EVENTS, body, headers)).errorMsg;
    const unknown = 'deviceUuid: there is no device with this UUID.';
    expect(await sentence({ deviceUuid: camera.uuid }, foreign)).toBe(unknown);
    expect(await sentence({ deviceUuid: newRuuid() })).toBe(unknown);
    expect(await sentence({ deviceUuids: [camera.uuid, newRuuid()] })).toBe(
      'deviceUuids[1]: there is no device with this UUID.',
    );
    expect(await sentence({})).toBe('deviceUuid is required.');
    expect(await sentence({ deviceUuid: camera.uuid, numMostRecent: 0 })).toMatch(/^numMostRecent must be/);
  });
});
