/** `sluice discover` as a user meets it, with cameras on loopback. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from '../../src/devices/onvif/fake-onvif-device.ts';
import { runCli } from '../support/cli.ts';
import { freePort } from '../support/ports.ts';

const PASSWORD = 'open-sesame-42';
const LOGIN = { username: 'admin', password: PASSWORD };
const STREAMS = {
  sub: { uri: 'rtsp://192.0.2.99/sub', encoding: 'H264', size: [640, 360] },
  main: {
    uri: 'rtsp://192.0.2.99/main',
    encoding: 'H265',
    size: [2560, 1440],
    snapshotUri: 'http://192.0.2.99:8080/jpg',
  },
} as const;

let folder: string;
let passwordFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-discover-'));
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${PASSWORD}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open: FakeOnvifDevice[] = [];
afterEach(async () => {
  for (const camera of open.splice(0)) await camera.close();
});
async function camera(options: FakeOnvifDeviceOptions): Promise<FakeOnvifDevice> {
  const device = await FakeOnvifDevice.open({ clockEpochMs: Date.now(), streams: STREAMS, ...options });
  open.push(device);
  return device;
}

const probing = (device: FakeOnvifDevice) => [
  'discover',
  '--wait',
  '1',
  '--to',
  `127.0.0.1:${device.discoveryPort}`,
];

describe('sluice discover', () => {
  it('finds a camera, logs in, and lists its streams with the main one first', async () => {
    const device = await camera({ login: LOGIN, media2: 'works', checks: 'token-and-http', events: {} });
    const result = await runCli(...probing(device), '--user', 'admin', '--password-file', passwordFile);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${device.service.href}  Example & Sons Dome 4, Front door, events, PTZ, clock [+−]\\d\\.\\d s$`,
        ),
      ),
      '  main h265 2560x1440  rtsp://127.0.0.1/main  snapshot http://127.0.0.1:8080/jpg',
      '  sub h264 640x360  rtsp://127.0.0.1/sub',
      '',
    ]);
    expect(result.stdout).not.toContain(PASSWORD);
  });

  it('says that a camera requires a login, which is not a failure of the search', async () => {
    const device = await camera({ login: LOGIN });
    const { code, stdout } = await runCli(...probing(device));
    expect(stdout).toBe(
      `${device.service.href}  Front door, Dome-4  requires a login: set --user and its password ` +
        '[ONVIF_NOT_AUTHENTICATED]\n',
    );
    expect(code).toBe(0);
  });

  it('asks cameras by address, in their order, as JSON, and fails if one does not answer', async () => {
    const first = await camera({});
    const gone = `127.0.0.1:${await freePort()}`;
    const { code, stdout } = await runCli('discover', '--json', first.service.host, gone);
    const [found, missing] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toMatchObject({
      service: first.service.href,
      name: null,
      manufacturer: 'Example & Sons',
      model: 'Dome 4',
      hasEvents: false,
      hasPtz: false,
      needsLogin: false,
      error: null,
      streams: [
        {
          profileToken: 'main',
          codec: 'h265',
          widthPx: 2560,
          heightPx: 1440,
          rtspUrl: 'rtsp://127.0.0.1/main',
        },
        { profileToken: 'sub', snapshotUrl: null },
      ],
    });
    expect(missing).toMatchObject({
      service: `http://${gone}/onvif/device_service`,
      error: { code: 'ONVIF_UNREACHABLE', reason: 'ECONNREFUSED' },
    });
    expect(code).toBe(1);
  });

  it('fails if it finds none', async () => {
    const { createSocket } = await import('node:dgram');
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const to = `127.0.0.1:${silent.address().port}`;
    const result = await runCli('discover', '--wait', '1', '--to', to);
    expect(result).toEqual({ code: 1, stdout: 'No camera responded within 1 s.\n', stderr: '' });
    silent.close();
  });

  it.each([
    [['--user', 'admin'], 'SLUICE_CAMERA_PASSWORD'],
    [['--user', 'admin', '--password-file', '/nowhere/password'], 'ENOENT'],
    [['--password-file', 'x'], '--user as well'],
    [[`http://admin:${PASSWORD}@127.0.0.1/`], 'without user info'],
    [['--tls', 'maybe'], 'verify'],
  ])('refuses %j with a sentence', async (args, part) => {
    const result = await runCli('discover', ...args);
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(part);
    expect(result.stderr).not.toContain(PASSWORD);
  });
});
