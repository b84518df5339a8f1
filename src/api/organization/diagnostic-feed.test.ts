import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const FEED = '/api/report/getDiagnosticFeed';
const TIME_MS = 1_767_225_600_000;

interface Diagnostic {
  readonly uuid: Ruuid;
  readonly timestamp: string;
}

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const feed = async (body: object = {}, headers = {}) =>
  (await fixture.call(FEED, body, headers)).diagnosticEvents as Diagnostic[];
const health = (deviceUuid: Ruuid, atMs: number, symptom: string | null, seenBy?: 'gateway') => ({
  ...{ orgUuid: fixture.own.organization.uuid, kind: 'deviceHealth' as const, id: newRuuid(), deviceUuid },
  ...{ atMs: TIME_MS + atMs, body: { symptom, ...(seenBy === undefined ? {} : { seenBy }) } },
});

it('lists when cameras connected and disconnected, newest first', async () => {
  const { camera, organization } = fixture.own;
  const gone = newRuuid();
  await fixture.store.events.add([
    health(camera.uuid, 1, null, 'gateway'),
    health(camera.uuid, 2, 'DOWN', 'gateway'),
    health(gone, 3, 'DOWN', 'gateway'),
  ]);
  const row = (id: string, deviceUuid: Ruuid, symptom?: string) => ({
    ...{ id, deviceUuid, timestampMs: TIME_MS + 4, symptom },
  });
  const rows = [
    row('r1', camera.uuid),
    row('r2', camera.uuid, 'SLOW_INTERNET'),
    row('r3', newRuuid(), 'DOWN'),
  ];
  expect(await fixture.call('/api/ingest/deviceHealth', { rows })).toMatchObject({ acceptedCount: 3 });
  const ofCamera = {
    ...{ orgUuid: organization.uuid, deviceUuid: camera.uuid },
    ...{ deviceName: camera.name, deviceType: 'CAMERA' },
  };
  const at = (afterMs: number) => new Date(TIME_MS + afterMs).toISOString();
  const all = await feed();
  expect(all).toMatchObject([
    { ...ofCamera, activity: 'CAMERA_CONNECTED', timestamp: at(4) },
    { deviceUuid: gone, activity: 'CAMERA_DISCONNECTED', timestamp: at(3) },
    { ...ofCamera, activity: 'CAMERA_DISCONNECTED', timestamp: at(2) },
    { ...ofCamera, activity: 'CAMERA_CONNECTED', timestamp: at(1) },
  ]);
  const within = await feed({ timestampMsAfter: TIME_MS + 2, timestampMsBefore: TIME_MS + 4 });
  expect(within.map(({ uuid }) => uuid)).toEqual(all.slice(1, 3).map(({ uuid }) => uuid));
  expect(await feed({}, { 'x-auth-apikey': fixture.foreign.apiKey })).toEqual([]);
  expect(await fixture.call(FEED, { timestampMsAfter: 'now' })).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(/^timestampMsAfter must be/),
  });
});

it('returns each event once, page by page, without splitting a millisecond', async () => {
  const { uuid } = fixture.own.camera;
  const events = Array.from({ length: 2_100 }, (_, index) => health(uuid, Math.floor(index / 7), null));
  for (let start = 0; start < events.length; start += 1_000) {
    await fixture.store.events.add(events.slice(start, start + 1_000));
  }
  const seen = new Set<Ruuid>();
  let timestampMsBefore: number | undefined;
  let pages = 0;
  for (;;) {
    const answer = await fixture.call(FEED, { timestampMsBefore });
    const page = answer.diagnosticEvents as Diagnostic[];
    for (const event of page) {
      expect(seen.has(event.uuid)).toBe(false);
      seen.add(event.uuid);
    }
    pages += 1;
    if (answer.warningMsg == null) break;
    timestampMsBefore = Date.parse(page.at(-1)!.timestamp);
  }
  expect([pages, seen.size]).toEqual([3, events.length]);
});
