import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const NO_CAMERA = 'There is no camera with this UUID.';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

type Headers = Record<string, string>;
const call = (name: string, body: object = {}, headers?: Headers): Promise<Answer> =>
  fixture.call(`/api/camera/${name}`, { cameraUuid: fixture.own.camera.uuid, ...body }, headers);
const pauses = async (headers: Headers = {}) =>
  (await fixture.call('/api/camera/getCameraPauses', {}, headers)).pauses as { cameraUuid: string }[];
const keyOf = async (fields: Parameters<typeof addApiKey>[2]): Promise<Headers> => ({
  'x-auth-apikey': await addApiKey(fixture.store, fixture.own.organization.uuid, fields),
});

describe('a pause of a camera', () => {
  it('says by whom and until when, is changed, and ends early, all in the activity', async () => {
    const nowMs = fixture.clock.epochMs();
    const cameraUuid = fixture.own.camera.uuid;
    const { pause } = await call('pauseCamera', { durationSec: 600 });
    expect(pause).toEqual({
      cameraUuid,
      fromMs: nowMs,
      untilMs: nowMs + 600_000,
      pausedBy: fixture.own.key.name,
    });
    expect(await pauses()).toEqual([pause]);
    fixture.clock.advance(60_000);
    const untilMs = nowMs + 7_200_000;
    expect((await call('pauseCamera', { untilMs })).pause).toMatchObject({ fromMs: nowMs, untilMs });
    expect(await call('endCameraPause')).toEqual({ error: false });
    expect(await call('endCameraPause')).toEqual({ error: false });
    expect(await pauses()).toEqual([]);
    const feed = await fixture.call('/api/report/getAuditFeed', { timestampMsAfter: 0 });
    const { auditEvents } = feed as unknown as { auditEvents: { action: string; targetUuid: string }[] };
    const actions = auditEvents
      .filter(({ targetUuid }) => targetUuid === cameraUuid)
      .map((each) => each.action);
    expect(actions).toEqual(expect.arrayContaining(['CAMERA_PAUSED', 'CAMERA_PAUSE_ENDED']));
  });

  it('refuses alerts of the camera, and keeps it and its NVR from the unhealthy devices until it ends', async () => {
    const { camera, doorbell, nvrUuid } = fixture.own;
    const unhealthy = async () => {
      const { unhealthyDeviceAlerts } = await fixture.call('/api/event/getUnhealthyDeviceAlerts');
      return (unhealthyDeviceAlerts as { deviceUuid: string }[]).map(({ deviceUuid }) => deviceUuid);
    };
    const report = async () => {
      const row = { uuid: newRuuid(), deviceUuid: camera.uuid, timestampMs: fixture.clock.epochMs() };
      return fixture.call('/api/ingest/policyAlerts', { rows: [row] });
    };
    for (const uuid of [camera.uuid, doorbell.uuid]) fixture.cameraStates.set(uuid, 'offline');
    expect(new Set(await unhealthy())).toEqual(new Set([camera.uuid, doorbell.uuid, nvrUuid]));
    await call('pauseCamera');
    expect(await unhealthy()).not.toContain(camera.uuid);
    expect(await report()).toMatchObject({ acceptedCount: 0 });
    await call('pauseCamera', { cameraUuid: doorbell.uuid });
    expect(await unhealthy()).toEqual([]);
    await call('endCameraPause');
    expect(await unhealthy()).toContain(camera.uuid);
    expect(await report()).toMatchObject({ acceptedCount: 1 });
    await call('pauseCamera', { durationSec: 60 });
    fixture.clock.advance(60_000);
    expect(await unhealthy()).toContain(camera.uuid);
  });

  it('is neither begun, ended nor seen by another organization, or without rights to the camera', async () => {
    await call('pauseCamera');
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const limited = await keyOf({
      role: 'operator',
      scope: { locationUuids: [], cameraUuids: [fixture.own.doorbell.uuid] },
    });
    for (const headers of [foreign, limited]) {
      for (const name of ['pauseCamera', 'endCameraPause']) {
        expect((await call(name, {}, headers)).errorMsg).toBe(NO_CAMERA);
      }
      expect(await pauses(headers)).toEqual([]);
    }
    const mine = { cameraUuid: fixture.own.doorbell.uuid };
    await call('pauseCamera', mine, limited);
    expect(await pauses(limited)).toMatchObject([mine]);
    expect(await pauses()).toHaveLength(2);
  });

  it('is begun and ended by operators, and seen by viewers', async () => {
    const [viewer, operator] = [await keyOf({ role: 'viewer' }), await keyOf({ role: 'operator' })];
    const body = { cameraUuid: fixture.own.camera.uuid };
    for (const name of ['pauseCamera', 'endCameraPause']) {
      expect((await fixture.post(`/api/camera/${name}`, body, viewer)).statusCode).toBe(403);
      expect((await fixture.post(`/api/camera/${name}`, body, operator)).statusCode).toBe(200);
    }
    expect((await fixture.post('/api/camera/getCameraPauses', {}, viewer)).statusCode).toBe(200);
  });

  it('must end in the future, within 31 days', async () => {
    const nowMs = fixture.clock.epochMs();
    const error = async (body: object) => (await call('pauseCamera', body)).errorMsg;
    expect(await error({ untilMs: nowMs })).toBe('A pause must end in the future.');
    expect(await error({ untilMs: nowMs + 32 * 86_400_000 })).toBe(
      'A camera can be paused for at most 31 days.',
    );
    expect(await error({ durationSec: 59 })).toMatch(/^durationSec must be/);
    expect(await pauses()).toEqual([]);
  });
});
