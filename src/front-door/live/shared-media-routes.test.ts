import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { PARTS_PER_SEGMENT } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
  door.camera.start();
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);
const pathOf = (name: string, { rendition = 'main', signature = 'signed' } = {}) =>
  `/cdn/${door.camera.uuid}/${rendition}/${signature}/${name}`;
const main = () => door.camera.fake('main');
/** Its first part exists since it started: the part after these is 1.0. */
function completeSegment(): void {
  for (let i = 1; i < PARTS_PER_SEGMENT; i++) main().publish();
}

describe('a shared path', () => {
  it('gives everyone the same bytes, and a cache the time for which it can keep them, less the second that one may add', async () => {
    completeSegment();
    main().publishSegments(1);
    main().sharedMs = 12_999;
    const response = await door.get(pathOf('seg_1.m4v'));
    expect([response.statusCode, response.body]).toEqual([200, expect.stringContaining('main part 1.0')]);
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'cache-control': 'public, max-age=11, immutable, stale-while-revalidate=0',
      'cdn-cache-control': 'max-age=11, must-revalidate',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    });
    expect(response.headers).not.toHaveProperty('vary');
    expect(response.headers).not.toHaveProperty('set-cookie');
    const expiresMs = Date.parse(String(response.headers.expires));
    expect(expiresMs - door.sharing.clock.epochMs()).toBe(11_000);
    expect(door.traffic.sharedBytes).toBe(response.rawPayload.length);
    expect(main().loans).toBe(0);
  });

  it('is not for caches in its last two seconds: one may count another second', async () => {
    completeSegment();
    main().sharedMs = 1_999;
    const { statusCode, headers } = await door.get(pathOf('seg_0.0.m4v'));
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store, max-age=0']);
    main().sharedMs = 0;
    expect((await door.get(pathOf('seg_0.0.m4v'))).statusCode).toBe(404);
  });

  it('serves ranges and HEAD', async () => {
    completeSegment();
    const part = await door.get(pathOf('seg_0.1.mp4'), { range: 'bytes=5-8' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([
      206,
      'part',
      expect.stringMatching(/^bytes 5-8\//),
    ]);
    const beyond = await door.get(pathOf('seg_0.1.mp4'), { range: 'bytes=500-' });
    expect([beyond.statusCode, beyond.headers['cache-control']]).toEqual([416, 'no-store']);
    const head = await door.inject({ method: 'HEAD', url: pathOf('seg_0.1.mp4') });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      expect.any(String),
    ]);
  });

  it.each([
    ['another signature', () => pathOf('seg_0.m4v', { signature: 'other' })],
    ['another rendition', () => pathOf('seg_0.m4v', { rendition: 'sub' })],
    ['a rendition that no playlist names', () => pathOf('seg_0.m4v', { rendition: 'main-audio' })],
    ['a rendition of objects', () => pathOf('seg_0.m4v', { rendition: '__proto__' })],
    ['another camera', () => pathOf('seg_0.m4v').replace(door.camera.uuid, 'AAAAAAAAAAAAAAAAAAAAAA')],
    ['the init segment', () => pathOf('seg_init.mp4')],
    ['a segment that does not exist', () => pathOf('seg_7.m4v')],
    ['a part far ahead', () => pathOf('seg_1.3.m4v')],
    ['a playlist', () => pathOf('file.m3u8')],
    ['another spelling', () => pathOf('%73eg_0.m4v')],
    ['a slash at the end', () => `${pathOf('seg_0.m4v')}/`],
    ['another spelling of a number', () => pathOf('seg_00.m4v')],
  ])('is not %s, which no cache keeps', async (_what, path) => {
    completeSegment();
    door.camera.fake('sub').publishSegments(1);
    door.camera.fake('sub').sharedMs = 0;
    const { statusCode, headers } = await door.get(path());
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('has no query: a client with one is led to the path without', async () => {
    completeSegment();
    const response = await door.get(`${pathOf('seg_0.m4v')}?x=1&_HLS_msn=3`);
    expect([response.statusCode, response.headers.location, response.headers['cache-control']]).toEqual([
      302,
      'seg_0.m4v',
      'no-store',
    ]);
    expect(main().loans).toBe(0);
  });

  it('does not open the camera, nor keep it open', async () => {
    completeSegment();
    const before = door.camera.touches.length;
    await door.get(pathOf('seg_0.m4v'));
    expect(door.camera.touches.length).toBe(before);
  });
});

describe('the hinted part', () => {
  it('is waited for, and counts its life when it is sent', async () => {
    completeSegment();
    const response = door.get(pathOf('seg_1.0.m4v'));
    await settle();
    expect(main().waitingCount).toBe(1);
    main().sharedMs = 20_000;
    main().publish();
    expect((await response).headers['cache-control']).toContain('max-age=19,');
    expect((await response).body).toContain('main part 1.0');
  });

  it('that comes on another timeline is not sent, nor kept', async () => {
    completeSegment();
    const response = door.get(pathOf('seg_1.0.m4v'));
    await settle();
    main().sharedMs = 0;
    main().publish();
    expect([(await response).statusCode, (await response).headers['cache-control']]).toEqual([
      404,
      'no-store',
    ]);
    expect(main().loans).toBe(0);
  });

  it.each([
    ['the camera goes offline', () => main().fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE)), 503],
    ['the gateway stops', () => door.app.waitingRoom.dismiss(), 503],
  ])('that does not come because %s is an error that no cache keeps', async (_why, end, status) => {
    completeSegment();
    const response = door.get(pathOf('seg_1.0.m4v'));
    await settle();
    end();
    expect([(await response).statusCode, (await response).headers['cache-control']]).toEqual([
      status,
      'no-store',
    ]);
    expect(main().waitingCount).toBe(0);
  });
});

describe('playlists', () => {
  const requested = async (fields: object) => {
    completeSegment();
    const folder = await door.openShare(await door.share(fields));
    await door.get(`${folder}file.m3u8`);
    return { folder, isShared: main().requested?.isShared ?? false };
  };

  it.each([
    [{ cdn: true }, true],
    [{ cdn: false }, false],
    [{}, false],
  ])('of a share with %j list shared paths: %s', async (fields, isShared) => {
    expect((await requested(fields)).isShared).toBe(isShared);
  });

  it('follow a change of the share', async () => {
    const share = await door.share({ cdn: true });
    completeSegment();
    const folder = await door.openShare(share);
    await door.get(`${folder}file.m3u8`);
    expect(main().requested).toMatchObject({ isShared: true });
    await door.sharing.shares.update(door.sharing.orgUuid, share.uuid, { cdn: false });
    await door.get(`${folder}file.m3u8`);
    expect(main().requested?.isShared ?? false).toBe(false);
  });

  it('prove that a viewer plays whose media come from a cache', async () => {
    const { folder } = await requested({ cdn: true });
    for (let look = 0; look < 6; look++) {
      await door.sharing.clock.advance(1_100);
      await door.get(`${folder}file.m3u8`);
    }
    const [session] = [...door.sharing.sessions.sessionsOf((await onlyShare()).uuid)];
    expect([session!.isProven, session!.protocol, session!.profile]).toEqual([true, 'hls', 'main']);
  });

  const onlyShare = async () => {
    const shares = await door.sharing.store.shares.listByCamera(
      door.sharing.orgUuid,
      door.sharing.camera.uuid,
    );
    return shares.at(-1)!;
  };
});

describe('many who wait', () => {
  const waitFor = (count: number) =>
    Array.from({ length: count }, () => door.get(pathOf('seg_1.0.m4v')).then(({ statusCode }) => statusCode));

  it('have room up to a limit of their address, which leaves room for viewers', async () => {
    completeSegment();
    const folder = await door.openShare(await door.share());
    const waiting = waitFor(LIMITS.sharedWaiting.levels.address.max);
    await settle();
    expect(main().waitingCount).toBe(LIMITS.sharedWaiting.levels.address.max);
    expect(await Promise.all(waitFor(2))).toEqual([503, 503]);
    const viewer = door.get(`${folder}seg_1.0.m4v`);
    await settle();
    main().publish();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
    expect((await viewer).statusCode).toBe(200);
    expect(main().loans).toBe(0);
    // They made room.
    const next = door.get(pathOf('seg_1.1.m4v'));
    await settle();
    main().publish();
    expect((await next).statusCode).toBe(200);
  });
});
