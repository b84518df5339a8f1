import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { sampleCamera } from '../store/sample-entities.ts';
import { pictureOf } from '../stream/picture-fixture.ts';
import { type DeviceDoor, openDeviceDoor } from './device-door-fixture.ts';
import type { FrontDoorFixture } from './front-door-fixture.ts';
import { askUpgrade, PictureClient } from './picture-client-fixture.ts';
import { RECENT_MS } from './recent-grants.ts';

const POSTER = Buffer.from('an image');

let device: DeviceDoor;
let door: FrontDoorFixture;

beforeEach(async () => {
  device = await openDeviceDoor({ hasSubStream: true, poster: POSTER });
  ({ door } = device);
});
afterEach(() => door.close());

const bySession = (token: string) => ({ 'x-auth-scheme': 'federated-token', 'x-auth-ft': token });
const queryOf = (token: string) => `x-auth-scheme=federated-token&x-auth-ft=${token}`;

const outcome = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await door.get(url, headers);
  return [answer.statusCode, answer.statusCode === 200 ? null : answer.json().reason];
};

/** The path to which a request is led on. */
async function ledTo(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await door.get(url, headers);
  expect([
    answer.statusCode,
    answer.headers['cache-control'],
    answer.headers['access-control-allow-origin'],
  ]).toEqual([302, 'no-store', '*']);
  const { pathname, search } = new URL(String(answer.headers.location), `http://gateway${url}`);
  return pathname + search;
}

const revokeKey = () =>
  door.sharing.devices.putKey({ ...device.key, revokedAtMs: door.sharing.clock.epochMs() });

/** Every way to say who asks, as the rest of a path and headers. */
async function allCredentials(name: string): Promise<[string, Record<string, string>][]> {
  const token = await device.sessionToken();
  return [
    [`/${name}`, device.byKey],
    [`/${name}`, bySession(token)],
    [`/${name}?${queryOf(token)}`, {}],
    [`/${name}`, { cookie: `RSESSIONID=RFT:${token}` }],
    [`/ft/${token}/${name}`, {}],
  ];
}

describe('the manifest of a device', () => {
  it('is under a grant, to which all credentials lead, and needs none of them there', async () => {
    door.camera.start().publishSegments(1);
    for (const [path, headers] of await allCredentials('file.mpd')) {
      const manifest = await ledTo(device.folder + path, headers);
      expect(manifest).toMatch(/^\/live\/[\w-]{82}\/file\.mpd$/);
      expect((await door.get(manifest)).body).toBe('<MPD audience="sound" latency="normal"/>');
    }
  });

  it('keeps what low latency and a height ask for, and nothing else of the query', async () => {
    const token = await device.sessionToken();
    const asked = `${device.folder}/file.mpd?_ds=h240b240&latency=low&${queryOf(token)}`;
    expect(await ledTo(asked)).toMatch(/^\/live\/[\w-]{82}\/file\.mpd\?latency=low&_ds=h240$/);
    const other = `${device.folder}/file.mpd?_ds=best&${queryOf(token)}`;
    expect(await ledTo(other)).toMatch(/^\/live\/[\w-]{82}\/file\.mpd$/);
  });

  it('keeps the wish for H.264, and leaves it to the manifest what that needs', async () => {
    const manifest = await ledTo(`${device.folder}/file.mpd?video=h264`, device.byKey);
    expect(manifest).toMatch(/^\/live\/[\w-]{82}\/file\.mpd\?video=h264$/);
    const folder = manifest.slice(0, manifest.lastIndexOf('/'));
    const segment = await ledTo(`${device.folder}/h264/video/seg_3.m4v`, device.byKey);
    expect(segment).toBe(`${folder}/h264/video/seg_3.m4v`);
    expect(door.camera.touches).toEqual([]);
  });

  it('keeps open what DASH plays, and nothing else', async () => {
    await ledTo(`${device.folder}/file.mpd`, device.byKey);
    expect(door.camera.touches).toEqual(['silent', 'audio']);
  });

  it('gives a player that comes back the grant that it has; another player gets its own', async () => {
    const entry = `${device.folder}/file.mpd`;
    const first = await ledTo(entry, device.byKey);
    expect(await ledTo(entry, device.byKey)).toBe(first);
    expect(await ledTo(entry, { ...device.byKey, 'user-agent': 'another' })).not.toBe(first);
    expect(await ledTo(entry, bySession(await device.sessionToken()))).not.toBe(first);
    expect(device.openings.length).toBe(3);
    door.sharing.clock.advance(RECENT_MS + 1);
    expect(await ledTo(entry, device.byKey)).not.toBe(first);
  });

  it('is no more once the key has ended, neither here nor there', async () => {
    door.camera.start();
    const manifest = await ledTo(`${device.folder}/file.mpd`, device.byKey);
    revokeKey();
    expect(await outcome(manifest)).toEqual([403, 'credential-ended']);
    const [status] = await outcome(`${device.folder}/file.mpd`, device.byKey);
    expect(status).not.toBe(302);
  });

  it('is refused like a playlist', async () => {
    expect(await outcome(`${device.folder}/file.mpd`)).toEqual([401, 'credentials-needed']);
    expect(await outcome(`/media/${newRuuid()}/local/file.mpd`, device.byKey)).toEqual([404, 'unknown']);
    door.removeCamera();
    expect(await outcome(`${device.folder}/file.mpd`, device.byKey)).toEqual([503, 'camera-offline']);
  });
});

describe('names in place of file.mpd, as scripts put them there', () => {
  it('lead to the same media, for one viewer', async () => {
    door.camera.start();
    for (const name of ['main-silent', 'sub-silent', 'main-audio'] as const) {
      door.camera.fake(name).publishSegments(1);
    }
    const token = await device.sessionToken();
    const cookie = { cookie: `RSESSIONID=RFT:${token}` };
    const names = ['video/seg_init.mp4', 'video/seg_0.m4v', 'sub/video/seg_0.m4v', 'audio/seg_0.m4a'];
    const folders = new Set<string>();
    for (const name of ['file.mpd', ...names]) {
      const path = await ledTo(`${device.folder}/${name}`, cookie);
      expect(path.endsWith(`/${name}`)).toBe(true);
      folders.add(path.split('/')[2]!);
      if (name !== 'file.mpd') expect(await outcome(path)).toEqual([200, null]);
    }
    expect([folders.size, door.sharing.sessions.size, device.openings.length]).toEqual([1, 1, 1]);
  });

  it.each(['video/..%2F..%2Fx', 'video/%0d%0aset-cookie:x', `video/${'x'.repeat(70)}`])(
    'are not led on when they are none: %s',
    async (name) => {
      expect((await door.get(`${device.folder}/${name}`, device.byKey)).statusCode).toBe(404);
    },
  );
});

describe('an OAuth access token', () => {
  it('plays a device, in either header, until it is revoked', async () => {
    door.camera.start();
    const { accessToken, revoke } = await device.accessToken();
    for (const headers of [
      { authorization: `Bearer ${accessToken}` },
      { 'x-auth-scheme': 'api-oauth-token', 'x-auth-access-token': accessToken },
    ]) {
      const manifest = await ledTo(`${device.folder}/file.mpd`, headers);
      expect(await outcome(manifest)).toEqual([200, null]);
    }
    const bearer = { authorization: `Bearer ${accessToken}` };
    const manifest = await ledTo(`${device.folder}/file.mpd`, bearer);
    await revoke();
    expect(await outcome(manifest)).toEqual([403, 'credential-ended']);
    expect(await outcome(`${device.folder}/file.mpd`, bearer)).toEqual([401, 'credentials-wrong']);
    expect(await outcome(`${device.folder}/file.m3u8?access_token=${accessToken}`)).toEqual([
      401,
      'credentials-needed',
    ]);
  });
});

describe('the snapshot of a device', () => {
  it('is sent to all credentials, without a viewer', async () => {
    door.camera.start();
    for (const [path, headers] of await allCredentials('snapshot.jpeg')) {
      const answer = await door.get(device.folder + path, headers);
      expect([answer.statusCode, answer.rawPayload]).toEqual([200, POSTER]);
      expect(answer.headers).toMatchObject({ 'content-type': 'image/jpeg', 'x-picture-state': 'live' });
    }
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('ends its wait for the camera with the key', async () => {
    const answer = door.get(`${device.folder}/snapshot.jpeg`, device.byKey);
    await expect.poll(() => door.camera.waitingCount).toBe(1);
    revokeKey();
    door.sharing.clock.advance(1_000);
    const ended = await answer;
    expect([ended.statusCode, ended.json().reason]).toEqual([403, 'credential-ended']);
  });

  it('is refused like a playlist', async () => {
    expect(await outcome(`${device.folder}/snapshot.jpeg`)).toEqual([401, 'credentials-needed']);
    const { store, orgUuid, camera } = door.sharing;
    const another = sampleCamera(orgUuid, { locationUuid: camera.locationUuid, nvrUuid: camera.nvrUuid });
    await store.cameras.save(another);
    const other = await device.sessionToken({ deviceUuid: another.uuid });
    expect(await outcome(`${device.folder}/snapshot.jpeg`, bySession(other))).toEqual([404, 'unknown']);
  });
});

describe('the WebSocket of a device', () => {
  let base: string;

  beforeEach(async () => {
    await door.listen();
    base = `http://127.0.0.1:${(door.app.server.address() as AddressInfo).port}${device.folder}`;
    door.camera.start();
  });

  it('opens with all credentials', async () => {
    for (const [path, headers] of await allCredentials('ws')) {
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
    await expect.poll(() => [main, sub].map(({ frames }) => frames.length)).toEqual([1, 1]);
    expect([main, sub].map(({ frames }) => frames[0]!.bytes.at(-1))).toEqual([1, 2]);
    revokeKey();
    await expect
      .poll(() => [main, sub].map(({ end }) => end))
      .toEqual(Array.from({ length: 2 }, () => '1008 credential-ended'));
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
    await expect.poll(() => client.frames.map(({ bytes }) => bytes.at(-1))).toEqual([3]);
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

  it('takes a cookie from no page of another host: a browser sends it whoever asks', async () => {
    const token = await device.sessionToken();
    const cookie = `RSESSIONID=RFT:${token}`;
    const ask = async (origin: string, url = `${base}/ws`, headers: Record<string, string> = { cookie }) =>
      (await askUpgrade(url, { ...headers, origin })).status;
    expect(await ask('https://evil.example')).toBe(401);
    expect(await ask('null')).toBe(401);
    expect(await ask(new URL(base).origin)).toBe(101);
    expect(await ask('https://app.example', `${base}/ws?${queryOf(token)}`, {})).toBe(101);
  });

  it('serves a session of one domain to its pages alone', async () => {
    const token = await device.sessionToken({ domain: 'app.example' });
    const ask = async (origin: string) =>
      (await askUpgrade(`${base}/ws?${queryOf(token)}`, { origin })).status;
    expect(await ask('https://wall.app.example')).toBe(101);
    expect(await ask('https://other.example')).toBe(401);
  });
});
