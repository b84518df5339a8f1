import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, Nvr } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import { createEventServices, type EventServices } from './event-services.ts';
import type { PolicyAlertBody } from './policy-alerts.ts';

const TIME_MS = Date.UTC(2026, 0, 1);
const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

let clock: FakeClock;
let store: Store;
let events: EventServices;
let orgUuid: Ruuid;
let camera: Camera;
let nvr: Nvr;
let cameraStates: Map<Ruuid, CameraReport>;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  cameraStates = new Map();
  events = createEventServices({ store, cameraStates, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  nvr = sampleNvr(orgUuid, { locationUuid: location.uuid });
  await store.nvrs.save(nvr);
  camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: nvr.uuid });
  await store.cameras.save(camera);
});
afterEach(() => store.close());

const raise = async (given: PolicyAlertBody = {}) => {
  const alert = { uuid: newRuuid(), deviceUuid: camera.uuid, timestampMs: TIME_MS, ...given };
  await events.policyAlerts.report(orgUuid, [alert]);
  return alert.uuid;
};

describe('policy alerts', () => {
  it("are at their camera's location unless they say otherwise, and are raised once", async () => {
    const uuid = await raise();
    const alert = await events.policyAlerts.find(orgUuid, uuid);
    expect(alert).toMatchObject({ atMs: TIME_MS, locationUuid: camera.locationUuid });
    const again = { uuid, deviceUuid: camera.uuid, timestampMs: TIME_MS };
    expect(await events.policyAlerts.report(orgUuid, [again])).toBe(0);
    await expect(events.policyAlerts.find(orgUuid, newRuuid())).rejects.toMatchObject({
      code: 'POLICY_ALERT_NOT_FOUND',
    });
  });
});

describe('saved clips', () => {
  it('of an alert take its footage, are stored once, and release it when deleted', async () => {
    const uuid = await raise({ textDescription: 'Motion', durationSec: 12, seekPoints: [{ id: 1 }] });
    await events.savedClips.saveAlert(orgUuid, uuid, {});
    await events.savedClips.saveAlert(orgUuid, uuid, { title: 'At the dock' });
    const { clips, nextMs } = await events.savedClips.page(orgUuid, null, 10, null);
    expect(nextMs).toBeNull();
    expect(clips).toMatchObject([{ name: 'At the dock', body: { durationSec: 12, sourceAlertUuid: uuid } }]);
    expect((await events.policyAlerts.find(orgUuid, uuid)).body).toMatchObject({ saved: true });
    await events.savedClips.remove(orgUuid, clips[0]!.uuid, null);
    expect((await events.policyAlerts.find(orgUuid, uuid)).body).toMatchObject({ saved: false });
    await expect(events.savedClips.remove(orgUuid, clips[0]!.uuid, null)).rejects.toMatchObject({
      code: 'SAVED_CLIP_NOT_FOUND',
    });
  });

  it('of one millisecond are never split', async () => {
    const clip = (id: string) => ({ id, deviceUuids: [`${camera.uuid}.v0`], timestampMs: TIME_MS });
    await events.savedClips.report(orgUuid, [clip('a'), clip('b'), clip('c')]);
    clock.advance(1);
    await events.savedClips.report(orgUuid, [clip('d'), clip('a')]);
    const first = await events.savedClips.page(orgUuid, null, 2, null);
    expect(first).toMatchObject({ nextMs: clock.epochMs(), clips: [{ body: { reportedId: 'd' } }] });
    const second = await events.savedClips.page(orgUuid, first.nextMs, 2, null);
    expect(second.clips).toHaveLength(3);
  });

  it('are counted by device, location and time, private ones separately', async () => {
    const shown = { deviceUuids: [`${camera.uuid}.v0`], timestampMs: TIME_MS };
    await events.savedClips.report(orgUuid, [
      { id: 'a', ...shown },
      { id: 'b', ...shown, accessSettings: { visibility: 'PRIVATE' } },
      { id: 'c', deviceUuids: [], timestampMs: TIME_MS + 1 },
    ]);
    const count = (filter: object) =>
      events.savedClips.count(orgUuid, { deviceUuids: [], locationUuids: [], ...EVER, ...filter }, null);
    expect(await count({})).toEqual({ count: 2, privateCount: 1 });
    expect(await count({ deviceUuids: [camera.uuid] })).toEqual({ count: 1, privateCount: 1 });
    expect(await count({ locationUuids: [camera.locationUuid] })).toEqual({ count: 1, privateCount: 1 });
    expect(await count({ fromMs: TIME_MS + 1 })).toEqual({ count: 1, privateCount: 0 });
  });
});

describe('the health of devices', () => {
  const health = (atMs: number, symptom: 'DOWN' | null, seenBy?: 'gateway') =>
    store.events.add([
      {
        orgUuid,
        kind: 'deviceHealth',
        id: newRuuid(),
        deviceUuid: camera.uuid,
        atMs,
        body: { symptom, ...(seenBy === undefined ? {} : { seenBy }) },
      },
    ]);

  it('names cameras that are offline, and NVRs without a reachable camera', async () => {
    const unhealthy = async () =>
      (await events.health.unhealthyDevices(orgUuid)).map(({ deviceUuid }) => deviceUuid);
    expect(await unhealthy()).toEqual([]);
    cameraStates.set(camera.uuid, reportOf('offline'));
    expect(new Set(await unhealthy())).toEqual(new Set([camera.uuid, nvr.uuid]));
    const second = sampleCamera(orgUuid, { locationUuid: null, nvrUuid: nvr.uuid });
    await store.cameras.save(second);
    cameraStates.set(second.uuid, reportOf('live'));
    expect(await unhealthy()).toEqual([camera.uuid]);
  });

  it('gives uptime from what the gateway saw, and from reports only where it saw nothing', async () => {
    await health(TIME_MS, null);
    await health(TIME_MS + 60_000, 'DOWN');
    clock.stepWallClock(TIME_MS + 120_000 - clock.epochMs());
    const windows = () => events.health.uptime(orgUuid, [camera.uuid], { startMs: TIME_MS });
    const startSeconds = TIME_MS / 1_000;
    expect(await windows()).toEqual([{ startSeconds, durationSeconds: 60 }]);
    await health(TIME_MS + 30_000, null, 'gateway');
    expect(await windows()).toEqual([{ startSeconds: startSeconds + 30, durationSeconds: 90 }]);
    const early = { startMs: TIME_MS, endMs: TIME_MS + 60_000 };
    expect(await events.health.uptime(orgUuid, [camera.uuid], early)).toMatchObject([
      { durationSeconds: 30 },
    ]);
  });

  it('lists when cameras connected and disconnected, and when the gateway last saw that', async () => {
    clock.stepWallClock(TIME_MS + 60_000 - clock.epochMs());
    const lastSeenChangeMs = () => events.health.lastSeenChangeMs(orgUuid, [camera.uuid]);
    await health(TIME_MS, null);
    expect(await lastSeenChangeMs()).toBeNull();
    await health(TIME_MS + 1, 'DOWN', 'gateway');
    expect(await lastSeenChangeMs()).toBe(TIME_MS + 1);
    const { events: seen, isMore } = await events.health.diagnostics(orgUuid, EVER);
    expect(seen).toMatchObject([
      { activity: 'CAMERA_DISCONNECTED', cameraName: camera.name, atMs: TIME_MS + 1 },
      { activity: 'CAMERA_CONNECTED', cameraUuid: camera.uuid, atMs: TIME_MS },
    ]);
    expect(isMore).toBe(false);
  });
});
