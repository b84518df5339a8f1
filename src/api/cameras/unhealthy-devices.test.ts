import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { reportOf } from '../../stream/camera-report-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const ALERTS = '/api/event/getUnhealthyDeviceAlerts';
const INGEST = '/api/ingest/deviceHealth';

let fixture: ApiFixture;
let orgUuid: Ruuid;
let camera: Ruuid;
let doorbell: Ruuid;
let nvr: Ruuid;
let nowMs: number;
beforeEach(async () => {
  fixture = await openApiFixture();
  orgUuid = fixture.own.organization.uuid;
  camera = fixture.own.camera.uuid;
  doorbell = fixture.own.doorbell.uuid;
  nvr = fixture.own.nvrUuid;
  nowMs = fixture.clock.epochMs();
});
afterEach(() => fixture.close());

const alerts = async (headers = {}) => (await fixture.call(ALERTS, {}, headers)).unhealthyDeviceAlerts;

async function report(deviceUuid: Ruuid, timestampMs: number, symptom?: string): Promise<void> {
  const response = await fixture.call(INGEST, {
    rows: [{ id: newRuuid(), deviceUuid, timestampMs, symptom }],
  });
  expect(response).toMatchObject({ acceptedCount: 1 });
}

describe(ALERTS, () => {
  it('is empty while all is well', async () => {
    fixture.cameraStates.set(camera, 'live');
    expect(await alerts()).toEqual([]);
  });

  it('finds cameras that are unreachable now, and the NVR with the last of them', async () => {
    const sinceMs = nowMs - 5_000;
    await fixture.store.events.add([
      {
        orgUuid,
        kind: 'deviceHealth',
        id: 'gateway:1',
        deviceUuid: camera,
        atMs: sinceMs,
        body: { symptom: 'DOWN', seenBy: 'gateway' },
      },
    ]);
    expect(await alerts()).toEqual([]);
    fixture.cameraStates.set(camera, 'offline');
    fixture.cameraStates.set(doorbell, 'offline');
    const found = await alerts();
    expect(found).toMatchObject([
      { deviceUuid: doorbell, orgUuid, timestamp: nowMs, symptom: 'DOWN' },
      { deviceUuid: camera, orgUuid, timestamp: sinceMs, symptom: 'DOWN' },
      { deviceUuid: nvr, orgUuid, timestamp: sinceMs, symptom: 'DOWN' },
    ]);
    expect(await alerts()).toEqual(found);
    fixture.cameraStates.set(camera, 'live');
    expect(await alerts()).toMatchObject([{ deviceUuid: doorbell }]);
  });

  it('has the time that the camera’s state has, also while the camera is tried again', async () => {
    const offlineSinceEpochMs = nowMs - 360_000;
    for (const state of ['offline', 'starting'] as const) {
      const { main, ...rest } = reportOf(state);
      fixture.cameraStates.set(camera, { ...rest, main: { ...main, offlineSinceEpochMs } });
      expect(await alerts()).toMatchObject([
        { deviceUuid: camera, timestamp: offlineSinceEpochMs },
        { deviceUuid: nvr, timestamp: offlineSinceEpochMs },
      ]);
      const list = await fixture.call('/api/camera/getMinimalCameraStateList', {});
      const listed = list.cameraStates as { uuid: Ruuid; connectionDetail: { offlineSinceMs: number } }[];
      expect(listed.find(({ uuid }) => uuid === camera)?.connectionDetail).toMatchObject({
        offlineSinceMs: offlineSinceEpochMs,
      });
      const streams = await fixture.call('/api/camera/getCameraStreamStates', { cameraUuids: [camera] });
      expect(streams.cameras).toMatchObject([{ main: { offlineSinceMs: offlineSinceEpochMs } }]);
    }
  });

  it('takes the newest report of a device', async () => {
    const tracker = newRuuid();
    await report(tracker, nowMs - 3_000, 'DOWN');
    await report(tracker, nowMs - 1_000, 'SLOW_INTERNET');
    await report(tracker, nowMs - 2_000);
    expect(await alerts()).toMatchObject([
      { deviceUuid: tracker, timestamp: nowMs - 1_000, symptom: 'SLOW_INTERNET' },
    ]);
    await report(tracker, nowMs);
    expect(await alerts()).toEqual([]);
  });

  it('reports a problem of a device once, and trusts what it sees itself', async () => {
    await report(camera, nowMs - 1_000, 'DOWN');
    fixture.cameraStates.set(camera, 'offline');
    const found = (await alerts()) as { deviceUuid: Ruuid; timestamp: number }[];
    expect(found.filter(({ deviceUuid }) => deviceUuid === camera)).toMatchObject([{ timestamp: nowMs }]);
  });

  it('ignores old reports and does not show other organizations’', async () => {
    await report(newRuuid(), nowMs - 31 * 24 * 3_600_000, 'DOWN');
    expect(await alerts()).toEqual([]);
    await report(newRuuid(), nowMs, 'DOWN');
    fixture.cameraStates.set(camera, 'offline');
    expect(await alerts({ 'x-auth-apikey': fixture.foreign.apiKey })).toEqual([]);
  });

  it('refuses invalid reports', async () => {
    const rows = [{ id: 'a', deviceUuid: camera, timestampMs: nowMs, symptom: 'SAD' }];
    expect(await fixture.call(INGEST, { rows })).toMatchObject({ rejected: [{ field: 'symptom' }] });
    expect((await fixture.call(ALERTS, '[]')).errorMsg).toBe(
      'The request body must be a JSON object, got array.',
    );
  });
});
