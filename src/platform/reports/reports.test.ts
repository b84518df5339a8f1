import { Temporal } from 'temporal-polyfill';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Crossing, ReportingDevice } from '../../store/crossing.ts';
import type { Camera } from '../../store/entities.ts';
import { sampleCamera, sampleLocation, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { createReportServices, type ReportServices } from './report-services.ts';
import { reportSales } from './sales-reports.ts';

const HOUR_MS = 3_600_000;
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const START_MS = at('2026-01-01T05:00Z');

let clock: FakeClock;
let store: Store;
let reports: ReportServices;
let orgUuid: Ruuid;
let camera: Camera;
let device: ReportingDevice;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  reports = createReportServices({ store, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: null });
  await store.cameras.save(camera);
  device = { deviceUuid: camera.uuid, facet: '' };
});
afterEach(() => store.close());

const crossing = (atMs: number, id: string): Crossing => ({
  id,
  deviceUuid: camera.uuid,
  facet: 'v0',
  atMs,
  object: 'HUMAN',
  objectId: 1,
  direction: 'INGRESS',
});

describe('crossing reports', () => {
  it('have every bucket that the range touches', async () => {
    await store.crossings.add(orgUuid, [crossing(START_MS, 'a'), crossing(START_MS + 1, 'b')]);
    const range = { startTimeMs: START_MS, endTimeMs: START_MS + 2 * HOUR_MS };
    expect(await reports.crossingReports.counts(orgUuid, [device], { ...range, dedupe: true })).toEqual([
      { bucketStartMs: START_MS, ingressCount: 1, egressCount: 0 },
      { bucketStartMs: START_MS + HOUR_MS, ingressCount: 0, egressCount: 0 },
    ]);
  });

  it('span the last day unless told otherwise', async () => {
    clock.stepWallClock(START_MS + 12 * HOUR_MS - clock.epochMs());
    expect(await reports.crossingReports.counts(orgUuid, null, { bucketSize: 'DAY' })).toHaveLength(2);
  });

  it('lead from page to page', async () => {
    await store.crossings.add(orgUuid, [crossing(START_MS, 'a'), crossing(START_MS + 1, 'b')]);
    const range = { startTimeMs: START_MS, endTimeMs: START_MS + 2 };
    const page = (after: null | { atMs: number; id: string; facet: string }) =>
      reports.crossingReports.page(orgUuid, { ...range, device, after, limit: 1 });
    const first = await page(null);
    expect(first.crossings.map(({ id }) => id)).toEqual(['a']);
    expect(first.next).toEqual({ atMs: START_MS, id: 'a', facet: 'v0' });
    expect(await page(first.next)).toMatchObject({ crossings: [{ id: 'b' }], next: null });
  });

  it('refuse invalid ranges, zones and devices', async () => {
    const counts = (wanted: object, devices: ReportingDevice[] | null = null) =>
      reports.crossingReports.counts(orgUuid, devices, wanted);
    await expect(counts({ startTimeMs: 2, endTimeMs: 1 })).rejects.toMatchObject({
      code: 'REPORT_RANGE_REVERSED',
    });
    await expect(counts({ timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'REPORT_TIME_ZONE_UNKNOWN',
    });
    await expect(counts({ startTimeMs: 0, endTimeMs: START_MS })).rejects.toMatchObject({
      code: 'REPORT_TOO_LONG',
    });
    const stranger = { deviceUuid: newRuuid(), facet: '' };
    await expect(counts({}, [device, stranger])).rejects.toMatchObject({
      code: 'REPORT_DEVICE_NOT_FOUND',
      context: { index: 1 },
    });
  });
});

describe('occupancy reports', () => {
  it('name the facet with the highest count of each interval, in the zone of the location', async () => {
    const count = (facet: string, atMs: number, occupancy: number) => ({
      id: `${facet} ${atMs}`,
      deviceUuid: camera.uuid,
      facet,
      atMs,
      count: occupancy,
    });
    const counts = [
      count('v0', START_MS, 3),
      count('v1', START_MS + 1, 4),
      count('v1', START_MS + HOUR_MS, 1),
    ];
    await store.occupancy.add(orgUuid, counts);
    const range = { startTimeMs: START_MS, endTimeMs: START_MS + 2 * HOUR_MS };
    const peaks = await reports.occupancyReports.peaks(orgUuid, device, 'DAY', range);
    const intervals = await peaks.toArray();
    expect(intervals.map(({ start }) => String(start))).toEqual([
      '2026-01-01T00:00:00-05:00[America/New_York]',
    ]);
    expect(intervals).toMatchObject([
      { fullest: { bucketStartMs: START_MS, count: 4, device: { facet: 'v1' } } },
    ]);
    expect(intervals[0]?.reportedBy.map(({ facet }) => facet).toSorted()).toEqual(['v0', 'v1']);
  });

  it('know a sensor that reported, and no other', async () => {
    const sensor = { deviceUuid: newRuuid(), facet: '' };
    const peaks = async () => (await reports.occupancyReports.peaks(orgUuid, sensor, 'HOUR', {})).toArray();
    await expect(peaks()).rejects.toMatchObject({ code: 'REPORT_DEVICE_NOT_FOUND' });
    await store.occupancy.add(orgUuid, [{ ...sensor, id: 'a', atMs: START_MS, count: 1 }]);
    expect(await peaks()).toEqual([]);
  });
});

describe('sales reports', () => {
  it('list a day in order, and the restaurants whose latest report is a failure', async () => {
    const row = (id: string, fields: object) => ({
      id,
      businessDate: '2026-01-31',
      restaurantGuid: 'one',
      ...fields,
    });
    const early = [row('a', { timestamp: '2' }), row('b', { failed: true, restaurantGuid: 'two' })];
    expect(await reportSales(store, { orgUuid, nowMs: 1 }, early)).toBe(2);
    const later = [row('c', { timestamp: '1' }), row('d', { failed: true }), row('a', {})];
    expect(await reportSales(store, { orgUuid, nowMs: 2 }, later)).toBe(2);
    const day = await reports.salesReports.ofDay(orgUuid, '20260131');
    expect(day.rows.map(({ timestamp }) => timestamp)).toEqual(['1', '2']);
    expect(day.failedRestaurants).toEqual(['two']);
    expect(day.isCut).toBe(false);
    await expect(reports.salesReports.ofDay(orgUuid, '2026-02-30')).rejects.toMatchObject({
      code: 'BUSINESS_DATE_INVALID',
    });
  });
});
