import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const EXPORT = '/api/export/diagnostic';
const TIME_MS = Date.UTC(2026, 0, 1, 8, 30, 15);

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const health = (deviceUuid: Ruuid, atMs: number, symptom: string | null) => ({
  ...{ orgUuid: fixture.own.organization.uuid, kind: 'deviceHealth' as const, id: newRuuid(), deviceUuid },
  ...{ atMs: TIME_MS + atMs, body: { symptom, seenBy: 'gateway' as const } },
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
  const answer = await fixture.call(EXPORT, body);
  expect(answer).toEqual({ error: true, errorMsg: expect.stringContaining('Ask for a shorter range.') });
});

it('has nothing of another organization, and refuses like every call', async () => {
  await fixture.store.events.add([health(fixture.own.camera.uuid, 0, 'DOWN')]);
  const foreign = await fixture.post(EXPORT, {}, { 'x-auth-apikey': fixture.foreign.apiKey });
  expect(foreign.body).toBe('date,time,device,activity\r\n');
  expect((await fixture.post(EXPORT, {}, { 'x-auth-apikey': 'x' })).statusCode).toBe(401);
  expect((await fixture.call(EXPORT, { startInterval: 'now' })).errorMsg).toMatch(/^startInterval must be/);
});
