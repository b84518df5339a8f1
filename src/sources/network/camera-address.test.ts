import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { FakeCamera, measurableScript } from '../direct/fake-camera.ts';
import { probeCamera } from '../direct/probe.ts';
import { inspectOnvifDevice } from '../onvif/onvif-device.ts';
import { cameraAddress, isAllowedAddress } from './camera-address.ts';

const TIMEOUT_MS = 10_000;

describe('isAllowedAddress', () => {
  it.each(['10.0.0.8', '192.168.1.20', '172.16.4.4', '100.64.1.1', '8.8.8.8', '2001:db8::8', 'fd00::8'])(
    'allows a caller to use %s',
    (address) => expect(isAllowedAddress(address, 'no-local')).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255'],
    ...[
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
    ],
    ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '::ffff:0:7f00:1', '2002:7f00:1::', '', 'localhost', '127.1'],
  ])('denies %j to a caller', (address) => expect(isAllowedAddress(address, 'no-local')).toBe(false));

  it('allows the operator to use any', () => {
    for (const address of ['127.0.0.1', '::1', '169.254.1.1']) {
      expect(isAllowedAddress(address, 'anywhere')).toBe(true);
    }
  });
});

describe('cameraAddress', () => {
  it('judges a name by what it resolves to', async () => {
    expect(['127.0.0.1', '::1']).toContain(await cameraAddress('localhost', 'anywhere'));
    await expect(cameraAddress('localhost', 'no-local')).rejects.toMatchObject({
      code: 'DIRECT_ADDRESS_REFUSED',
      context: { host: 'localhost' },
    });
  });

  it('reports an unknown name', async () => {
    await expect(cameraAddress('camera.invalid', 'anywhere')).rejects.toMatchObject({
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
    const refused = await probeCamera(url, { ...options, addressRule: 'no-local' });
    expect([refused.status, refused.error?.code]).toEqual(['NOT_REACHABLE', 'DIRECT_ADDRESS_REFUSED']);
    expect(camera.connections).toHaveLength(0);
    const declared = await probeCamera(url, { ...options, addressRule: 'anywhere' });
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
    await expect(inspectOnvifDevice(service, { ...options, addressRule: 'no-local' })).rejects.toMatchObject({
      code: 'DIRECT_ADDRESS_REFUSED',
    });
    expect(visits).toBe(0);
    await expect(inspectOnvifDevice(service, options)).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    expect(visits).toBe(1);
  });
});
