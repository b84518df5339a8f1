import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { COLD_WAIT_MS } from '../live/viewer-routes.ts';

const PASSWORD = 'Wörd: with a colon';
const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);

async function hiddenFor(sec: number): Promise<Share> {
  const intervals = [{ startSec: NOW_SEC + sec, stopSec: NOW_SEC + 2 * sec }];
  const request = { name: 'Later', oneTimeUse: true, intervals };
  const { uuid } = await door.sharing.schedules.createAbsolute(door.sharing.orgUuid, request);
  return door.share({ scheduleUuid: uuid });
}

describe('opening a share', () => {
  const open = (share: Share, payload: object = {}) =>
    door.inject({ method: 'POST', url: `/share/${door.shareToken(share)}/open`, payload });

  it('issues a separate grant to each viewer, and wakes the camera', async () => {
    const share = await door.share({ name: 'Dock' });
    const [first, second] = [await open(share), await open(share)];
    expect(first.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
    expect(first.json()).toEqual({
      status: 'open',
      name: 'Dock',
      streamType: 'USER',
      playlistUrl: expect.stringMatching(/^\/video\/live\/[\w-]{64}\/file\.m3u8$/),
      posterUrl: null,
      posterAtMs: null,
      serverTimeMs: FIXTURE_EPOCH_MS,
      expiresAtSec: null,
    });
    expect(second.json().playlistUrl).not.toBe(first.json().playlistUrl);
    expect(door.camera.status().state).toBe('starting');
  });

  it('reports what is known about the audio once the camera plays', async () => {
    const [heard, silent] = [await door.share(), await door.share({ includeAudio: false })];
    expect((await open(silent)).json().hasAudio).toBe(false);
    door.camera.start();
    expect((await open(heard)).json().hasAudio).toBe(true);
    expect(door.camera.touches).toEqual(['silent', 'sound']);
  });

  it.each([
    [true, 'a camera in H.265'],
    [null, 'a camera that was never open'],
    [false, 'a camera in H.264'],
  ])('names streams in H.264 for browsers without H.265: %s, %s', async (needsCompatible, _camera) => {
    door.camera.needsCompatible = needsCompatible;
    const { playlistUrl, compatibleUrl } = (await open(await door.share())).json();
    const expected = playlistUrl.replace('file.m3u8', 'index.m3u8?video=h264');
    expect(compatibleUrl).toBe(needsCompatible === false ? undefined : expected);
  });

  it('of a camera in H.264 leads to no transcoder, however a viewer asks for one', async () => {
    door.camera.start();
    const { playlistUrl } = (await open(await door.share())).json();
    const folder = playlistUrl.replace('file.m3u8', 'h264').replace('/video/', '/');
    door.camera.touches.length = 0;
    for (const name of ['file.m3u8', 'stream.m3u8', 'seg_init.mp4', 'seg_0.m4v']) {
      const response = await door.inject({ method: 'GET', url: `${folder}/${name}` });
      expect(response.statusCode).toBe(404);
    }
    expect(door.camera.touches).toEqual([]);
    door.camera.needsCompatible = true;
    await door.inject({ method: 'GET', url: `${folder}/seg_0.m4v` });
    expect(door.camera.touches).toEqual(['h264']);
  });

  it('of a camera with a substream leads to both streams', async () => {
    await door.close();
    door = await openFrontDoorFixture({ hasSubStream: true });
    const { playlistUrl } = (await open(await door.share())).json();
    expect(playlistUrl).toMatch(/\/index\.m3u8$/);
  });

  it('asks for the password, reports a wrong one, and slows down guesses', async () => {
    const share = await door.share({ password: 'Correct horse' });
    const requested = await open(share);
    expect([requested.statusCode, requested.json()]).toEqual([
      401,
      {
        error: true,
        errorMsg: expect.any(String),
        reason: 'password-needed',
        passwordRequired: true,
        serverTimeMs: FIXTURE_EPOCH_MS,
      },
    ]);
    const wrong = await open(share, { password: 'x' });
    expect([wrong.statusCode, wrong.json().reason]).toEqual([401, 'password-wrong']);
    // A browser would show its own password window over the page's.
    expect(wrong.headers['www-authenticate']).toBeUndefined();
    for (let guess = 0; guess < 3; guess++) await open(share, { password: 'x' });
    const slowed = await open(share, { password: 'Correct horse' });
    expect([slowed.statusCode, slowed.json().reason]).toEqual([429, 'too-many-attempts']);
    const retryAfterSec = Number(slowed.headers['retry-after']);
    expect([retryAfterSec, slowed.json().retryAfterSec]).toEqual([20, 20]);
    door.sharing.clock.advance(retryAfterSec * 1_000);
    expect((await open(share, { password: 'Correct horse' })).json().status).toBe('open');
  });

  it('of a hidden share says when it returns, and the current time for counting down', async () => {
    const response = await open(await hiddenFor(60));
    expect([response.statusCode, response.json()]).toMatchObject([
      403,
      { reason: 'hidden-by-schedule', until: FIXTURE_EPOCH_MS + 60_000, serverTimeMs: FIXTURE_EPOCH_MS },
    ]);
    expect(door.camera.touches).toEqual([]);
  });

  it('of a full one says to come back', async () => {
    await door.close();
    door = await openFrontDoorFixture({ maxViewersPerShare: 1 });
    door.camera.start();
    const share = await door.share();
    await door.get(`${await door.openShare(share)}file.m3u8`);
    const response = await open(share);
    expect([response.statusCode, response.json().reason, response.headers['retry-after']]).toEqual([
      403,
      'viewer-limit',
      '10',
    ]);
  });

  it('of a camera that no longer exists is not a refusal', async () => {
    const share = await door.share();
    door.removeCamera();
    const response = await open(share);
    expect([response.statusCode, response.json().reason]).toEqual([503, 'camera-offline']);
  });

  it.each([
    ['{"password":5}', 400],
    ['{"password":["a"]}', 400],
    ['{', 400],
    ['[]', 400],
    ['null', 200],
    ['"x"', 400],
    [`{"password":"${'p'.repeat(257)}"}`, 400],
    [`{"password":"${'p'.repeat(5_000)}"}`, 400],
    ['', 200],
    ['{}', 200],
    ['{"password":null,"other":1}', 200],
    ['{"password":""}', 200],
    ['{"__proto__":{"password":5}}', 200],
  ])('with the body %s gets %i', async (payload, status) => {
    const url = `/share/${door.shareToken(await door.share())}/open`;
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type };
      const response = await door.inject({ method: 'POST', url, payload, headers });
      expect([type, response.statusCode]).toEqual([type, status]);
      if (status === 400) expect(response.json()).toMatchObject({ error: true, reason: 'bad-request' });
    }
  });

  it('without a body or its type is opening without a password', async () => {
    const url = `/share/${door.shareToken(await door.share())}/open`;
    expect((await door.inject({ method: 'POST', url })).statusCode).toBe(200);
  });
});

describe('the bare playlist URL', () => {
  const bare = (share: Share) => `/live/${door.shareToken(share)}/file.m3u8`;
  const basic = (userAndPassword: string) => `Basic ${Buffer.from(userAndPassword).toString('base64')}`;

  it('responds with a Multivariant Playlist whose URIs carry the puller’s own grant', async () => {
    door.camera.start();
    const url = bare(await door.share());
    const first = await door.get(url);
    expect([first.statusCode, first.headers['content-type'], first.headers['cache-control']]).toEqual([
      200,
      'application/vnd.apple.mpegurl',
      'no-store',
    ]);
    const uri = /\n\.\.\/([\w-]{64}\/stream\.m3u8)\n/;
    const [one, other] = [first, await door.get(url)].map(({ body }) => uri.exec(body)![1]!);
    expect(one).not.toBe(other);
    expect((await door.get(`/live/${one}`)).body).toContain('main full mp4');
    const { headers, rawPayload } = await door.get(url, { 'accept-encoding': 'gzip' });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(rawPayload).toString('latin1')).toMatch(uri);
  });

  it.each([
    ['', 'main'],
    ['?video=h264', 'h264'],
    ['?video=sub', 'sub'],
    ['?video=all', 'all'],
    ['?_ds=h480b480', 'all'],
  ])('with %j shows players that open every variant (ffmpeg): %s', async (query, wanted) => {
    door.camera.start();
    const share = await door.share();
    expect((await door.get(bare(share) + query)).statusCode).toBe(200);
    expect(door.camera.videoRequests).toEqual([wanted]);
    // The page, which chooses, and clients that have a grant.
    const folder = await door.openShare(share);
    await door.get(`${folder}index.m3u8`);
    expect(door.camera.videoRequests).toEqual([wanted, 'all']);
    // Nothing that a transcoder would start for.
    expect(door.camera.touches.every((audience) => audience === 'sound')).toBe(true);
  });

  it.each([
    ['HTTP Basic', {}, basic(`anyone:${PASSWORD}`)],
    ['HTTP Basic without a user', {}, basic(`:${PASSWORD}`)],
    ['HTTP Basic in small letters', {}, basic(`u:${PASSWORD}`).replace('Basic', 'basic')],
    ['the query', { password: PASSWORD }, undefined],
    ['the query, next to a scheme that is not ours', { password: PASSWORD }, 'Bearer x'],
    ['the query, next to other parameters', { x: '1', password: PASSWORD, y: '' }, undefined],
    ['HTTP Basic, whatever the query', { password: 'wrong' }, basic(`u:${PASSWORD}`)],
  ])('accepts the password by %s', async (_name, query, authorization) => {
    door.camera.start();
    const share = await door.share({ password: PASSWORD });
    const url = `${bare(share)}?${new URLSearchParams(query)}`;
    const response = await door.get(url, authorization === undefined ? {} : { authorization });
    expect(response.statusCode).toBe(200);
    expect(response.body).not.toContain('word');
  });

  it.each([
    ['nothing', '', undefined, 'password-needed'],
    ['an empty one', '?password=', undefined, 'password-needed'],
    ['Basic without a colon', '', `Basic ${Buffer.from('x').toString('base64')}`, 'password-needed'],
    ['Basic that is not base64', '', 'Basic ***', 'password-needed'],
    ['Basic with an empty one', '', basic('user:'), 'password-needed'],
    ['Basic alone', '', 'Basic', 'password-needed'],
    ['another scheme', '', 'Digest username="x"', 'password-needed'],
    ['a wrong one', '?password=x', undefined, 'password-wrong'],
    ['a wrong one by Basic', '', basic('user:x'), 'password-wrong'],
    ['one too long', `?password=${'x'.repeat(1_000)}`, undefined, 'password-wrong'],
    ['a broken escape', '?password=%zz', undefined, 'password-wrong'],
  ])('asks for the password when it gets %s', async (_name, query, authorization, reason) => {
    door.camera.start();
    const share = await door.share({ password: PASSWORD });
    const response = await door.get(
      bare(share) + query,
      authorization === undefined ? {} : { authorization },
    );
    expect([response.statusCode, response.json().reason, response.json().passwordRequired]).toEqual([
      401,
      reason,
      true,
    ]);
    expect(response.headers['www-authenticate']).toBe('Basic realm="Shared live video", charset="UTF-8"');
  });

  it('slows down guesses like the page, with Retry-After', async () => {
    const url = bare(await door.share({ password: PASSWORD }));
    for (let guess = 0; guess < 3; guess++) {
      expect((await door.get(`${url}?password=${guess}`)).statusCode).toBe(401);
    }
    const slowed = await door.get(url, { authorization: basic(`u:${PASSWORD}`) });
    expect([slowed.statusCode, slowed.json().reason, slowed.headers['retry-after']]).toEqual([
      429,
      'too-many-attempts',
      '20',
    ]);
    expect(slowed.headers['www-authenticate']).toBeUndefined();
  });

  it('refuses without asking for a password if none would help', async () => {
    const hidden = await hiddenFor(60);
    const over = await door.share({ password: PASSWORD, expirationTimeSecs: 1 });
    const gone = await door.share();
    await door.sharing.shares.remove(door.sharing.orgUuid, gone.uuid);
    door.sharing.clock.advance(1_000);
    for (const [share, reason] of [
      [hidden, 'hidden-by-schedule'],
      [over, 'expired'],
      [gone, 'revoked'],
    ] as const) {
      const response = await door.get(bare(share));
      expect([response.statusCode, response.json().reason]).toEqual([403, reason]);
      expect(response.headers['www-authenticate']).toBeUndefined();
    }
  });

  it('waits for a cold camera, and gives up on one that does not respond', async () => {
    const url = bare(await door.share());
    const given = door.get(url);
    await settle();
    expect(door.app.waitingRoom.size).toBe(1);
    door.sharing.clock.advance(COLD_WAIT_MS);
    expect([(await given).statusCode, (await given).json().reason]).toEqual([503, 'camera-offline']);
    const played = door.get(url);
    await settle();
    door.camera.start();
    expect((await played).body).toContain('/stream.m3u8');
    expect(door.app.waitingRoom.size).toBe(0);
  });

  it('says when to come back if the camera is offline or does not exist', async () => {
    const share = await door.share();
    door.camera.goOffline(door.sharing.clock.epochMs() + 4_001);
    const offline = await door.get(bare(share));
    expect([offline.statusCode, offline.headers['retry-after']]).toEqual([503, '5']);
    door.removeCamera();
    const absent = await door.get(bare(share));
    expect([absent.statusCode, absent.headers['retry-after']]).toEqual([503, '2']);
  });

  it.each([
    [
      'withdrawn',
      403,
      'revoked',
      (share: Share) => door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null }),
    ],
    [
      'given a password',
      401,
      'password-needed',
      (share: Share) =>
        door.sharing.directory.applied({
          kind: 'share',
          uuid: share.uuid,
          record: { ...share, passwordHash: '$scrypt$', accessEpoch: 2 },
        }),
    ],
  ])('checks the access again when the share is %s while it waits', async (_name, status, reason, change) => {
    const share = await door.share();
    const requested = door.get(bare(share));
    await settle();
    change(share);
    door.camera.start();
    const response = await requested;
    expect([response.statusCode, response.json().reason]).toEqual([status, reason]);
    expect('www-authenticate' in response.headers).toBe(status === 401);
  });

  it('is cut off within a second when the share is revoked while it waits for a camera', async () => {
    const share = await door.share();
    const requested = door.get(bare(share));
    await settle();
    door.sharing.clock.advance(5_000);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    door.sharing.clock.advance(1_000);
    expect([(await requested).statusCode, (await requested).json().reason]).toEqual([403, 'revoked']);
    expect([door.app.waitingRoom.size, door.camera.waitingCount]).toEqual([0, 0]);
  });
});

describe('the bare mpd URL', () => {
  const basic = `Basic ${Buffer.from(`any:${PASSWORD}`).toString('base64')}`;
  const ask = (share: Share, headers: Record<string, string> = {}, query = '') =>
    door.get(`/live/${door.shareToken(share)}/file.mpd${query}`, headers);

  it('leads to the manifest of a grant, which players then request instead', async () => {
    const share = await door.share();
    const response = await ask(share, {}, '?latency=low&x=y');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([302, 'no-store']);
    expect(response.headers.location).toMatch(/^\.\.\/[\w-]{64}\/file\.mpd\?latency=low$/);
    expect(door.camera.touches).toEqual(['silent', 'audio']);
    door.camera.start();
    const ledTo = String(response.headers.location).replace('..', '/live');
    expect((await door.get(ledTo)).body).toBe('<MPD audience="sound" latency="low"/>');
    // ffmpeg 5 looks for the segments where it found the manifest.
    const segment = await door.get(`/live/${door.shareToken(share)}/sub/video/seg_3.m4v`);
    expect(segment.headers.location).toBe(`../../../${ledTo.split('/')[2]}/sub/video/seg_3.m4v`);
    const other = await door.get(`/live/${door.shareToken(share)}/video/other.m4v`);
    expect(other.statusCode).toBe(404);
  });

  it('keeps the request for H.264, which the manifest carries out', async () => {
    const share = await door.share();
    const response = await ask(share, {}, '?video=h264&latency=low');
    expect(response.headers.location).toMatch(/^\.\.\/[\w-]{64}\/file\.mpd\?latency=low&video=h264$/);
    const grant = String(response.headers.location).split('/')[1]!;
    const segment = await door.get(`/live/${door.shareToken(share)}/h264/video/seg_3.m4v`);
    expect(segment.headers.location).toBe(`../../../${grant}/h264/video/seg_3.m4v`);
    expect(door.camera.touches).toEqual([]);
  });

  it('keeps a puller that comes back the same viewer, within the limit of viewers', async () => {
    await door.close();
    door = await openFrontDoorFixture({ maxViewersPerShare: 1 });
    door.camera.start();
    const share = await door.share({ password: PASSWORD });
    const first = await ask(share, { authorization: basic, 'user-agent': 'one' });
    const grant = String(first.headers.location).split('/')[1]!;
    expect((await door.get(`/live/${grant}/file.mpd`)).statusCode).toBe(200);
    const again = await ask(share, { authorization: basic, 'user-agent': 'one' });
    expect(again.headers.location).toBe(first.headers.location);
    // Neither the password nor the grant of another puller.
    expect((await ask(share, { 'user-agent': 'one' })).json().reason).toBe('password-needed');
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    const removed = await ask(share, { authorization: basic, 'user-agent': 'one' });
    expect([removed.statusCode, removed.json().reason]).toEqual([403, 'revoked']);
  });

  it('asks for the password as the playlist does', async () => {
    const response = await ask(await door.share({ password: PASSWORD }));
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
  });
});
