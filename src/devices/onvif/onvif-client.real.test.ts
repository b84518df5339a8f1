import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { Secret } from '../../core/secret.ts';
import { GET_DEVICE_INFORMATION } from '../../onvif/device-messages.ts';
import type { TlsTrust } from '../../sources/network/tls-trust.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from './fake-onvif-device.ts';
import { OnvifClient } from './onvif-client.ts';

const PEM = readFileSync(join(import.meta.dirname, '../../sources/direct/fixtures/self-signed.pem'), 'utf8');

let device: FakeOnvifDevice | undefined;
afterEach(() => device?.close());

const open = async (options: FakeOnvifDeviceOptions): Promise<FakeOnvifDevice> => {
  device = await FakeOnvifDevice.open(options);
  return device;
};
const { signal } = new AbortController();
const LOGIN = { username: 'viewer', password: new Secret('p&ss') };
const login = { username: 'viewer', password: 'p&ss' };

describe('OnvifClient', () => {
  it('follows a camera whose clock jumps', async () => {
    const camera = await open({ login, clockEpochMs: Date.now() });
    const client = new OnvifClient(camera.service, { clock: systemClock, login: LOGIN });
    await client.readClock(signal);
    await client.ask(GET_DEVICE_INFORMATION, signal);
    camera.clockEpochMs = Date.UTC(2000, 0, 1);
    await client.ask(GET_DEVICE_INFORMATION, signal);
    expect(client.clockOffsetMs).toBeLessThan(-1e11);
    expect(camera.requested).toEqual([
      'GetSystemDateAndTime',
      'GetDeviceInformation',
      'GetDeviceInformation',
      'GetSystemDateAndTime',
      'GetDeviceInformation',
    ]);
  });

  it('does not repeat a refused login if the clock is as before', async () => {
    const camera = await open({ login, clockEpochMs: Date.now() });
    const wrong = { ...LOGIN, password: new Secret('no') };
    const client = new OnvifClient(camera.service, { clock: systemClock, login: wrong });
    await client.readClock(signal);
    await expect(client.ask(GET_DEVICE_INFORMATION, signal)).rejects.toMatchObject({
      code: 'ONVIF_NOT_AUTHENTICATED',
    });
    expect(camera.requested.filter((name) => name === 'GetDeviceInformation')).toHaveLength(1);
  });

  const fingerprint = new X509Certificate(PEM).fingerprint256.replaceAll(':', '').toLowerCase();
  it.each<[TlsTrust, string | null]>([
    ['any', null],
    [`sha256:${fingerprint}`, null],
    [
      `sha256:${fingerprint.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`,
      'ONVIF_CERTIFICATE_REFUSED',
    ],
    ['verify', 'ONVIF_CERTIFICATE_REFUSED'],
  ])('over https with %s, before anything is sent', async (tls, code) => {
    const camera = await open({ login, clockEpochMs: Date.now(), tls: { key: PEM, cert: PEM } });
    const client = new OnvifClient(camera.service, { clock: systemClock, login: LOGIN, tls });
    const requested = client.readClock(signal).then(() => client.ask(GET_DEVICE_INFORMATION, signal));
    if (code === null) expect((await requested).children[0]?.name).toBe('GetDeviceInformationResponse');
    else await expect(requested).rejects.toMatchObject({ code });
    expect(camera.requested).toHaveLength(code === null ? 2 : 0);
  });
});
