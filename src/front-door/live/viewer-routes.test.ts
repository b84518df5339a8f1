import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { anyText } from '../../core/any-text-fixture.ts';
import { GatewayError } from '../../core/errors.ts';
import { FIXTURE_EPOCH_MS, GRANT_LIFETIME_MS } from '../../sharing/sharing-fixture.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import { ADVANCE_LIMIT, PARTS_PER_SEGMENT } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
});
afterEach(() => door.close());

/** One turn of the event loop: injected requests are handled, and wait. */
const settle = () => new Promise(setImmediate);

/** A playing camera, and the folder of a viewer. */
async function watch(fields: object = {}): Promise<string> {
  door.camera.start();
  return door.openShare(await door.share(fields));
}

describe('playlists', () => {
  it.each([
    ['file.m3u8', 'main full m4v', 'main-silent full m4v'],
    ['stream.m3u8', 'main full mp4', 'main-silent full mp4'],
    ['sub/file.m3u8', 'sub full m4v', 'sub-silent full m4v'],
    ['sub/stream.m3u8', 'sub full mp4', 'sub-silent full mp4'],
    ['index.m3u8', 'CODECS="avc1.64001f,mp4a.40.2"', 'CODECS="avc1.64001f"'],
  ])('named %s show the share’s rendition', async (name, heard, silent) => {
    const [withSound, without] = [await watch(), await watch({ includeAudio: false })];
    for (const [folder, text] of [
      [withSound, heard],
      [without, silent],
    ] as const) {
      const playlist = await door.get(folder + name);
      expect([playlist.statusCode, playlist.body]).toEqual([200, expect.stringContaining(text)]);
      expect(playlist.headers).toMatchObject({
        'content-type': 'application/vnd.apple.mpegurl',
        'content-length': String(playlist.body.length),
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      });
    }
  });

  it.each([
    ['file.m3u8', 'main full m4v'],
    ['file.m3u8?_HLS_skip=YES', 'main delta m4v'],
    ['sub/stream.m3u8', 'sub full mp4'],
    ['index.m3u8', 'CODECS="avc1.64001f,mp4a.40.2"'],
  ])('named %s are compressed for clients that accept it', async (name, text) => {
    const folder = await watch();
    const plain = await door.get(folder + name);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.body).toContain(text);
    for (const accept of ['gzip;q=0, br', 'identity', 'identity;q=1, gzip;q=0.5']) {
      const refused = await door.get(folder + name, { 'accept-encoding': accept });
      expect([refused.body, refused.headers]).toEqual([
        plain.body,
        { ...plain.headers, date: expect.anything() },
      ]);
    }
    for (const accept of ['gzip, deflate, br', '*', 'x-gzip;q=0.3']) {
      const { headers, rawPayload } = await door.get(folder + name, { 'accept-encoding': accept });
      expect(headers).toMatchObject({
        ...plain.headers,
        date: expect.anything(),
        'content-encoding': 'gzip',
        'content-length': String(rawPayload.length),
      });
      expect(gunzipSync(rawPayload).toString('latin1')).toBe(plain.body);
    }
  });

  it('that are waited for are compressed, too', async () => {
    const folder = await watch();
    const live = door.camera.fake('main');
    const accept = { 'accept-encoding': 'gzip' };
    const requested = [accept, {}].map((headers) =>
      door.get(`${folder}file.m3u8?_HLS_msn=0&_HLS_part=1`, headers),
    );
    await settle();
    expect(live.waitingCount).toBe(2);
    live.publish();
    const [zipped, plain] = await Promise.all(requested);
    expect(zipped!.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(zipped!.rawPayload).toString('latin1')).toBe(plain!.body);
  });

  it.each([
    'sub/index.m3u8',
    'sub/poster.jpg',
    'sub/status',
    'sub',
    'sub/',
    'main/file.m3u8',
    'File.m3u8',
    'file.m3u',
  ])('named %s do not exist', async (name) => {
    expect((await door.get((await watch()) + name)).statusCode).toBe(404);
  });

  it('notify the camera when a viewer that got media from one stream requests the other', async () => {
    const folder = await watch();
    const isSwitch = async (name: string, stream: 'main' | 'sub') => {
      await door.get(folder + name);
      return door.camera.fake(stream).requested?.isSwitch ?? false;
    };
    expect(await isSwitch('sub/file.m3u8', 'sub')).toBe(false);
    expect(await isSwitch('file.m3u8', 'main')).toBe(false);
    await door.get(`${folder}sub/seg_0.0.m4v`);
    expect(await isSwitch('sub/file.m3u8', 'sub')).toBe(false);
    expect(await isSwitch('file.m3u8', 'main')).toBe(true);
    await door.get(`${folder}seg_0.0.m4v`);
    expect(await isSwitch('file.m3u8?_HLS_msn=0&_HLS_part=0', 'main')).toBe(false);
    expect(await isSwitch('sub/file.m3u8', 'sub')).toBe(true);
  });

  it('of a substream that the camera does not have do not exist', async () => {
    await door.close();
    door = await openFrontDoorFixture();
    const folder = await door.openShare(await door.share());
    expect((await door.get(`${folder}sub/file.m3u8`)).statusCode).toBe(404);
    door.camera.start();
    expect((await door.get(`${folder}sub/stream.m3u8`)).statusCode).toBe(404);
  });

  it.each([
    ['_HLS_msn=0', 4],
    ['_HLS_msn=0&_HLS_part=1', 2],
    ['_HLS_part=2&_HLS_msn=0', 3],
    ['x=1&_HLS_msn=0&_HLS_part=3&y', 4],
  ])('requested with %s are sent when they have got that far', async (query, parts) => {
    const folder = await watch();
    for (const [name, rendition] of [
      ['file.m3u8', 'main'],
      ['sub/stream.m3u8', 'sub'],
    ] as [string, RenditionName][]) {
      const live = door.camera.fake(rendition);
      const requested = door.get(`${folder}${name}?${query}`);
      await settle();
      expect(live.waitingCount).toBe(1);
      for (let part = 1; part < parts; part++) live.publish();
      expect((await requested).body).toContain(`parts=${parts}`);
    }
  });

  it.each([
    ['_HLS_skip=YES', 'delta'],
    ['_HLS_skip=v2', 'delta'],
    ['_HLS_skip=YES&_HLS_msn=0&_HLS_part=0', 'delta'],
    ['_HLS_msn=0&_HLS_part=0', 'full'],
    ['_hls_skip=YES', 'full'],
    ['', 'full'],
  ])('requested with %s are %s', async (query, kind) => {
    const folder = await watch();
    for (const name of ['file.m3u8', 'stream.m3u8'])
      expect((await door.get(`${folder}${name}?${query}`)).body).toContain(` ${kind} `);
  });

  it.each([
    '_HLS_msn=',
    '_HLS_msn=-1',
    '_HLS_msn=x',
    '_HLS_msn=1.5',
    '_HLS_msn=%31',
    '_HLS_msn=9999999999999999',
    '_HLS_msn=0&_HLS_part=-1',
    '_HLS_part=0',
    '_HLS_skip=yes',
    '_HLS_skip=',
    '_HLS_skip',
    '_HLS_msn=5',
    '_HLS_msn=0&_HLS_part=9',
  ])('requested with %s are a bad request, reported immediately', async (query) => {
    const folder = await watch();
    for (const name of ['file.m3u8', 'sub/stream.m3u8']) {
      const response = await door.get(`${folder}${name}?${query}`);
      expect([response.statusCode, response.json().reason]).toEqual([400, 'bad-request']);
    }
  });
});

describe('media', () => {
  it.each([
    ['seg_1.m4v', 'main part 1.0;main part 1.1;main part 1.2;main part 1.3;'],
    ['seg_1.mp4', 'main part 1.0;main part 1.1;main part 1.2;main part 1.3;'],
    ['seg_1.2.m4v', 'main part 1.2;'],
    ['seg_1.2.mp4', 'main part 1.2;'],
    ['seg_init.mp4', 'main init'],
    ['sub/seg_0.0.m4v', 'sub part 0.0;'],
    ['sub/seg_init.mp4', 'sub init'],
  ])('named %s is the same for everyone, forever', async (name, body) => {
    const folder = await watch();
    door.camera.fake('main').publishSegments(2);
    const media = await door.get(folder + name);
    expect([media.statusCode, media.body]).toEqual([200, body]);
    expect(media.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(body.length),
      'cache-control': 'private, max-age=3600, immutable',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    'seg_9.m4v',
    'seg_0.m4v',
    'seg_0.9.m4v',
    'seg_00.0.m4v',
    'seg_-1.m4v',
    'seg_0.0.ts',
    'seg_0.0.m4v.mp4',
    'seg_init.m4v',
    'seg_init_00000000.mp4',
    'seg_999999999999999.m4v',
    'seg_9999999999999999999.m4v',
    'x',
    '__proto__',
    '..%2fseg_0.0.m4v',
    '%2e%2e',
    'seg_0.0.m4v%00',
    '%F0%9F%93%B7',
  ])('named %s is not found', async (name) => {
    const folder = await watch();
    for (const place of [folder, `${folder}sub/`]) {
      const response = await door.get(place + name);
      expect([response.statusCode, response.json().reason]).toEqual([404, 'not-found']);
    }
  });

  it('does not exist before the camera has played', async () => {
    const folder = await door.openShare(await door.share());
    for (const name of ['seg_0.0.m4v', 'seg_0.m4v', 'seg_init.mp4'])
      expect((await door.get(folder + name)).statusCode).toBe(404);
  });

  it('of an offline camera can be played to its end, and then must be waited for', async () => {
    const folder = await watch();
    door.camera.goOffline(FIXTURE_EPOCH_MS + 3_000);
    expect((await door.get(`${folder}seg_0.0.m4v`)).statusCode).toBe(200);
    for (const name of ['seg_0.1.m4v', 'file.m3u8', 'index.m3u8']) {
      const response = await door.get(folder + name);
      expect([response.statusCode, response.json().reason, response.headers['retry-after']]).toEqual([
        503,
        'camera-offline',
        '3',
      ]);
    }
  });

  it('survives any query and any name without an internal failure', async () => {
    const folder = await watch();
    const directive = fc.record({
      name: fc.constantFrom('_HLS_msn', '_HLS_part', '_HLS_skip', 'x'),
      value: fc.oneof(
        fc.string(),
        fc.integer().map(String),
        { weight: 3, arbitrary: fc.nat(4).map(String) },
        { weight: 2, arbitrary: fc.constantFrom('YES', 'v2', '-1', '1e9', '') },
      ),
    });
    const playlist = fc.constantFrom('file.m3u8', 'stream.m3u8', 'sub/file.m3u8', 'sub/stream.m3u8');
    const small = { weight: 3, arbitrary: fc.nat(2) };
    const number = fc.oneof(small, fc.nat(9), fc.integer(), fc.string({ maxLength: 3 }));
    const mediaName = fc
      .tuple(number, number, fc.constantFrom('m4v', 'mp4', 'ts'))
      .map(([msn, part, ending]) => `seg_${msn}.${part}.${ending}`);
    const seen = new Set<string>();
    const known = fc.constantFrom('seg_0.0.m4v', 'seg_0.1.mp4');
    const anyName = fc.oneof(mediaName, known, anyText({ maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(
        playlist,
        fc.array(directive, { maxLength: 4 }),
        anyName,
        async (path, query, name) => {
          const text = query.map((each) => `${each.name}=${encodeURIComponent(each.value)}`).join('&');
          const requested = [
            door.get(`${folder}${path}?${text}`),
            door.get(folder + encodeURIComponent(name)),
          ];
          await settle();
          // Requests that wait for something later learn that the camera went offline.
          const gone = new GatewayError(STREAM_ERRORS.STREAM_CLOSED);
          for (const rendition of ['main', 'sub'] as const) door.camera.fake(rendition).fail(gone);
          const [playlistResponse, mediaResponse] = await Promise.all(requested);
          expect(playlistResponse!.statusCode).toBe(playlistStatus(query));
          expect(mediaResponse!.statusCode).toBe(mediaStatus(name));
          seen.add(`playlist ${playlistResponse!.statusCode}`).add(`media ${mediaResponse!.statusCode}`);
        },
      ),
      randomRuns(200),
    );
    expect(seen.size).toBe(6); // three of each
  });
});

/** The status of a playlist's query if part 0.0 is the only one and the camera then goes offline. */
function playlistStatus(query: readonly { readonly name: string; readonly value: string }[]): number {
  const isValid = ({ name, value }: { readonly name: string; readonly value: string }) => {
    if (name === 'x') return true;
    return name === '_HLS_skip' ? value === 'YES' || value === 'v2' : /^\d{1,15}$/.test(value);
  };
  const numberOf = (directive: string) => {
    const last = query.findLast(({ name }) => name === directive);
    return last === undefined ? null : Number(last.value);
  };
  if (!query.every(isValid)) return 400;
  const [msn, part] = [numberOf('_HLS_msn'), numberOf('_HLS_part')];
  if (msn === null) return part === null ? 200 : 400;
  const needed = part === null ? (msn + 1) * PARTS_PER_SEGMENT : msn * PARTS_PER_SEGMENT + part + 1;
  if (needed <= 1) return 200;
  return needed <= 1 + ADVANCE_LIMIT ? 503 : 400;
}

/** The status of a media name in that case. */
function mediaStatus(name: string): number {
  if (/^seg_0\.0\.(m4v|mp4)$/.test(name)) return 200;
  return /^seg_0\.1\.(m4v|mp4)$/.test(name) ? 503 : 404;
}

describe('grants', () => {
  it('that are forged anywhere or truncated anywhere are refused', async () => {
    const folder = await watch();
    const grant = folder.split('/')[2]!;
    for (let length = 1; length < grant.length; length++) {
      const response = await door.get(`/live/${grant.slice(0, length)}/stream.m3u8`);
      expect([response.statusCode, response.json().reason]).toEqual([404, 'unknown']);
    }
    for (let at = 0; at < grant.length; at++) {
      const other = grant[at] === 'A' ? 'B' : 'A';
      const forged = grant.slice(0, at) + other + grant.slice(at + 1);
      expect((await door.get(`/live/${forged}/seg_0.0.m4v`)).statusCode).toBe(404);
    }
    for (const tail of ['A', '=', '%20', '%00', '.']) {
      expect((await door.get(`/live/${grant}${tail}/seg_0.0.m4v`)).statusCode).toBe(404);
    }
    expect((await door.get(`${folder}seg_0.0.m4v`)).statusCode).toBe(200);
  });

  it('that are too old are refused as such', async () => {
    const folder = await watch();
    door.sharing.clock.advance(GRANT_LIFETIME_MS - 1);
    expect((await door.get(`${folder}seg_0.0.m4v`)).statusCode).toBe(200);
    door.sharing.clock.advance(1);
    const response = await door.get(`${folder}seg_0.0.m4v`);
    expect([response.statusCode, response.json()]).toEqual([
      403,
      {
        error: true,
        errorMsg: expect.any(String),
        reason: 'grant-expired',
        serverTimeMs: FIXTURE_EPOCH_MS + GRANT_LIFETIME_MS,
      },
    ]);
  });

  it('of one share show nothing of another: neither its camera nor its audio', async () => {
    const silent = await watch({ includeAudio: false });
    const heard = await door.openShare(await door.share());
    expect((await door.get(`${silent}seg_0.0.m4v`)).body).toBe('main-silent part 0.0;');
    expect((await door.get(`${heard}seg_0.0.m4v`)).body).toBe('main part 0.0;');
  });

  it('of a revoked share end with it, and those of others stay valid', async () => {
    const share = await door.share();
    door.camera.start();
    const [gone, stays] = [await door.openShare(share), await door.openShare(await door.share())];
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    expect((await door.get(`${gone}seg_0.0.m4v`)).json().reason).toBe('revoked');
    expect((await door.get(`${stays}seg_0.0.m4v`)).statusCode).toBe(200);
  });

  it('are refused everywhere in the folder', async () => {
    const folder = await watch({ expirationTimeSecs: 60 });
    door.sharing.clock.advance(60_000);
    for (const name of [
      'file.m3u8',
      'stream.m3u8',
      'index.m3u8',
      'sub/file.m3u8',
      'seg_init.mp4',
      'seg_0.0.m4v',
      'poster.jpg',
      'status',
      'x',
    ]) {
      const response = await door.get(folder + name);
      expect([name, response.statusCode, response.json().reason]).toEqual([name, 403, 'expired']);
    }
  });
});

describe('the poster', () => {
  it('is the camera’s newest frame', async () => {
    const poster = Buffer.from('a picture');
    await door.close();
    door = await openFrontDoorFixture({ poster });
    const response = await door.get(`${await watch()}poster.jpg`);
    expect([response.statusCode, response.rawPayload]).toEqual([200, poster]);
    expect(response.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'private, no-cache',
    });
  });

  it('is empty before the first frame, which is not a failure', async () => {
    const response = await door.get(`${await door.openShare(await door.share())}poster.jpg`);
    expect([response.statusCode, response.body, response.headers['cache-control']]).toEqual([
      204,
      '',
      'no-store',
    ]);
  });

  it('of a share that is revoked while it is made is refused', async () => {
    await door.close();
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    door = await openFrontDoorFixture({ poster: promise });
    const share = await door.share();
    const requested = door.get(`${await door.openShare(share)}poster.jpg`);
    await settle();
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    resolve(Buffer.from('a picture'));
    expect([(await requested).statusCode, (await requested).json().reason]).toEqual([403, 'revoked']);
  });
});

describe('the status', () => {
  const camera = async (folder: string) => (await door.get(`${folder}status`)).json().camera;

  it('reports the camera’s state, the end of access, and the number of viewers', async () => {
    const share = await door.share({ expirationTimeSecs: 60 });
    const folder = await door.openShare(share);
    const response = await door.get(`${folder}status`);
    expect(response.json()).toEqual({
      camera: { state: 'starting' },
      access: { allowed: true, validUntilEpochMs: FIXTURE_EPOCH_MS + 60_000 },
      viewers: 1,
      serverTimeMs: FIXTURE_EPOCH_MS,
    });
    expect(response.headers['cache-control']).toBe('no-store');
    await door.get(`${await door.openShare(share)}status`);
    expect((await door.get(`${folder}status`)).json().viewers).toBe(2);
  });

  it('does not count one client that opens the share 200 times as 200 viewers', async () => {
    door.camera.start().publishSegments(1, 50);
    const share = await door.share();
    const folder = await door.openShare(share);
    const play = () => door.get(`${folder}seg_0.m4v`);
    for (let second = 0; second < 6; second++) {
      expect((await play()).statusCode).toBe(200);
      door.sharing.clock.advance(1_000);
    }
    expect((await door.get(`${folder}status`)).json().viewers).toBe(1);
    for (let i = 0; i < 200; i++) {
      const again = await door.openShare(share);
      await door.get(`${again}file.m3u8`);
      await door.get(`${again}seg_0.m4v`);
    }
    expect((await door.get(`${folder}status`)).json().viewers).toBeLessThanOrEqual(4);
  });

  it('follows the camera', async () => {
    const folder = await watch();
    expect(await camera(folder)).toEqual({ state: 'live', sound: true });
    door.camera.goOffline(FIXTURE_EPOCH_MS + 9_000);
    expect(await camera(folder)).toEqual({
      state: 'offline',
      sound: true,
      retryAtEpochMs: FIXTURE_EPOCH_MS + 9_000,
    });
    door.removeCamera();
    expect(await camera(folder)).toEqual({ state: 'offline' });
  });

  it('offers no sound to viewers who may not hear the camera', async () => {
    const folder = await door.openShare(await door.share({ includeAudio: false }));
    expect(await camera(folder)).toEqual({ state: 'starting' });
  });

  it('names the grant’s end for a share without an end of its own', async () => {
    const { access } = (await door.get(`${await watch()}status`)).json();
    expect(access.validUntilEpochMs).toBe((NOW_SEC + GRANT_LIFETIME_MS / 1_000) * 1_000);
  });
});
