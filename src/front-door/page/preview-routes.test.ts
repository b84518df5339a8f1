import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeviceDoor, openDeviceDoor } from '../device-door-fixture.ts';
import { PAGE_POLICY } from './page-routes.ts';

let device: DeviceDoor;
beforeEach(async () => {
  device = await openDeviceDoor();
});
afterEach(() => device.door.close());

async function granted(): Promise<string> {
  const { deviceGate, orgUuid, camera } = device.door.sharing;
  const response = await deviceGate.preview({
    orgUuid,
    cameraUuid: camera.uuid,
    grantText: null,
    principal: { kind: 'key', uuid: device.key.uuid },
    actor: device.key,
    address: '192.0.2.1',
    userAgent: null,
  });
  if (!response.allowed) throw new Error(response.reason);
  return response.grantText;
}

const open = (grant: string) =>
  device.door.inject({ method: 'POST', url: `/preview/${grant}/open`, payload: {} });

describe('the page of a preview', () => {
  it('is the viewer page, which only the API’s own pages can frame', async () => {
    const page = await device.door.get('/preview', { host: 'gateway.example:8081' });
    const shared = await device.door.get('/share/x');
    expect([page.statusCode, page.body]).toEqual([200, shared.body]);
    const policy = page.headers['content-security-policy'];
    expect(policy).toBe(
      PAGE_POLICY.replace('frame-ancestors *', 'frame-ancestors http://gateway.example:8080'),
    );
    expect(page.headers['referrer-policy']).toBe('no-referrer');
  });

  it('has one for several cameras, with the same policy', async () => {
    const host = { host: 'gateway.example:8081' };
    const [page, wall] = [
      await device.door.get('/preview', host),
      await device.door.get('/preview/wall', host),
    ];
    expect(wall.statusCode).toBe(200);
    expect(wall.body).toContain('<title>Watched wall</title>');
    for (const header of ['content-security-policy', 'referrer-policy', 'cache-control']) {
      expect(wall.headers[header]).toBe(page.headers[header]);
    }
  });

  it('gets what it plays by its grant, without a share', async () => {
    const grant = await granted();
    device.door.camera.start();
    const response = await open(grant);
    expect(response.json()).toMatchObject({
      status: 'open',
      playlistUrl: `/video/live/${grant}/file.m3u8`,
      expiresAtSec: null,
    });
    expect(response.json()).toMatchObject({
      pastUrl: `/video/live/${grant}/vod`,
      steeredFrom: ['http://localhost:8080'],
    });
    expect((await device.door.get(`/live/${grant}/file.m3u8`)).statusCode).toBe(200);
  });

  it('gets nothing without one', async () => {
    for (const grant of ['x', 'A'.repeat(82)]) {
      const response = await open(grant);
      expect([response.statusCode, response.json().reason]).toEqual([404, 'unknown']);
    }
    const share = await device.door.share();
    expect((await open(device.door.shareToken(share))).statusCode).toBe(404);
  });

  it('says so when the key or the camera is gone', async () => {
    const grant = await granted();
    device.door.sharing.devices.applied({
      kind: 'key',
      uuid: device.key.uuid,
      record: { ...device.key, revokedAtMs: 1 },
    });
    expect([(await open(grant)).statusCode, (await open(grant)).json().reason]).toEqual([
      403,
      'credential-ended',
    ]);
  });
});
