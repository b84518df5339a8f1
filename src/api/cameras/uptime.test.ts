import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CAMERA = '/api/camera/getUptimeWindows';
const NVR = '/api/relay/getUptimeWindows';
const INGEST = '/api/ingest/deviceHealth';

let fixture: ApiFixture;
let cameraUuid: Ruuid;
let startMs: number;
let startTime: number;
beforeEach(async () => {
  fixture = await openApiFixture();
  cameraUuid = fixture.own.camera.uuid;
  startMs = fixture.clock.epochMs();
  startTime = startMs / 1_000;
});
afterEach(() => fixture.close());

/** Records states of cameras, `[seconds, camera, state]` after the start; afterwards, the clock is at `untilSec`. */
async function seen(
  untilSec: number,
  ...states: readonly (readonly [number, Ruuid, 'live' | 'offline'])[]
): Promise<void> {
  await fixture.store.events.add(
    states.map(([atSec, deviceUuid, state]) => ({
      orgUuid: fixture.own.organization.uuid,
      kind: 'deviceHealth',
      deviceUuid,
      id: `gateway:${newRuuid()}`,
      atMs: startMs + atSec * 1_000,
      body: { symptom: state === 'live' ? null : 'DOWN', seenBy: 'gateway' },
    })),
  );
  fixture.clock.advance(startMs + untilSec * 1_000 - fixture.clock.epochMs());
}

/** Windows as `[from, to]`, seconds after the start. */
const windowsOf = async (path: string, body: object, headers = {}) => {
  const { uptimeWindows } = await fixture.call(path, body, headers);
  const windows = uptimeWindows as { startSeconds: number; durationSeconds: number }[];
  return windows.map(({ startSeconds, durationSeconds }) => [
    startSeconds - startTime,
    startSeconds - startTime + durationSeconds,
  ]);
};
const ofCamera = (from: number, to?: number) =>
  windowsOf(CAMERA, {
    cameraUuid,
    startTime: startMs + from * 1_000,
    ...(to !== undefined && { endTime: startMs + to * 1_000 }),
  });

describe(CAMERA, () => {
  it('shows when the gateway had the camera, up to now and no further', async () => {
    expect(await ofCamera(0)).toEqual([]);
    await seen(100, [10, cameraUuid, 'live'], [40, cameraUuid, 'offline'], [70, cameraUuid, 'live']);
    const both = [
      [10, 40],
      [70, 100],
    ];
    expect(await ofCamera(0)).toEqual(both);
    expect(await ofCamera(0, 5_000)).toEqual(both);
    expect(await ofCamera(20, 30)).toEqual([[20, 30]]);
    expect(await ofCamera(45, 60)).toEqual([]);
    expect(await ofCamera(80, 90)).toEqual([[80, 90]]);
    expect(await ofCamera(90, 80)).toEqual([]);
    expect(await ofCamera(200, 300)).toEqual([]);
    expect(await windowsOf(CAMERA, { cameraUuid, startTime: 0 })).toEqual(both);
    expect(await windowsOf(CAMERA, { cameraUuid: `${cameraUuid}.v0`, startTime: startMs })).toEqual(both);
  });

  it('takes a time with a fraction, as the status script of the API family sends it', async () => {
    await seen(100, [10, cameraUuid, 'live']);
    const sent = { cameraUuid, startTime: 1_420_113_600_000, endTime: startMs + 50_000.625 };
    expect(await windowsOf(CAMERA, sent)).toEqual([[10, 50]]);
    const ofNvr = {
      deviceUuid: fixture.own.nvrUuid,
      startTimeMs: startMs + 0.5,
      endTimeMs: startMs + 9_000.25,
    };
    expect(await fixture.call(NVR, ofNvr)).toMatchObject({ error: false });
    const refused = await fixture.call(CAMERA, { cameraUuid, startTime: startMs, endTime: -0.5 - startMs });
    expect(refused.errorMsg).toMatch(/^endTime must be an integer from 0/);
  });

  it('takes seconds, as the MCP server of the API family sends them, and says that milliseconds are meant', async () => {
    await seen(100, [10, cameraUuid, 'live']);
    const uptimeWindows = [{ startSeconds: startTime + 20, durationSeconds: 30 }];
    const [startSec, endSec] = [startTime + 20, startTime + 50];
    const warning = (name: string, sec: number) =>
      `${name} was taken as seconds. Send epoch milliseconds, ${sec}000.`;
    expect(await fixture.call(CAMERA, { cameraUuid, startTime: startSec, endTime: endSec })).toEqual({
      error: false,
      uptimeWindows,
      warningMsg: `${warning('startTime', startSec)} ${warning('endTime', endSec)}`,
    });
    const mixed = { cameraUuid, startTime: startSec, endTime: endSec * 1_000 };
    expect(await fixture.call(CAMERA, mixed)).toEqual({
      error: false,
      uptimeWindows,
      warningMsg: warning('startTime', startSec),
    });
    const ofNvr = { deviceUuid: fixture.own.nvrUuid, startTimeMs: startSec, endTimeMs: endSec };
    expect(await fixture.call(NVR, ofNvr)).toMatchObject({ error: false, uptimeWindows });
    expect(await fixture.call(CAMERA, { cameraUuid, startTime: 0 })).not.toHaveProperty('warningMsg');
  });

  it('uses reports only where the gateway saw nothing', async () => {
    const report = (id: string, atSec: number, symptom?: string) => ({
      id,
      deviceUuid: cameraUuid,
      timestampMs: startMs + atSec * 1_000,
      ...(symptom !== undefined && { symptom }),
    });
    const rows = [report('a', 5), report('b', 15, 'SLOW_INTERNET'), report('c', 25, 'DOWN')];
    fixture.clock.advance(30_000);
    await fixture.call(INGEST, { rows });
    expect(await ofCamera(0)).toEqual([[5, 25]]);
    await seen(60, [50, cameraUuid, 'live']);
    expect(await ofCamera(0)).toEqual([[50, 60]]);
  });

  it('refuses what is not the organization’s and what is invalid', async () => {
    await seen(100, [10, cameraUuid, 'live']);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(CAMERA, { cameraUuid, startTime: startMs }, foreign)).errorMsg).toMatch(
      /no camera/,
    );
    for (const [body, sentence] of [
      [{ startTime: startMs }, 'cameraUuid is required.'],
      [{ cameraUuid }, 'startTime is required.'],
      [{ cameraUuid, startTime: startMs * 1_000 }, /^startTime/],
      [{ cameraUuid: newRuuid(), startTime: startMs }, /no camera/],
    ] as const) {
      expect((await fixture.call(CAMERA, body)).errorMsg).toMatch(sentence);
    }
  });
});

describe(NVR, () => {
  const ofNvr = (from: number, headers = {}) =>
    windowsOf(NVR, { deviceUuid: fixture.own.nvrUuid, startTimeMs: startMs + from * 1_000 }, headers);

  it('shows when one of its cameras was up, or when it was reported to be up', async () => {
    const { organization, nvrUuid } = fixture.own;
    const second = sampleCamera(organization.uuid, { name: 'Yard', nvrUuid });
    const elsewhere = sampleCamera(organization.uuid, { name: 'Gate' });
    for (const each of [second, elsewhere]) await fixture.store.cameras.save(each);
    await seen(
      200,
      [10, cameraUuid, 'live'],
      [20, second.uuid, 'live'],
      [30, cameraUuid, 'offline'],
      [40, second.uuid, 'offline'],
      [50, elsewhere.uuid, 'live'],
      [90, cameraUuid, 'live'],
      [110, cameraUuid, 'offline'],
    );
    const full = await fixture.call('/api/relay/getFullNVRState', { nvruuid: nvrUuid });
    expect(full.fullNVRState).toMatchObject({ connectionTimestampMs: startMs + 110_000 });
    expect(await ofNvr(0)).toEqual([
      [10, 40],
      [90, 110],
    ]);
    const timestampMs = startMs + 105_000;
    await fixture.call(INGEST, { rows: [{ id: 'n', deviceUuid: nvrUuid, timestampMs }] });
    expect(await ofNvr(15)).toEqual([
      [15, 40],
      [90, 200],
    ]);
  });

  it('refuses unknown NVRs and others’', async () => {
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const body = { deviceUuid: fixture.own.nvrUuid, startTimeMs: startMs };
    expect((await fixture.call(NVR, body, foreign)).errorMsg).toMatch(/no NVR/);
    expect((await fixture.call(NVR, { ...body, deviceUuid: newRuuid() })).errorMsg).toMatch(/no NVR/);
    expect((await fixture.call(NVR, { deviceUuid: fixture.own.nvrUuid })).errorMsg).toMatch(/^startTimeMs/);
  });
});
