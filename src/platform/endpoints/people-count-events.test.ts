import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

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
    ...{ id, deviceUuid, timestampMs: TIME_MS + afterMs, occupancy },
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
  const sentence = async (body: object, headers = {}) => (await fixture.call(EVENTS, body, headers)).errorMsg;
  const unknown = 'deviceUuid: there is no device with this UUID.';
  expect(await sentence({ deviceUuid: camera.uuid }, foreign)).toBe(unknown);
  expect(await sentence({ deviceUuid: newRuuid() })).toBe(unknown);
  expect(await sentence({ deviceUuids: [camera.uuid, newRuuid()] })).toBe(
    'deviceUuids[1]: there is no device with this UUID.',
  );
  expect(await sentence({})).toBe('deviceUuid is required.');
  expect(await sentence({ deviceUuid: camera.uuid, numMostRecent: 0 })).toMatch(/^numMostRecent must be/);
});
