import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { Secret } from '../../core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from './fake-onvif-device.ts';
import type { FakeProfile } from './fake-onvif-responses.ts';
import { inspectOnvifDevice } from './onvif-device.ts';

let device: FakeOnvifDevice | undefined;
afterEach(async () => {
  await device?.close();
  device = undefined;
});

const open = async (options: FakeOnvifDeviceOptions): Promise<FakeOnvifDevice> => {
  device = await FakeOnvifDevice.open(options);
  return device;
};
const LOGIN = { username: 'viewer', password: new Secret('p&ss') };
const login = { username: 'viewer', password: 'p&ss' };
const WRONG = { ...LOGIN, password: new Secret('no') };
const inspect = (service: URL, given: typeof LOGIN | null = null) =>
  inspectOnvifDevice(service, { clock: systemClock, timeoutMs: 5_000, login: given, hasSnapshots: true });
const urlsOf = async (service: URL) => (await inspect(service)).streams.map(({ rtspUrl }) => rtspUrl);

describe('inspectOnvifDevice', () => {
  it('reads maker, model and streams, and stays on the given host', async () => {
    const streams = {
      main: { uri: 'rtsp://192.0.2.99:8554/main?x=1&amp;y=2', snapshotUri: 'http://192.0.2.99:81/jpg' },
      sub: 'rtsp://u:p@other.example/sub',
      web: 'http://192.0.2.99/web',
    };
    const openedMs = Date.now();
    const { service } = await open({ streams, clockEpochMs: openedMs + 90_000, events: {} });
    const found = await inspect(service);
    expect(found).toEqual({
      service: service.href,
      manufacturer: 'Example & Sons',
      model: 'Dome 4',
      streams: [
        {
          profileToken: 'main',
          codec: 'h264',
          widthPx: null,
          heightPx: null,
          rtspUrl: 'rtsp://127.0.0.1:8554/main?x=1&y=2',
          snapshotUrl: 'http://127.0.0.1:81/jpg',
          substreamUrl: null,
        },
        {
          profileToken: 'sub',
          codec: 'h264',
          widthPx: null,
          heightPx: null,
          rtspUrl: 'rtsp://127.0.0.1/sub',
          snapshotUrl: null,
          substreamUrl: null,
        },
      ],
      channels: [{ sourceToken: 'lens', name: null, profileToken: 'main' }],
      clockOffsetMs: found.clockOffsetMs,
      hasEvents: true,
      hasPtz: false,
    });
    // The device's clock does not move and shows whole seconds.
    const leastMs = 89_000 - (Date.now() - openedMs);
    expect([found.clockOffsetMs! >= leastMs, found.clockOffsetMs! <= 90_000]).toEqual([true, true]);
  });

  it('takes H.265 from Media2, because the first service leaves it out (futomi/node-onvif#78, Dahua)', async () => {
    const streams = { main: { uri: 'rtsp://h/main', encoding: 'H265', size: [3840, 2160] as const } };
    const { service, requested } = await open({ streams, media2: 'works', hidesEncoders: true });
    const found = await inspect(service);
    expect(found.streams).toMatchObject([{ codec: 'h265', widthPx: 3840, heightPx: 2160 }]);
    expect(found).toMatchObject({ hasEvents: true, hasPtz: true });
    expect(requested).not.toContain('GetCapabilities');
  });

  it('goes back to the first service if Media2 is named but refused (rvi/ONVIFCamera#4, Hikvision)', async () => {
    const { service } = await open({ streams: { main: 'rtsp://h/main' }, media2: 'refuses' });
    expect(await urlsOf(service)).toEqual(['rtsp://127.0.0.1/main']);
  });

  it('puts the largest picture of each lens first, and JPEG last', async () => {
    const streams = {
      jpeg: { uri: 'rtsp://h/jpeg', encoding: 'JPEG', size: [4000, 3000], source: 'left' },
      small: { uri: 'rtsp://h/small', size: [640, 360], source: 'left' },
      large: { uri: 'rtsp://h/large', size: [2560, 1440], source: 'left' },
      right: { uri: 'rtsp://h/right', size: [640, 360], source: 'right' },
    } as const;
    const { service } = await open({ streams });
    expect((await urlsOf(service)).map((url) => new URL(url).pathname)).toEqual([
      '/large',
      '/small',
      '/jpeg',
      '/right',
    ]);
  });

  it('gives each stream a smaller one of its lens as a substream, H.264 first', async () => {
    const streams = {
      main: { uri: 'rtsp://h/main', encoding: 'H265', size: [3840, 2160], source: 'left' },
      middle: { uri: 'rtsp://h/middle', encoding: 'H265', size: [1280, 720], source: 'left' },
      small: { uri: 'rtsp://h/small', size: [640, 360], source: 'left' },
      jpeg: { uri: 'rtsp://h/jpeg', encoding: 'JPEG', size: [320, 180], source: 'left' },
      right: { uri: 'rtsp://h/right', encoding: 'H265', size: [1920, 1080], source: 'right' },
      rightSub: { uri: 'rtsp://h/right-sub', encoding: 'H265', size: [640, 360], source: 'right' },
      unknown: { uri: 'rtsp://h/unknown', source: 'rear' },
      sized: { uri: 'rtsp://h/sized', size: [640, 360], source: 'rear' },
    } as const;
    const { service } = await open({ streams, media2: 'works' });
    const pairs = (await inspect(service)).streams.map(({ profileToken, substreamUrl }) => [
      profileToken,
      substreamUrl,
    ]);
    expect(Object.fromEntries(pairs)).toEqual({
      main: 'rtsp://127.0.0.1/small',
      middle: 'rtsp://127.0.0.1/small',
      small: null,
      jpeg: null,
      right: 'rtsp://127.0.0.1/right-sub',
      rightSub: null,
      unknown: null,
      sized: null,
    });
  });

  describe('of a video recorder', () => {
    const CHANNELS = Array.from({ length: 16 }, (_, index) => `ch${index + 1}`);
    const streams: Readonly<Record<string, FakeProfile>> = Object.fromEntries(
      CHANNELS.flatMap((source) => [
        [`${source}-sub`, { uri: `rtsp://h/${source}/sub`, size: [640, 360] as const, source }],
        [`${source}-main`, { uri: `rtsp://h/${source}/main`, size: [1_920, 1_080] as const, source }],
      ]),
    );

    it('names each channel as its picture does, and pairs its streams', async () => {
      const overlays = Object.fromEntries(CHANNELS.map((source) => [source, `Aisle ${source.slice(2)}`]));
      const { service } = await open({ streams, overlays, media2: 'works' });
      const { channels, streams: found } = await inspect(service);
      expect(channels).toEqual(
        CHANNELS.map((source) => ({
          sourceToken: source,
          name: `Aisle ${source.slice(2)}`,
          profileToken: `${source}-main`,
        })),
      );
      expect(found).toHaveLength(32);
      expect(found.find(({ profileToken }) => profileToken === 'ch7-main')).toMatchObject({
        rtspUrl: 'rtsp://127.0.0.1/ch7/main',
        substreamUrl: 'rtsp://127.0.0.1/ch7/sub',
      });
    });

    it.each([
      ['the names of its sources', 'Dock 1', 'Dock 1'],
      ['no name that only counts (Dahua: VideoSourceConfig_1)', 'VideoSourceConfig_1', null],
    ])('without overlays, takes %s', async (_name, sourceName, name) => {
      const named = Object.fromEntries(
        Object.entries(streams).map(([token, stream]) => [
          token,
          stream.source === 'ch1' ? { ...stream, sourceName } : stream,
        ]),
      );
      const { service } = await open({ streams: named });
      const { channels } = await inspect(service);
      expect(channels.slice(0, 2)).toMatchObject([{ name }, { name: null }]);
    });

    it('lists a channel whose stream it did not learn in time, main streams first', async () => {
      const clock = new FakeClock();
      const { service, requested } = await open({ streams, stallsAt: 'ch16-main' });
      const inspecting = inspectOnvifDevice(service, { clock, timeoutMs: 8_000, login: null });
      await vi.waitUntil(() => requested.filter((name) => name === 'GetStreamUri').length === 16, PATIENCE);
      clock.advance(8_000);
      const { channels } = await inspecting;
      expect(channels.map(({ profileToken }) => profileToken)).toEqual([
        ...CHANNELS.slice(0, -1).map((source) => `${source}-main`),
        null,
      ]);
    });

    it('has 64 channels', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 64 }, (_, index) => `ch${index}`).flatMap((source) => [
          [`${source}-main`, { uri: `rtsp://h/${source}/main`, size: [1_920, 1_080] as const, source }],
          [`${source}-sub`, { uri: `rtsp://h/${source}/sub`, size: [640, 360] as const, source }],
        ]),
      );
      const { service } = await open({ streams: many });
      const { channels, streams: found } = await inspect(service);
      expect([channels.length, found.length]).toEqual([64, 128]);
    });
  });

  it('asks a camera with one lens for no overlays', async () => {
    const { service, requested } = await open({
      streams: { main: 'rtsp://h/main' },
      overlays: { lens: 'Door' },
    });
    expect((await inspect(service)).channels).toEqual([
      { sourceToken: 'lens', name: null, profileToken: 'main' },
    ]);
    expect(requested).not.toContain('GetOSDs');
  });

  it.each([
    ['another port, as behind NAT (FalkTannhaeuser/python-onvif-zeep#48)', '203.0.113.9:80'],
    ['no address (EliasKotlyar/Xiaomi-Dafang-Hacks#1752)', '0.0.0.0'],
    ['a link-local address', '[fe80::1]:8899'],
  ])('reaches the services of a camera that believes to have %s', async (_name, believes) => {
    const { service } = await open({ streams: { main: 'rtsp://192.0.2.99/main' }, believes });
    expect(await urlsOf(service)).toEqual(['rtsp://127.0.0.1/main']);
  });

  it('logs in using the camera’s own clock', async () => {
    const { service, requested } = await open({
      login,
      clockEpochMs: Date.UTC(2001, 1, 3, 4, 5, 6),
      streams: {},
    });
    expect(await inspect(service, LOGIN)).toMatchObject({ model: 'Dome 4', streams: [] });
    expect(requested.slice(0, 2)).toEqual(['GetSystemDateAndTime', 'GetDeviceInformation']);
    for (const wrong of [null, WRONG, { ...LOGIN, username: 'x' }]) {
      await expect(inspect(service, wrong)).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
    }
  });

  it.each(['http', 'token-and-http', 'http-only'] as const)(
    'logs in where %s is checked (blakeblackshear/frigate#22622, Hikvision)',
    async (checks) => {
      const streams = { main: 'rtsp://h/main' };
      const { service, authorizations } = await open({ login, checks, streams, clockEpochMs: Date.now() });
      expect((await inspect(service, LOGIN)).streams).toHaveLength(1);
      expect(authorizations.every((value) => value.startsWith('Digest username="viewer"'))).toBe(true);
      expect(authorizations.join()).not.toContain('p&ss');
    },
  );

  it('tries a wrong password once per form and no more: cameras lock accounts', async () => {
    const { service, requested } = await open({ login, checks: 'http', clockEpochMs: Date.now() });
    await expect(inspect(service, WRONG)).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
    expect(requested.filter((name) => name === 'GetDeviceInformation')).toHaveLength(2);
  });

  it.each([
    ['no XML', 'hello', 'ONVIF_BAD_ANSWER'],
    ['a page', '<html><body></body></html>', 'ONVIF_BAD_ANSWER'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'ONVIF_BAD_ANSWER'],
    ['an endless response', `<a>${'x'.repeat(600_000)}</a>`, 'ONVIF_BAD_ANSWER'],
    ['another fault', '<e:Envelope><e:Body><e:Fault/></e:Body></e:Envelope>', 'ONVIF_REFUSED'],
  ])('refuses %s', async (_name, rawResponse, code) => {
    const { service } = await open({ rawResponse });
    const options = { clock: systemClock, timeoutMs: 5_000, login: null };
    await expect(inspectOnvifDevice(service, options)).rejects.toMatchObject({ code });
  });

  it('keeps the streams that it knows when time runs out', async () => {
    const clock = new FakeClock();
    const streams = { main: 'rtsp://h/main', sub: 'rtsp://h/sub' };
    const { service, requested } = await open({ streams, stallsAt: 'sub' });
    const inspecting = inspectOnvifDevice(service, { clock, timeoutMs: 8_000, login: null });
    await vi.waitUntil(() => requested.filter((name) => name === 'GetStreamUri').length === 2, PATIENCE);
    clock.advance(8_000);
    expect((await inspecting).streams).toMatchObject([{ profileToken: 'main', snapshotUrl: null }]);
    expect(requested).not.toContain('GetSnapshotUri');
  });

  it('gives up in time, also if nothing listens', async () => {
    const { service } = await open({});
    await device?.close();
    device = undefined;
    await expect(inspect(service)).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
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
