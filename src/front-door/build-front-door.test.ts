import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import type { Share } from '../store/entities.ts';
import { STREAM_ERRORS } from '../stream/errors.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from './front-door-fixture.ts';

let door: FrontDoorFixture;

beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

/** One turn of the event loop: injected requests are handled, and wait. */
const settle = () => new Promise(setImmediate);

describe('routes', () => {
  it('all declare who may call them, and none serves media to the public', () => {
    const { declaredRoutes } = door.app;
    expect(declaredRoutes.length).toBeGreaterThan(15);
    for (const { path, access } of declaredRoutes) {
      const expected = path === '/live/:grant/file.m3u8' ? ['link-or-grant'] : ['grant'];
      if (path.startsWith('/live'))
        expect([path, expected]).toEqual([path, expect.arrayContaining([access])]);
    }
    const opening = declaredRoutes.find(({ path }) => path === '/share/:token/open');
    expect(opening?.access).toBe('share-link');
  });

  it('answer pages of other origins, because players are everywhere', async () => {
    const preflight = await door.inject({ method: 'OPTIONS', url: '/live/x/file.m3u8' });
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-methods']).toContain('GET');
  });

  it('tell health and readiness', async () => {
    expect((await door.get('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await door.get('/readyz')).json()).toEqual({ ready: true, checks: { store: 'ok' } });
  });
});

describe('opening a share', () => {
  const open = (token: string, payload: object = {}) =>
    door.inject({ method: 'POST', url: `/share/${token}/open`, payload });

  it('gives a grant of its own to each viewer', async () => {
    const share = await door.share({ name: 'Dock' });
    const first = await open(door.shareToken(share));
    const second = await open(door.shareToken(share));
    expect(first.json()).toMatchObject({
      status: 'open',
      name: 'Dock',
      streamType: 'USER',
      expiresAtSec: null,
    });
    expect(first.json().playlistUrl).toMatch(/^\/video\/live\/[\w-]{64}\/file\.m3u8$/);
    expect(second.json().playlistUrl).not.toBe(first.json().playlistUrl);
  });

  it('asks for the password, tells a wrong one, and slows guesses down', async () => {
    const token = door.shareToken(await door.share({ password: 'Correct horse' }));
    expect((await open(token)).json()).toMatchObject({ reason: 'password-needed', passwordRequired: true });
    const wrong = await open(token, { password: 'x' });
    expect([wrong.statusCode, wrong.json().reason]).toEqual([401, 'password-wrong']);
    expect(wrong.headers['www-authenticate']).toBeUndefined();
    for (let guess = 0; guess < 3; guess++) await open(token, { password: 'x' });
    const slowed = await open(token, { password: 'Correct horse' });
    expect([slowed.statusCode, slowed.json().reason]).toEqual([429, 'too-many-attempts']);
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    door.sharing.clock.advance(Number(slowed.headers['retry-after']) * 1_000);
    expect((await open(token, { password: 'Correct horse' })).json().status).toBe('open');
  });

  it.each([
    ['{"password":5}', 400],
    ['{', 400],
    ['[]', 400],
    [`{"password":"${'p'.repeat(5_000)}"}`, 400],
    ['', 200],
    ['{"password":null}', 200],
  ])('with the body %s is answered %i', async (payload, status) => {
    const url = `/share/${door.shareToken(await door.share())}/open`;
    const headers = { 'content-type': 'application/json' };
    expect((await door.inject({ method: 'POST', url, payload, headers })).statusCode).toBe(status);
  });

  it('by the bare URL takes the password as HTTP Basic or in the query, and asks for it', async () => {
    const share = await door.share({ password: 'Wörd' });
    door.camera.start();
    const bare = `/live/${door.shareToken(share)}/file.m3u8`;
    const asked = await door.get(bare);
    expect([asked.statusCode, asked.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    const authorization = `Basic ${Buffer.from('anyone:Wörd').toString('base64')}`;
    for (const answer of [
      await door.get(bare, { authorization }),
      await door.get(`${bare}?password=W%C3%B6rd`),
    ]) {
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toMatch(/\n\.\.\/[\w-]{64}\/stream\.m3u8\n/);
    }
  });
});

describe('media', () => {
  it('is served to the grant, with the same bytes by part, segment and range', async () => {
    const live = door.camera.start();
    live.publishSegments(2, 50);
    const folder = await door.openShare(await door.share());
    const playlist = await door.get(`${folder}file.m3u8`);
    expect(playlist.headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(playlist.body).toContain('main full m4v');
    expect((await door.get(`${folder}stream.m3u8`)).body).toContain('main full mp4');
    const segment = await door.get(`${folder}seg_1.m4v`);
    const parts = await Promise.all([0, 1, 2, 3].map((part) => door.get(`${folder}seg_1.${part}.m4v`)));
    expect(parts.map(({ body }) => body).join('')).toBe(segment.body);
    expect(segment.headers['cache-control']).toContain('immutable');
    const range = await door.get(`${folder}seg_1.m4v`, { range: 'bytes=10-59' });
    expect([range.statusCode, range.headers['content-range'], range.body]).toEqual([
      206,
      `bytes 10-59/${segment.body.length}`,
      segment.body.slice(10, 60),
    ]);
    expect((await door.get(`${folder}seg_1.m4v`, { range: 'bytes=999999-' })).statusCode).toBe(416);
  });

  it.each([
    'seg_9.m4v',
    'seg_0.9.m4v',
    'seg_-1.m4v',
    'seg_init_00000000.mp4',
    'x',
    '..%2fseg_0.m4v',
    'sub/file.m3u8',
  ])('named %s is not found', async (name) => {
    door.camera.start();
    const folder = await door.openShare(await door.share());
    const answer = await door.get(folder + name);
    expect([answer.statusCode, answer.json().error]).toEqual([404, true]);
  });

  it('of a share without audio comes from the silent rendition', async () => {
    door.camera.start();
    const folder = await door.openShare(await door.share({ includeAudio: false }));
    expect((await door.get(`${folder}file.m3u8`)).body).toContain('main-silent full');
  });

  it('is refused to forged, cut and foreign grants', async () => {
    door.camera.start();
    const folder = await door.openShare(await door.share());
    const grant = folder.split('/')[2]!;
    for (let length = 1; length < grant.length; length++) {
      expect((await door.get(`/live/${grant.slice(0, length)}/stream.m3u8`)).statusCode).toBe(403);
    }
    for (let at = 0; at < grant.length; at++) {
      const other = grant[at] === 'A' ? 'B' : 'A';
      const forged = grant.slice(0, at) + other + grant.slice(at + 1);
      expect((await door.get(`/live/${forged}/seg_0.0.m4v`)).statusCode).toBe(403);
    }
  });

  it('survives any query and any name without a failure of ours', async () => {
    door.camera.start();
    const folder = await door.openShare(await door.share());
    const directive = fc.record({
      name: fc.constantFrom('_HLS_msn', '_HLS_part', '_HLS_skip', 'x'),
      value: fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('YES', 'v2', '-1', '1e9', '')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(directive, { maxLength: 4 }),
        fc.string({ maxLength: 20 }),
        async (query, name) => {
          const text = query.map((each) => `${each.name}=${encodeURIComponent(each.value)}`).join('&');
          const asked = door.get(`${folder}file.m3u8?${text}`);
          await settle();
          // Whoever waits for what comes later is told that the camera went away.
          door.camera.fake('main').fail(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
          expect((await asked).statusCode).toBeOneOf([200, 400, 503]);
          const named = await door.get(folder + encodeURIComponent(name));
          expect(named.statusCode).toBeOneOf([200, 400, 404]);
        },
      ),
      { interruptAfterTimeLimit: 1_500, numRuns: 10_000 },
    );
  });

  it('has no poster before the first picture, which is no failure', async () => {
    const folder = await door.openShare(await door.share());
    expect((await door.get(`${folder}poster.jpg`)).statusCode).toBe(204);
  });
});

describe('waiting for media', () => {
  it('ends with the part that was asked for', async () => {
    const live = door.camera.start();
    const folder = await door.openShare(await door.share());
    const asked = [door.get(`${folder}file.m3u8?_HLS_msn=0&_HLS_part=1`), door.get(`${folder}seg_0.1.m4v`)];
    await settle();
    expect([live.waitingCount, door.app.waitingRoom.size]).toEqual([2, 2]);
    live.publish();
    const [playlist, part] = await Promise.all(asked);
    expect([playlist!.body, part!.body]).toEqual([expect.stringContaining('parts=2'), 'main part 0.1;']);
    expect(door.app.waitingRoom.size).toBe(0);
  });

  it('for a cold camera ends with its first part, or says that it is offline', async () => {
    const folder = await door.openShare(await door.share());
    const cold = door.get(`${folder}file.m3u8`);
    await settle();
    door.camera.start();
    expect((await cold).statusCode).toBe(200);
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    const offline = await door.get(`${folder}file.m3u8`);
    expect([offline.statusCode, offline.headers['retry-after'], offline.json().reason]).toEqual([
      503,
      '5',
      'camera-offline',
    ]);
  });

  it('for a camera that never comes up is given up', async () => {
    const folder = await door.openShare(await door.share());
    const cold = door.get(`${folder}file.m3u8`);
    await settle();
    door.sharing.clock.advance(10_000);
    expect((await cold).statusCode).toBe(503);
    expect(door.camera.waitingCount).toBe(0);
  });

  it('has a bound', async () => {
    await door.close();
    door = await openFrontDoorFixture({ maxWaitingRequests: 2 });
    const live = door.camera.start();
    const folder = await door.openShare(await door.share());
    const asked = [0, 1].map(() => door.get(`${folder}seg_0.1.m4v`));
    await settle();
    const third = await door.get(`${folder}seg_0.1.m4v`);
    expect([third.statusCode, third.json().reason]).toEqual([503, 'busy']);
    live.publish();
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });

  it('ends with 503 when the gateway stops', async () => {
    door.camera.start();
    const folder = await door.openShare(await door.share());
    const asked = door.get(`${folder}seg_0.1.m4v`);
    await settle();
    await door.app.close();
    const answer = await asked;
    expect([answer.statusCode, answer.json().reason]).toEqual([503, 'busy']);
  });
});

describe('losing access while waiting', () => {
  /** What a viewer who waits is told after `change`. */
  async function toldAfter(fields: object, change: (uuid: Share['uuid']) => unknown) {
    door.camera.start();
    const share = await door.share(fields);
    const folder = await door.openShare(share);
    const asked = door.get(`${folder}file.m3u8?_HLS_msn=0&_HLS_part=1`);
    await settle();
    await change(share.uuid);
    const { statusCode, ...answer } = await asked;
    const later = await door.get(`${folder}seg_0.0.m4v`);
    expect([later.statusCode, later.json().reason]).toEqual([403, answer.json().reason]);
    return { statusCode, ...answer.json() };
  }

  it('by a withdrawn share', async () => {
    const told = await toldAfter({}, (uuid) => door.sharing.shares.remove(door.sharing.orgUuid, uuid));
    expect(told).toMatchObject({ statusCode: 403, reason: 'revoked' });
  });

  it('by a changed password', async () => {
    const told = await toldAfter({}, (uuid) =>
      door.sharing.shares.update(door.sharing.orgUuid, uuid, { password: 'new' }),
    );
    expect(told).toMatchObject({ statusCode: 403, error: true });
  });

  it('by its expiry, to the second', async () => {
    const told = await toldAfter({ expirationTimeSecs: 60 }, () => door.sharing.clock.advance(60_000));
    expect(told).toMatchObject({ statusCode: 403, reason: 'expired' });
  });

  it('by its schedule, with the time at which it returns', async () => {
    const { clock, schedules, orgUuid } = door.sharing;
    const nowSec = clock.epochMs() / 1_000;
    const { uuid } = await schedules.createAbsolute(orgUuid, {
      name: 'Two spans',
      intervals: [
        { startSec: nowSec, stopSec: nowSec + 60 },
        { startSec: nowSec + 90, stopSec: nowSec + 120 },
      ],
      oneTimeUse: false,
    });
    const told = await toldAfter({ scheduleUuid: uuid }, () => clock.advance(60_000));
    expect(told).toMatchObject({ reason: 'hidden-by-schedule', until: (nowSec + 90) * 1_000 });
  });
});
