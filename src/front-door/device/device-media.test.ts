import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../../core/eventually-equal-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import {
  allCredentials,
  bySession,
  type DeviceDoor,
  openDeviceDoor,
  queryOf,
  revokeKey,
} from '../device-door-fixture.ts';
import type { FrontDoorFixture } from '../front-door-fixture.ts';
import { RECENT_MS } from '../session/recent-grants.ts';

const POSTER = Buffer.from('an image');

let device: DeviceDoor;
let door: FrontDoorFixture;

beforeEach(async () => {
  device = await openDeviceDoor({ hasSubStream: true, poster: POSTER });
  ({ door } = device);
});
afterEach(() => door.close());

const outcome = async (url: string, headers: Record<string, string> = {}) => {
  const response = await door.get(url, headers);
  return [response.statusCode, response.statusCode === 200 ? null : response.json().reason];
};

/** The path to which a request is led on. */
async function ledTo(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await door.get(url, headers);
  expect([
    response.statusCode,
    response.headers['cache-control'],
    response.headers['access-control-allow-origin'],
  ]).toEqual([302, 'no-store', '*']);
  const { pathname, search } = new URL(String(response.headers.location), `http://gateway${url}`);
  return pathname + search;
}

describe('the manifest of a device', () => {
  it('is under a grant, to which all credentials lead, and needs none of them there', async () => {
    door.camera.start().publishSegments(1);
    for (const [path, headers] of await allCredentials(device, 'file.mpd')) {
      const manifest = await ledTo(device.folder + path, headers);
      const folder = 'cookie' in headers ? 'beside/' : '';
      expect(manifest).toMatch(new RegExp(`^/live/[\\w-]{82}/${folder}file\\.mpd$`));
      expect((await door.get(manifest)).body).toBe('<MPD audience="sound" latency="normal"/>');
    }
  });

  it('keeps what low latency and a height ask for, and nothing else of the query', async () => {
    const token = await device.sessionToken();
    const requested = `${device.folder}/file.mpd?_ds=h240b240&latency=low&${queryOf(token)}`;
    expect(await ledTo(requested)).toMatch(/^\/live\/[\w-]{82}\/file\.mpd\?latency=low&_ds=h240$/);
    const other = `${device.folder}/file.mpd?_ds=best&${queryOf(token)}`;
    expect(await ledTo(other)).toMatch(/^\/live\/[\w-]{82}\/file\.mpd$/);
  });

  it('keeps the request for H.264, which the manifest carries out', async () => {
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
    revokeKey(device);
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

describe('a script with a session in its cookie', () => {
  const cookie = async () => ({ cookie: `RSESSIONID=RFT:${await device.sessionToken()}` });

  it.each(['session alone', 'session and key'])(
    'finds the video next to the manifest, under one grant, with its %s',
    async (credentials) => {
      door.camera.start();
      door.camera.fake('main-silent').publishSegments(1);
      const key = credentials === 'session alone' ? {} : device.byKey;
      const headers = { ...(await cookie()), ...key };
      const manifest = await ledTo(`${device.folder}/file.mpd?latency=low`, headers);
      expect(manifest).toMatch(/^\/live\/[\w-]{82}\/beside\/file\.mpd\?latency=low$/);
      expect((await door.get(manifest)).body).toBe('<MPD audience="sound" latency="low"/>');
      const folder = manifest.slice(0, manifest.lastIndexOf('/'));
      for (const name of ['seg_init.mp4', 'seg_0.m4v']) {
        const video = await ledTo(`${device.folder}/${name}`, headers);
        expect(video).toBe(`${folder.replace('beside', 'video')}/${name}`);
        for (const path of [video, `${folder}/${name}`]) {
          expect((await door.get(path)).body).toContain('main-silent');
        }
      }
      expect(device.openings.length).toBe(1);
      // Players find the other streams from there, too.
      for (const [stream, name] of [
        ['sub-silent', 'sub/video/seg_0.m4v'],
        ['main-audio', 'audio/seg_0.m4a'],
      ] as const) {
        door.camera.fake(stream).publishSegments(1);
        expect((await door.get(`${folder}/${name}`)).body).toContain(stream);
      }
      expect((await door.get(`${folder}/time`)).statusCode).toBe(200);
    },
  );

  it('gets nothing under names that no media have', async () => {
    const headers = await cookie();
    for (const name of ['seg_0.m4a', 'seg_x.m4v', 'file.mp4', 'seg_00.m4v', '..%2Fseg_0.m4v']) {
      expect((await door.get(`${device.folder}/${name}`, headers)).statusCode).toBe(404);
    }
    expect((await door.get(`${device.folder}/seg_0.m4v`)).statusCode).toBe(401);
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
      expect(path.endsWith(name === 'file.mpd' ? '/beside/file.mpd' : `/${name}`)).toBe(true);
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
    for (const [path, headers] of await allCredentials(device, 'snapshot.jpeg')) {
      const response = await door.get(device.folder + path, headers);
      expect([response.statusCode, response.rawPayload]).toEqual([200, POSTER]);
      expect(response.headers).toMatchObject({ 'content-type': 'image/jpeg', 'x-picture-state': 'live' });
    }
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('ends its wait for the camera with the key', async () => {
    const response = door.get(`${device.folder}/snapshot.jpeg`, device.byKey);
    await eventuallyEqual(() => door.camera.waitingCount, 1);
    revokeKey(device);
    door.sharing.clock.advance(1_000);
    const ended = await response;
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
