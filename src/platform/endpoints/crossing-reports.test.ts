import { Temporal } from 'temporal-polyfill';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const INGEST = '/api/ingest/thresholdCrossings';
const EVENTS = '/api/report/getThresholdCrossingEventsForDevice';
const FOR_ORG = '/api/report/getThresholdCrossingCountReportForOrg';
const BATCH = '/api/report/getBatchThresholdCrossingCountReport';
const MINUTE_MS = 60_000;

interface Counts {
  readonly timestampMs: number;
  readonly ingressCount: number;
  readonly egressCount: number;
}

let fixture: ApiFixture;
let nextId: number;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  nextId = 0;
});
afterEach(() => fixture.close());

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const crossing = (timestampMs: number, fields: object = {}) => ({
  id: `c${nextId++}`,
  deviceUuid: fixture.own.camera.uuid,
  timestampMs,
  crossingObject: 'HUMAN',
  objectId: nextId,
  direction: 'INGRESS',
  ...fields,
});
const report = async (rows: readonly object[]) =>
  expect(await fixture.call(INGEST, { rows })).toMatchObject({ error: false, rejected: [] });
const counts = async (path: string, body: object) =>
  (await fixture.call(path, body)).crossingCounts as Counts[];

describe(FOR_ORG, () => {
  it('counts by bucket, in and out, over all devices', async () => {
    const startTimeMs = at('2026-01-01T00:00Z');
    await report([
      crossing(startTimeMs),
      crossing(startTimeMs + 59 * MINUTE_MS, { direction: 'EGRESS' }),
      crossing(startTimeMs + 60 * MINUTE_MS, { deviceUuid: `${fixture.own.doorbell.uuid}.v0` }),
      crossing(startTimeMs + 61 * MINUTE_MS, { crossingObject: 'VEHICLE' }),
      crossing(startTimeMs + 180 * MINUTE_MS),
    ]);
    const range = { startTimeMs, endTimeMs: startTimeMs + 180 * MINUTE_MS };
    expect(await counts(FOR_ORG, { ...range, crossingObject: 'HUMAN' })).toEqual([
      { timestampMs: startTimeMs, ingressCount: 1, egressCount: 1 },
      { timestampMs: startTimeMs + 60 * MINUTE_MS, ingressCount: 1, egressCount: 0 },
      { timestampMs: startTimeMs + 120 * MINUTE_MS, ingressCount: 0, egressCount: 0 },
    ]);
    expect((await counts(FOR_ORG, range))[1]).toMatchObject({ ingressCount: 2 });
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const theirs = (await fixture.call(FOR_ORG, range, foreign)).crossingCounts as Counts[];
    expect(theirs.map(({ ingressCount }) => ingressCount)).toEqual([0, 0, 0]);
  });

  it.each([
    ['2026-03-08', '2026-03-08T05:00Z', 23],
    ['2026-11-01', '2026-11-01T04:00Z', 25],
  ])('counts every hour of a day that does not have 24, %s', async (_day, start, hours) => {
    const startMs = at(start);
    const rows: object[] = [];
    for (let hour = 0; hour < hours; hour++) rows.push(crossing(startMs + hour * 60 * MINUTE_MS));
    await report(rows);
    const range = { startTimeMs: startMs, endTimeMs: startMs + hours * 60 * MINUTE_MS };
    const zoned = { ...range, timeZone: 'America/New_York' };
    for (const dedupe of [false, true]) {
      expect(await counts(FOR_ORG, { ...zoned, bucketSize: 'DAY', dedupe })).toEqual([
        { timestampMs: startMs, ingressCount: hours, egressCount: 0 },
      ]);
      const byHour = await counts(FOR_ORG, { ...zoned, bucketSize: 'HOUR', dedupe });
      expect(byHour.map(({ ingressCount }) => ingressCount)).toEqual(new Array(hours).fill(1));
    }
  });

  it('counts an object once per bucket and direction with dedupe', async () => {
    const startTimeMs = at('2026-01-01T00:00Z');
    const same = { objectId: 7 };
    await report([
      crossing(startTimeMs, same),
      crossing(startTimeMs + MINUTE_MS, same),
      crossing(startTimeMs + 2 * MINUTE_MS, { ...same, direction: 'EGRESS' }),
      crossing(startTimeMs + 3 * MINUTE_MS, { ...same, crossingObject: 'VEHICLE' }),
      crossing(startTimeMs + 4 * MINUTE_MS, { ...same, deviceUuid: fixture.own.doorbell.uuid }),
      crossing(startTimeMs + 20 * MINUTE_MS, same),
    ]);
    const body = { startTimeMs, endTimeMs: startTimeMs + 60 * MINUTE_MS, dedupe: true };
    expect(await counts(FOR_ORG, { ...body, bucketSize: 'HOUR' })).toEqual([
      { timestampMs: startTimeMs, ingressCount: 3, egressCount: 1 },
    ]);
    const quarters = await counts(FOR_ORG, { ...body, bucketSize: 'QUARTER_HOUR' });
    expect(quarters.map(({ ingressCount }) => ingressCount)).toEqual([3, 1, 0, 0]);
  });

  it('gives the same result computed at once or piece by piece', async () => {
    const startMs = at('2026-10-24T00:00Z');
    const rows: object[] = [];
    for (let index = 0; index < 400; index++) {
      rows.push(
        crossing(startMs + ((index * 7_919_333) % (48 * 60 * MINUTE_MS)), {
          objectId: index % 9,
          direction: index % 3 === 0 ? 'EGRESS' : 'INGRESS',
        }),
      );
    }
    await report(rows);
    const endMs = startMs + 48 * 60 * MINUTE_MS;
    for (const bucketSize of ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH']) {
      const shape = { bucketSize, timeZone: 'Europe/Berlin' };
      const whole = await counts(FOR_ORG, { ...shape, startTimeMs: startMs, endTimeMs: endMs });
      const summed = new Map<number, Counts>();
      for (let from = startMs; from < endMs; from += 13_000_001) {
        const range = { startTimeMs: from, endTimeMs: Math.min(endMs, from + 13_000_001) };
        for (const { timestampMs, ingressCount, egressCount } of await counts(FOR_ORG, {
          ...shape,
          ...range,
        })) {
          const known = summed.get(timestampMs);
          summed.set(timestampMs, {
            timestampMs,
            ingressCount: ingressCount + (known?.ingressCount ?? 0),
            egressCount: egressCount + (known?.egressCount ?? 0),
          });
        }
      }
      expect([...summed.values()]).toEqual(whole);
      expect(whole.reduce((sum, each) => sum + each.ingressCount + each.egressCount, 0)).toBe(400);
    }
  });

  it.each([
    [{ startTimeMs: 2, endTimeMs: 1 }, 'endTimeMs must not be before startTimeMs.'],
    [{ timeZone: '+02:00' }, 'timeZone must be an IANA time zone such as America/New_York.'],
    [{ bucketSize: 'YEAR' }, /^bucketSize must be one of QUARTER_HOUR, HOUR, DAY, WEEK, MONTH/],
    [{ startTimeMs: 0, endTimeMs: at('2026-01-01T00:00Z') }, /^endTimeMs is too far from startTimeMs/],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(FOR_ORG, body)).errorMsg).toMatch(sentence);
  });
});

describe(BATCH, () => {
  it('counts only the named devices and facets', async () => {
    const startTimeMs = at('2026-01-01T00:00Z');
    const { camera, doorbell } = fixture.own;
    await report([
      crossing(startTimeMs),
      crossing(startTimeMs, { deviceUuid: `${camera.uuid}.v1` }),
      crossing(startTimeMs, { deviceUuid: doorbell.uuid }),
    ]);
    const range = { startTimeMs, endTimeMs: startTimeMs + 1 };
    const ingress = async (...deviceUuids: string[]) =>
      (await counts(BATCH, { ...range, deviceUuids }))[0]?.ingressCount;
    expect(await ingress(camera.uuid)).toBe(2);
    expect(await ingress(`${camera.uuid}.v1`)).toBe(1);
    expect(await ingress(camera.uuid, doorbell.uuid)).toBe(3);
    expect((await fixture.call(BATCH, { ...range, deviceUuids: [camera.uuid, newRuuid()] })).errorMsg).toBe(
      'deviceUuids[1]: there is no device with this UUID.',
    );
  });
});

describe(EVENTS, () => {
  const page = (body: object): Promise<Answer> =>
    fixture.call(EVENTS, { deviceUuid: fixture.own.camera.uuid, ...body });

  it('lists a device’s crossings, oldest first, within a half-open range', async () => {
    const startTimeMs = at('2026-01-01T00:00Z');
    await report([
      crossing(startTimeMs + 1, { objectId: 2, direction: 'EGRESS' }),
      crossing(startTimeMs, { objectId: 1 }),
      crossing(startTimeMs, { deviceUuid: fixture.own.doorbell.uuid }),
      crossing(startTimeMs, { crossingObject: 'FACE' }),
      crossing(startTimeMs + 2),
    ]);
    const body = { startTimeMs, endTimeMs: startTimeMs + 2, crossingObject: 'HUMAN' };
    expect(await page(body)).toEqual({
      error: false,
      thresholdCrossingEvents: [
        { timestampMs: startTimeMs, objectId: 1, crossingObject: 'HUMAN', direction: 'INGRESS' },
        { timestampMs: startTimeMs + 1, objectId: 2, crossingObject: 'HUMAN', direction: 'EGRESS' },
      ],
    });
  });

  it('returns each crossing once, page by page, while others arrive', async () => {
    const startTimeMs = at('2026-01-01T00:00Z');
    const rows = Array.from({ length: 40 }, (_, index) =>
      crossing(startTimeMs + Math.floor(index / 4) * 10, {
        objectId: index,
        id: `same-${index % 20}`,
        deviceUuid: `${fixture.own.camera.uuid}${index < 20 ? '' : '.v1'}`,
      }),
    );
    await report(rows);
    const range = { startTimeMs, endTimeMs: startTimeMs + 1_000 };
    const seen: number[] = [];
    let lastEvaluatedKey: unknown;
    do {
      const response = await page({ ...range, maxPageSize: 3, lastEvaluatedKey });
      const events = response.thresholdCrossingEvents as { objectId: number; timestampMs: number }[];
      seen.push(...events.map(({ objectId }) => objectId));
      lastEvaluatedKey = response.lastEvaluatedKey;
      expect(lastEvaluatedKey === undefined || events.length === 3).toBe(true);
      const seenAtMs = events.at(-1)!.timestampMs;
      await report([
        crossing(seenAtMs - 1, { objectId: 1_000 }),
        crossing(seenAtMs + 1, { objectId: 2_000 }),
      ]);
    } while (lastEvaluatedKey !== undefined);
    const first = seen.filter((objectId) => objectId < 1_000);
    expect(first.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(seen).not.toContain(1_000);
  });

  it('refuses another list’s key, a page that is too large, and an unknown device', async () => {
    expect((await page({ lastEvaluatedKey: 'x' })).errorMsg).toBe(
      'lastEvaluatedKey must be a key that this endpoint returned.',
    );
    expect((await page({ maxPageSize: 1_001 })).errorMsg).toBe(
      'maxPageSize must be an integer from 1 to 1000, got 1001.',
    );
    expect((await page({ deviceUuid: fixture.foreign.camera.uuid })).errorMsg).toBe(
      'deviceUuid: there is no device with this UUID.',
    );
  });
});
