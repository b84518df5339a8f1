import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../../core/eventually-equal-fixture.ts';
import { pictureOf } from '../../stream/pictures/picture-fixture.ts';
import {
  allCredentials,
  type DeviceDoor,
  openDeviceDoor,
  queryOf,
  revokeKey,
} from '../device-door-fixture.ts';
import type { FrontDoorFixture } from '../front-door-fixture.ts';
import { askUpgrade, PictureClient } from '../pictures/picture-client-fixture.ts';
import { SoundClient } from '../sounds/sound-client-fixture.ts';

const POSTER = Buffer.from('an image');

let device: DeviceDoor;
let door: FrontDoorFixture;

beforeEach(async () => {
  device = await openDeviceDoor({ hasSubStream: true, poster: POSTER });
  ({ door } = device);
});
afterEach(() => door.close());

describe('the WebSocket of a device', () => {
  let base: string;

  beforeEach(async () => {
    await door.listen();
    base = `http://127.0.0.1:${(door.app.server.address() as AddressInfo).port}${device.folder}`;
    door.camera.start();
  });

  it.each(['ws', 'opus/ws'])('opens with all credentials: %s', async (name) => {
    for (const [path, headers] of await allCredentials(device, name)) {
      expect((await askUpgrade(base + path, headers)).status).toBe(101);
    }
    expect(device.openings.length).toBe(5);
  });

  it('carries main stream and substream, and ends with the key', async () => {
    const token = await device.sessionToken();
    const [main, sub] = [
      await PictureClient.open(`${base}/ws?${queryOf(token)}`),
      await PictureClient.open(`${base}/wsl?${queryOf(token)}`),
    ];
    door.camera.mainPictures.publish(pictureOf(1, true));
    door.camera.subPictures.publish(pictureOf(2, true));
    await eventuallyEqual(() => [main, sub].map(({ frames }) => frames.length), [1, 1]);
    expect([main, sub].map(({ frames }) => frames[0]!.bytes.at(-1))).toEqual([1, 2]);
    revokeKey(device);
    await eventuallyEqual(
      () => [main, sub].map(({ end }) => end),
      Array.from({ length: 2 }, () => '1008 credential-ended'),
    );
  });

  it('carries sound, and ends with the key', async () => {
    const client = await SoundClient.open(`${base}/opus/ws?${queryOf(await device.sessionToken())}`);
    door.camera.sounds.publish({ epochMs: 1_700_000_000_000, packet: Uint8Array.of(0xf8) });
    await eventuallyEqual(() => client.packets.length, 1);
    revokeKey(device);
    await eventuallyEqual(() => client.end, '1008 credential-ended');
  });

  it('carries the main stream under both names if there is no substream', async () => {
    await door.close();
    device = await openDeviceDoor({ hasSubStream: false });
    ({ door } = device);
    await door.listen();
    const { port } = door.app.server.address() as AddressInfo;
    door.camera.start();
    const query = queryOf(await device.sessionToken());
    const client = await PictureClient.open(`http://127.0.0.1:${port}${device.folder}/wsl?${query}`);
    door.camera.mainPictures.publish(pictureOf(3, true));
    await eventuallyEqual(() => client.frames.map(({ bytes }) => bytes.at(-1)), [3]);
  });

  it('is refused before the upgrade, with the reason', async () => {
    expect(await askUpgrade(`${base}/ws`)).toEqual({
      status: 401,
      body: expect.objectContaining({ reason: 'credentials-needed' }),
    });
    expect(await askUpgrade(`${base}/ws?${queryOf('wrong')}`)).toMatchObject({ status: 401 });
    const plain = await fetch(`${base}/ws`, { headers: device.byKey });
    expect([plain.status, ((await plain.json()) as { reason: string }).reason]).toEqual([400, 'bad-request']);
    door.camera.goOffline(door.sharing.clock.epochMs() + 3_000);
    const offline = await askUpgrade(`${base}/ws`, device.byKey);
    expect(offline).toMatchObject({ status: 503, body: { reason: 'camera-offline' } });
    expect(device.openings.length).toBe(2);
  });

  it.each(['ws', 'opus/ws'])(
    'takes a cookie from no page of another host: a browser sends it whoever asks (%s)',
    async (name) => {
      const token = await device.sessionToken();
      const cookie = `RSESSIONID=RFT:${token}`;
      const own = `${base}/${name}`;
      const ask = async (origin: string, url = own, headers: Record<string, string> = { cookie }) =>
        (await askUpgrade(url, { ...headers, origin })).status;
      expect(await ask('https://evil.example')).toBe(401);
      expect(await ask('null')).toBe(401);
      expect(await ask(new URL(base).origin)).toBe(101);
      expect(await ask('https://app.example', `${own}?${queryOf(token)}`, {})).toBe(101);
    },
  );

  it('serves a session of one domain to its pages alone', async () => {
    const token = await device.sessionToken({ domain: 'app.example' });
    const ask = async (origin: string) =>
      (await askUpgrade(`${base}/ws?${queryOf(token)}`, { origin })).status;
    expect(await ask('https://wall.app.example')).toBe(101);
    expect(await ask('https://other.example')).toBe(401);
  });
});
