import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

describe('the diagnostic feed', () => {
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
    orgUuid: fixture.own.organization.uuid,
    kind: 'deviceHealth' as const,
    id: newRuuid(),
    deviceUuid,
    atMs: TIME_MS + atMs,
    body: { symptom, ...(seenBy === undefined ? {} : { seenBy }) },
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
      id,
      deviceUuid,
      timestampMs: TIME_MS + 4,
      symptom,
    });
    const rows = [
      row('r1', camera.uuid),
      row('r2', camera.uuid, 'SLOW_INTERNET'),
      row('r3', newRuuid(), 'DOWN'),
    ];
    expect(await fixture.call('/api/ingest/deviceHealth', { rows })).toMatchObject({ acceptedCount: 3 });
    const ofCamera = {
      orgUuid: organization.uuid,
      deviceUuid: camera.uuid,
      deviceName: camera.name,
      deviceType: 'CAMERA',
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
      const response = await fixture.call(FEED, { timestampMsBefore });
      const page = response.diagnosticEvents as Diagnostic[];
      for (const event of page) {
        expect(seen.has(event.uuid)).toBe(false);
        seen.add(event.uuid);
      }
      pages += 1;
      if (response.warningMsg == null) break;
      timestampMsBefore = Date.parse(page.at(-1)!.timestamp);
    }
    expect([pages, seen.size]).toEqual([3, events.length]);
  });
});

describe('the diagnostic file', () => {
  const EXPORT = '/api/export/diagnostic';
  const TIME_MS = Date.UTC(2026, 0, 1, 8, 30, 15);

  let fixture: ApiFixture;
  beforeEach(async () => {
    fixture = await openApiFixture();
  });
  afterEach(() => fixture.close());

  const health = (deviceUuid: Ruuid, atMs: number, symptom: string | null) => ({
    orgUuid: fixture.own.organization.uuid,
    kind: 'deviceHealth' as const,
    id: newRuuid(),
    deviceUuid,
    atMs: TIME_MS + atMs,
    body: { symptom, seenBy: 'gateway' as const },
  });

  it('is a CSV file of when cameras connected and disconnected, newest first', async () => {
    const { camera } = fixture.own;
    await fixture.store.events.add([
      health(camera.uuid, 0, 'DOWN'),
      health(camera.uuid, 60_000, null),
      health(camera.uuid, 3_600_000, 'DOWN'),
    ]);
    const response = await fixture.post(EXPORT, { startInterval: TIME_MS, endInterval: TIME_MS + 3_600_000 });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toBe('attachment; filename="diagnostic.csv"');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    expect(response.body.split('\r\n')).toEqual([
      'date,time,device,activity',
      `2026-01-01,08:31:15+00:00,${camera.name},CAMERA_CONNECTED`,
      `2026-01-01,08:30:15+00:00,${camera.name},CAMERA_DISCONNECTED`,
      '',
    ]);
  });

  it('keeps a name from being read as a formula or as further cells', async () => {
    const { camera } = fixture.own;
    await fixture.store.events.add([health(camera.uuid, 0, 'DOWN')]);
    for (const [name, cell] of [
      ['=HYPERLINK("http://x.example","a")', `"'=HYPERLINK(""http://x.example"",""a"")"`],
      ['+1', `"'+1"`],
      ['-2', `"'-2"`],
      ['@SUM(A1)', `"'@SUM(A1)"`],
      [' =1', `"' =1"`],
      ['＝1', `"'＝1"`],
      ['Lobby, east', '"Lobby, east"'],
      ['a;=1', '"a;=1"'],
    ] as const) {
      await fixture.store.cameras.save({ ...camera, name });
      const [, row] = (await fixture.post(EXPORT, { startInterval: 0 })).body.split('\r\n');
      expect([name, row]).toEqual([name, `2026-01-01,08:30:15+00:00,${cell},CAMERA_DISCONNECTED`]);
    }
  });

  it('has every event of the range, or refuses it', async () => {
    const { uuid } = fixture.own.camera;
    const store = async (count: number, fromMs: number) => {
      for (let start = 0; start < count; start += 1_000) {
        await fixture.store.events.add(
          Array.from({ length: Math.min(1_000, count - start) }, (_, index) =>
            health(uuid, fromMs + Math.floor((start + index) / 7), null),
          ),
        );
      }
    };
    await store(2_500, 0);
    const body = { startInterval: TIME_MS, endInterval: TIME_MS + 10_000 };
    expect((await fixture.post(EXPORT, body)).body.split('\r\n')).toHaveLength(2_500 + 2);
    await store(18_000, 1_000);
    const response = await fixture.call(EXPORT, body);
    expect(response).toEqual({ error: true, errorMsg: expect.stringContaining('Ask for a shorter range.') });
  });

  it('has nothing of another organization, and refuses like every call', async () => {
    await fixture.store.events.add([health(fixture.own.camera.uuid, 0, 'DOWN')]);
    const foreign = await fixture.post(EXPORT, {}, { 'x-auth-apikey': fixture.foreign.apiKey });
    expect(foreign.body).toBe('date,time,device,activity\r\n');
    expect((await fixture.post(EXPORT, {}, { 'x-auth-apikey': 'x' })).statusCode).toBe(401);
    expect((await fixture.call(EXPORT, { startInterval: 'now' })).errorMsg).toMatch(/^startInterval must be/);
  });
});
