import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const OCCUPANCY = '/api/report/getOccupancyCountsV2';
const POS = '/api/report/getPosEventsTableAllLocations';
/** 2026-01-01T00:00Z. */
const TIME_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const report = async (kind: string, rows: readonly object[]) =>
  expect(await fixture.call(`/api/ingest/${kind}`, { rows })).toMatchObject({ error: false, rejected: [] });

describe(OCCUPANCY, () => {
  it('returns the highest count of each interval, in the location’s time zone', async () => {
    const { camera, organization, locationUuid } = fixture.own;
    const location = (await fixture.store.locations.find(organization.uuid, locationUuid))!;
    await fixture.store.locations.save({ ...location, tz: 'America/New_York' });
    const count = (id: string, timestampMs: number, occupancy: number, facet = '') => ({
      id,
      deviceUuid: `${camera.uuid}${facet}`,
      timestampMs,
      occupancy,
    });
    await report('occupancyCounts', [
      count('a', TIME_MS, 2),
      count('b', TIME_MS + 60_000, 5),
      count('c', TIME_MS + 120_000, 5),
      count('d', TIME_MS, 4, '.v1'),
      count('e', TIME_MS + 2 * HOUR_MS, 0),
      count('f', TIME_MS + 3 * HOUR_MS, 9),
    ]);
    const body = { deviceUuid: camera.uuid, startTimeMs: TIME_MS, endTimeMs: TIME_MS + 3 * HOUR_MS };
    const { timeSeriesDataPoints } = await fixture.call(OCCUPANCY, body);
    expect(timeSeriesDataPoints).toEqual([
      {
        timestampMs: TIME_MS,
        dateLocal: '2025-12-31T19:00:00-05:00',
        dateUtc: '2026-01-01T00:00:00Z',
        eventCountMap: { OCCUPANCY_COUNTING: 5 },
        approximateTimestampMsMap: { OCCUPANCY_COUNTING: TIME_MS + 60_000 },
        reportingDevicesMap: { OCCUPANCY_COUNTING: [camera.uuid, `${camera.uuid}.v1`] },
      },
      expect.objectContaining({
        timestampMs: TIME_MS + 2 * HOUR_MS,
        eventCountMap: { OCCUPANCY_COUNTING: 0 },
      }),
    ]);
    const daily = await fixture.call(OCCUPANCY, {
      ...body,
      interval: 'DAILY',
      deviceUuid: `${camera.uuid}.v1`,
    });
    expect(daily.timeSeriesDataPoints).toMatchObject([
      { timestampMs: TIME_MS - 19 * HOUR_MS, eventCountMap: { OCCUPANCY_COUNTING: 4 } },
    ]);
  });

  it('knows sensors from their reports, and no one else’s', async () => {
    const deviceUuid = newRuuid();
    await report('occupancyCounts', [{ id: 'a', deviceUuid, timestampMs: TIME_MS, occupancy: 1 }]);
    const body = { deviceUuid, startTimeMs: TIME_MS, endTimeMs: TIME_MS + 1, interval: 'MINUTELY' };
    expect((await fixture.call(OCCUPANCY, body)).timeSeriesDataPoints).toHaveLength(1);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(OCCUPANCY, body, foreign)).errorMsg).toBe(
      'There is no device with this UUID.',
    );
  });
});

describe(POS, () => {
  const row = (fields: object) => ({
    id: newRuuid(),
    businessDate: '20260131',
    restaurantGuid: 'harbour',
    ...fields,
  });

  it('returns the day’s rows and the restaurants that failed', async () => {
    const { camera } = fixture.own;
    await report('posEvents', [
      row({ orderGuid: 'late', timestamp: '2026-01-31T20:00Z', assignedCameraList: [camera.uuid] }),
      row({ orderGuid: 'early', timestamp: '2026-01-31T08:00Z', businessDate: '2026-01-31' }),
      row({ orderGuid: 'other day', businessDate: '20260201' }),
      row({ restaurantGuid: 'market', failed: true }),
      row({ restaurantGuid: 'airport', failed: true }),
    ]);
    fixture.clock.advance(1_000);
    await report('posEvents', [
      row({ restaurantGuid: 'airport', orderGuid: 'first', timestamp: '2026-01-31' }),
    ]);
    const { eventTable, failedGuids } = await fixture.call(POS, { businessDate: '2026-01-31' });
    expect(eventTable).toMatchObject([
      { orderGuid: 'first' },
      { orderGuid: 'early', assignedCameraList: [] },
      { orderGuid: 'late', assignedCameraList: [camera.uuid] },
    ]);
    expect(failedGuids).toEqual(['market']);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await fixture.call(POS, { businessDate: '20260131' }, foreign)).toMatchObject({
      eventTable: [],
      failedGuids: [],
    });
  });

  it.each(['2026-02-30', 'today', '2026'])('refuses %s as a business day', async (businessDate) => {
    const reason = 'businessDate must be a date such as 2026-01-31 or 20260131.';
    expect((await fixture.call(POS, { businessDate })).errorMsg).toBe(reason);
    const rows = [row({ businessDate })];
    expect(await fixture.call('/api/ingest/posEvents', { rows })).toMatchObject({ rejected: [{ reason }] });
  });
});
