import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { inspectOnvifDevice } from '../../devices/onvif/onvif-device.ts';
import { FakeCamera, measurableScript } from '../direct/fake-camera.ts';
import { probeCamera } from '../probe.ts';
import { type AddressRule, ANYWHERE, cameraAddress } from './camera-address.ts';

const FROM_CALLER: AddressRule = { ...ANYWHERE, reach: 'no-local' };

const TIMEOUT_MS = 10_000;

describe('cameraAddress', () => {
  it('judges a name by what it resolves to', async () => {
    expect(['127.0.0.1', '::1']).toContain(await cameraAddress('localhost', ANYWHERE));
    await expect(cameraAddress('localhost', FROM_CALLER)).rejects.toMatchObject({
      code: 'DIRECT_ADDRESS_REFUSED',
      context: { host: 'localhost' },
    });
  });

  it('judges a name by the networks of the organization, and names the address', async () => {
    const networks = { operator: [], organization: ['192.168.0.0/16'] };
    const rule = { ...ANYWHERE, networks };
    await expect(cameraAddress('localhost', rule)).rejects.toMatchObject({
      code: 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS',
      context: { host: 'localhost', address: expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/) },
    });
    const inside = { operator: [], organization: ['127.0.0.0/8', '::1'] };
    expect(['127.0.0.1', '::1']).toContain(await cameraAddress('localhost', { ...rule, networks: inside }));
  });

  it('reports an unknown name', async () => {
    await expect(cameraAddress('camera.invalid', ANYWHERE)).rejects.toMatchObject({
      code: 'DIRECT_UNREACHABLE',
      context: { host: 'camera.invalid' },
    });
  });
});

describe('an address from an API caller', () => {
  let camera: FakeCamera | null = null;
  let server: Server | null = null;
  afterEach(async () => {
    await camera?.close();
    server?.close();
    [camera, server] = [null, null];
  });

  it.each(['127.0.0.1', 'localhost'])('%s is not opened, and no connection is made', async (host) => {
    camera = await FakeCamera.listen(measurableScript(systemClock.epochMs()), null);
    const url = new CredentialUrl(camera.url().replace('127.0.0.1', host));
    const options = { transport: 'auto', timeoutMs: TIMEOUT_MS, clock: systemClock } as const;
    const refused = await probeCamera(url, { ...options, addressRule: FROM_CALLER });
    expect([refused.status, refused.error?.code]).toEqual(['NOT_REACHABLE', 'DIRECT_ADDRESS_REFUSED']);
    expect(camera.connections).toHaveLength(0);
    const declared = await probeCamera(url, { ...options, addressRule: ANYWHERE });
    expect(declared.status).toBe('GOOD');
  });

  it.each(['127.0.0.1', 'localhost'])('%s is not queried over ONVIF', async (host) => {
    let visits = 0;
    server = createServer((socket) => {
      visits++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const service = new URL(`http://${host}:${port}/onvif/device_service`);
    const options = { clock: systemClock, timeoutMs: TIMEOUT_MS, login: null };
    await expect(inspectOnvifDevice(service, { ...options, addressRule: FROM_CALLER })).rejects.toMatchObject(
      {
        code: 'DIRECT_ADDRESS_REFUSED',
      },
    );
    expect(visits).toBe(0);
    await expect(inspectOnvifDevice(service, options)).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    expect(visits).toBe(1);
  });
});
