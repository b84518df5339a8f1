import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { Secret } from '../../core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from './fake-onvif-device.ts';
import { inspectOnvifDevice } from './onvif-device.ts';
import { discoverOnvifDevices } from './ws-discovery.ts';

let device: FakeOnvifDevice | undefined;
afterEach(() => device?.close());

const open = async (options: FakeOnvifDeviceOptions): Promise<FakeOnvifDevice> => {
  device = await FakeOnvifDevice.open(options);
  return device;
};
const LOGIN = { username: 'viewer', password: new Secret('p&ss') };
const inspect = (service: URL, login: typeof LOGIN | null = null) =>
  inspectOnvifDevice(service, { clock: systemClock, timeoutMs: 5_000, login });

describe('inspectOnvifDevice', () => {
  it('reads maker, model and streams, and stays on the given host', async () => {
    const streams = { main: 'rtsp://192.0.2.99:8554/main?x=1&amp;y=2', sub: 'rtsp://u:p@other.example/sub' };
    const { service } = await open({ streams: { ...streams, web: 'http://192.0.2.99/web' } });
    expect(await inspect(service)).toEqual({
      manufacturer: 'Example & Sons',
      model: 'Dome 4',
      streams: [
        { profileToken: 'main', codec: 'h264', rtspUrl: 'rtsp://127.0.0.1:8554/main?x=1&y=2' },
        { profileToken: 'sub', codec: 'h264', rtspUrl: 'rtsp://127.0.0.1/sub' },
      ],
    });
  });

  it('logs in using the camera’s own clock', async () => {
    const login = { username: 'viewer', password: 'p&ss' };
    const { service, asked } = await open({
      login,
      clockEpochMs: Date.UTC(2001, 1, 3, 4, 5, 6),
      streams: {},
    });
    expect(await inspect(service, LOGIN)).toMatchObject({ model: 'Dome 4', streams: [] });
    expect(asked.slice(0, 2)).toEqual(['GetSystemDateAndTime', 'GetDeviceInformation']);
    for (const wrong of [null, { ...LOGIN, password: new Secret('no') }, { ...LOGIN, username: 'x' }]) {
      await expect(inspect(service, wrong)).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
    }
  });

  it.each([
    ['no XML', 'hello', 'ONVIF_BAD_ANSWER'],
    ['a page', '<html><body></body></html>', 'ONVIF_BAD_ANSWER'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'ONVIF_BAD_ANSWER'],
    ['an endless response', `<a>${'x'.repeat(600_000)}</a>`, 'ONVIF_BAD_ANSWER'],
    ['another fault', '<e:Envelope><e:Body><e:Fault/></e:Body></e:Envelope>', 'ONVIF_REFUSED'],
  ])('refuses %s', async (_name, rawAnswer, code) => {
    const { service } = await open({ rawAnswer });
    await expect(inspect(service)).rejects.toMatchObject({ code });
  });

  it('gives up in time, also if nothing listens', async () => {
    const { service } = await open({});
    await device?.close();
    await expect(inspect(service)).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    device = undefined;
    const clock = new FakeClock();
    const { createServer } = await import('node:net');
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const accepted = new Promise<void>((resolve) => silent.once('connection', () => resolve()));
    const { port } = silent.address() as { port: number };
    const waiting = inspectOnvifDevice(new URL(`http://127.0.0.1:${port}/`), {
      clock,
      timeoutMs: 1_000,
      login: null,
    });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    await accepted;
    clock.advance(1_000);
    await refused;
    silent.close();
  });
});

describe('discoverOnvifDevices', () => {
  it('finds each camera that responds, once, at the address that the response came from', async () => {
    const { service, discoveryPort } = await open({});
    const address = { address: '127.0.0.1', port: discoveryPort };
    expect(await discoverOnvifDevices({ clock: systemClock, waitMs: 300, ...address })).toEqual([service]);
  });
});
