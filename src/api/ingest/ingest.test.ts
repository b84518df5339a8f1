import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_INGEST_ROWS } from '../../ingest/ingest-batch.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const CROSSINGS = '/api/ingest/thresholdCrossings';
const REPORT = '/api/report/getThresholdCrossingEventsForDevice';
const TIME_MS = 1_767_225_600_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const crossing = (fields: object = {}) => ({
  id: 'a',
  deviceUuid: fixture.own.camera.uuid,
  timestampMs: TIME_MS,
  crossingObject: 'HUMAN',
  objectId: 1,
  direction: 'INGRESS',
  ...fields,
});

describe('a batch', () => {
  it('stores valid rows and names invalid ones', async () => {
    const rows = [
      crossing(),
      crossing({ direction: 'UP' }),
      'nonsense',
      crossing({ id: 'b', deviceUuid: fixture.foreign.camera.uuid }),
      { ...crossing(), objectId: null },
      crossing({ id: 'c' }),
    ];
    expect(await fixture.call(CROSSINGS, { rows })).toEqual({
      error: false,
      warningMsg: '4 of 6 rows were refused: `rejected` says which and why.',
      acceptedCount: 2,
      duplicateCount: 0,
      rejected: [
        { index: 1, field: 'direction', reason: 'direction must be one of INGRESS, EGRESS; got "UP".' },
        { index: 2, field: '', reason: 'The row must be a JSON object, got string.' },
        { index: 3, field: 'deviceUuid', reason: 'deviceUuid must be a camera of the organization.' },
        { index: 4, field: 'objectId', reason: 'objectId is required.' },
      ],
      conflicts: [],
      updates: [],
    });
  });

  it('stores nothing twice', async () => {
    const first = { rows: [crossing(), crossing()] };
    expect(await fixture.call(CROSSINGS, first)).toMatchObject({ acceptedCount: 1, duplicateCount: 1 });
    expect(await fixture.call(CROSSINGS, { rows: [crossing({ objectId: 99 })] })).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 1,
    });
    const range = { startTimeMs: TIME_MS, endTimeMs: TIME_MS + 1 };
    const { crossingCounts } = await fixture.call('/api/report/getThresholdCrossingCountReportForOrg', range);
    expect(crossingCounts).toEqual([{ timestampMs: TIME_MS, ingressCount: 1, egressCount: 0 }]);
    const response = await fixture.call(REPORT, { deviceUuid: fixture.own.camera.uuid, ...range });
    expect(response.thresholdCrossingEvents).toMatchObject([{ objectId: 1 }]);
  });

  it('is limited in size', async () => {
    const rows = new Array(MAX_INGEST_ROWS + 1).fill({});
    expect((await fixture.call(CROSSINGS, { rows })).errorMsg).toBe('rows must have at most 1000 entries.');
  });

  it('can be empty', async () => {
    expect(await fixture.call(CROSSINGS, { rows: [] })).toMatchObject({ acceptedCount: 0, rejected: [] });
  });
});

describe('a device key', () => {
  it('reports, with and without naming its scheme, and does nothing else', async () => {
    const deviceKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    const plain = { 'x-auth-apikey': deviceKey };
    const named = { ...plain, 'x-auth-scheme': 'device' };
    expect(await fixture.call(CROSSINGS, { rows: [crossing()] }, plain)).toMatchObject({ acceptedCount: 1 });
    expect(await fixture.call(CROSSINGS, { rows: [crossing({ id: 'b' })] }, named)).toMatchObject({
      acceptedCount: 1,
    });
    for (const headers of [plain, named, { ...plain, 'x-auth-scheme': 'api' }]) {
      expect((await fixture.post('/api/location/getLocations', {}, headers)).statusCode).toBe(401);
    }
    expect(
      (await fixture.post(CROSSINGS, { rows: [] }, { ...plain, 'x-auth-scheme': 'api' })).statusCode,
    ).toBe(401);
  });

  it('is stored as such', async () => {
    await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    const keys = await fixture.store.apiKeys.list(fixture.own.organization.uuid);
    expect(keys.map(({ scheme }) => scheme).sort()).toEqual(['api', 'device']);
  });

  it('cannot be used by a partner to report', async () => {
    const partnerKey = await addApiKey(fixture.store, fixture.own.organization.uuid, {
      scheme: 'partner-api',
    });
    const headers = { 'x-auth-apikey': partnerKey, 'x-auth-scheme': 'partner-api' };
    expect((await fixture.post(CROSSINGS, { rows: [] }, headers)).statusCode).toBe(401);
  });
});
