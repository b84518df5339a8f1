import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { FakeRendition } from '../fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { RawViewer } from '../raw-viewer-fixture.ts';

let door: FrontDoorFixture;
let viewer: RawViewer;
let folder: string;
/** Requests that reached the routes. */
let routed: string[];
let live: FakeRendition;

beforeEach(async () => {
  door = await openFrontDoorFixture();
  routed = [];
  door.app.server.on('request', (request) => routed.push(request.url!));
  live = door.camera.start();
  folder = await door.openShare(await door.share());
  await door.listen();
  viewer = await RawViewer.connect(portOf(door));
});
afterEach(async () => {
  viewer.leave();
  await door.close();
});

/** The response to a request on the viewer's connection, without the time. */
async function ask(path: string, headers = ''): Promise<string> {
  viewer.text = '';
  viewer.socket.write(`GET ${path} HTTP/1.1\r\nHost: media\r\n${headers}\r\n`);
  await expect.poll(() => viewer.text).toMatch(/\r\n\r\n./);
  return viewer.text.replace(/^Date: .*\r\n/m, '');
}

describe('a playlist that is ready', () => {
  it.each(['', '?_HLS_skip=YES', '?other=1'])(
    'is the one that the route sends, and counts as much (%s)',
    async (query) => {
      // The first request of a viewer is admitted by the route, and so is one with a slash.
      await ask(`${folder}file.m3u8${query}`);
      expect(routed.splice(0)).toHaveLength(1);
      const before = { ...count() };
      const ready = await ask(`${folder}file.m3u8${query}`);
      const readyCount = since(before);
      expect(routed).toEqual([]);
      const between = { ...count() };
      const byRoute = await ask(`${folder}file.m3u8/${query}`);
      expect(routed).toHaveLength(1);
      expect(ready).toBe(byRoute);
      expect(readyCount).toEqual(since(between));
      expect(readyCount.playlists).toBe(1);
    },
  );

  it.each([
    ['POST', '', ''],
    ['HEAD', '', ''],
    ['GET', 'Content-Length: 1\r\n', 'x'],
    ['GET', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
  ])('is left to the routes for %s %s', async (method, headers, body) => {
    await ask(`${folder}file.m3u8`);
    routed.length = 0;
    viewer.socket.write(`${method} ${folder}file.m3u8 HTTP/1.1\r\nHost: media\r\n${headers}\r\n${body}`);
    await expect.poll(() => routed).toHaveLength(1);
  });

  it.each([
    ['?_HLS_msn=x', 400],
    ['?_HLS_part=1', 400],
    ['?_HLS_msn=99', 400],
  ])('is refused by the route for %s', async (query, status) => {
    await ask(`${folder}file.m3u8`);
    expect(await ask(`${folder}file.m3u8${query}`)).toContain(`HTTP/1.1 ${status}`);
    expect(routed).toHaveLength(2);
  });

  it('is refused once the share is revoked, on the same connection', async () => {
    const share = await door.share();
    const own = await door.openShare(share);
    await ask(`${own}file.m3u8`);
    expect(await ask(`${own}file.m3u8`)).toContain('HTTP/1.1 200');
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    expect(await ask(`${own}file.m3u8`)).toContain('HTTP/1.1 403');
  });

  it('is not sent of a camera that is offline', async () => {
    await ask(`${folder}file.m3u8`);
    door.camera.goOffline(FIXTURE_EPOCH_MS + 5_000);
    expect(await ask(`${folder}file.m3u8`)).toContain('HTTP/1.1 503');
  });

  it('is not sent once the gateway is stopping', async () => {
    await ask(`${folder}file.m3u8`);
    door.app.waitingRoom.dismiss();
    expect(await ask(`${folder}file.m3u8`)).toContain('HTTP/1.1 503');
  });
});

function count(): { playlists: number; bytes: number } {
  return { playlists: door.traffic.playlists, bytes: door.traffic.totalBytes };
}

function since(before: { playlists: number; bytes: number }): { playlists: number; bytes: number } {
  const now = count();
  return { playlists: now.playlists - before.playlists, bytes: now.bytes - before.bytes };
}

describe('media that is ready', () => {
  it.each(['seg_0.m4v', 'seg_0.1.m4v', 'seg_1.0.mp4'])(
    'is what the route sends, and counts as much (%s)',
    async (name) => {
      live.publishSegments(2);
      await ask(`${folder}file.m3u8`);
      routed.length = 0;
      const before = { ...count() };
      const ready = await ask(folder + name);
      const readyCount = since(before);
      expect(routed).toEqual([]);
      const between = { ...count() };
      expect(await ask(`${folder}${name}/`)).toBe(ready);
      expect(routed).toHaveLength(1);
      expect(readyCount).toEqual(since(between));
      await expect.poll(() => [live.loans, door.app.mediaResponses.size]).toEqual([0, 0]);
    },
  );

  it.each([
    ['seg_init.mp4', '', 200],
    ['seg_9.0.m4v', '', 404],
    ['seg_0.m4v', 'Range: bytes=0-3\r\n', 206],
  ])('is left to the routes for %s %s', async (name, headers, status) => {
    live.publishSegments(2);
    await ask(`${folder}file.m3u8`);
    routed.length = 0;
    expect(await ask(folder + name, headers)).toContain(`HTTP/1.1 ${status}`);
    expect(routed).toHaveLength(1);
  });

  it('is compressed for those who accept it, if it is a playlist', async () => {
    await ask(`${folder}file.m3u8`);
    routed.length = 0;
    const gzip = 'Accept-Encoding: gzip\r\n';
    expect(await ask(`${folder}file.m3u8`, gzip)).toContain('content-encoding: gzip');
    expect(await ask(`${folder}seg_0.0.m4v`, gzip)).not.toContain('content-encoding');
    expect(routed).toEqual([]);
  });
});

it.each(['poster.jpg', 'status2', 'past/file.m3u8', 'h264/file.m3u8?x', 'seg_init.mp4', 'sub/', ''])(
  'what is no live playlist or media is left to the routes, with the camera untouched (%s)',
  async (name) => {
    await ask(`${folder}file.m3u8`);
    const before = door.camera.touches.length;
    routed.length = 0;
    let touchesWhenRouted = -1;
    door.app.server.prependOnceListener('request', () => {
      touchesWhenRouted = door.camera.touches.length;
    });
    viewer.ask(folder + name);
    await expect.poll(() => [routed.length, touchesWhenRouted]).toEqual([1, before]);
  },
);

describe('a request that waits', () => {
  const WAITING = ['file.m3u8?_HLS_msn=0&_HLS_part=1', 'seg_0.1.m4v'];

  beforeEach(async () => {
    await ask(`${folder}file.m3u8`);
    routed.length = 0;
    viewer.text = '';
  });

  async function wait(name: string): Promise<void> {
    viewer.ask(folder + name);
    await expect.poll(() => live.waitingCount).toBe(1);
    expect([routed, door.app.waitingRoom.size]).toEqual([[], 1]);
  }

  async function response(): Promise<string> {
    await expect.poll(() => viewer.text).toMatch(/\r\n\r\n./);
    expect(door.app.waitingRoom.size).toBe(0);
    return viewer.text.replace(/^Date: .*\r\n/m, '');
  }

  it.each(WAITING)('gets what a later one gets (%s)', async (name) => {
    await wait(name);
    live.publish();
    const waited = await response();
    expect(await ask(`${folder}${name.replace('?', '/?')}${name.includes('?') ? '' : '/'}`)).toBe(waited);
    expect(routed).toHaveLength(1);
    await expect.poll(() => live.loans).toBe(0);
  });

  it.each(WAITING)('is refused when the share is revoked (%s)', async (name) => {
    const share = await door.share();
    folder = await door.openShare(share);
    await ask(`${folder}file.m3u8`);
    viewer.text = '';
    routed.length = 0;
    await wait(name);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    const refused = await response();
    expect(refused).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(await ask(`${folder}file.m3u8/`)).toBe(refused);
    expect(live.waitingCount).toBe(0);
  });

  it.each(WAITING)('fails with its camera (%s)', async (name) => {
    await wait(name);
    live.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, { retryAfterSec: 7 }));
    const failed = await response();
    expect(failed).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(failed).toContain('retry-after: 7\r\n');
    expect(failed).toContain('"reason":"camera-offline"');
  });

  it.each(WAITING)('ends with the gateway (%s)', async (name) => {
    await wait(name);
    const closed = door.app.close();
    expect(await response()).toContain('"reason":"restarting"');
    await expect.poll(() => viewer.end).toBe('');
    await closed;
  });

  it('is forgotten when its viewer leaves', async () => {
    await wait(WAITING[0]!);
    viewer.leave();
    await expect.poll(() => [live.waitingCount, door.app.waitingRoom.size]).toEqual([0, 0]);
  });

  it('is refused by the route when its viewer has too many', async () => {
    const viewers = await Promise.all(
      Array.from({ length: LIMITS.waitingRequests.levels.viewer.max }, () => RawViewer.connect(portOf(door))),
    );
    for (const one of viewers) one.ask(folder + WAITING[0]!);
    await expect.poll(() => live.waitingCount).toBe(LIMITS.waitingRequests.levels.viewer.max);
    expect(routed).toEqual([]);
    viewer.ask(folder + WAITING[0]!);
    expect(await ask(folder + WAITING[0]!)).toMatch(/^HTTP\/1\.1 503 .*"reason":"busy"/s);
    for (const one of viewers) one.leave();
  });

  it('is broken off when its viewer has too much in transit', async () => {
    const MIB = 1_048_576;
    live.publish(33 * MIB);
    live.publish(33 * MIB);
    const viewers = await Promise.all(Array.from({ length: 2 }, () => RawViewer.connect(portOf(door))));
    for (const [part, one] of viewers.entries()) one.stopReading().ask(`${folder}seg_0.${part + 1}.m4v`);
    await expect.poll(() => live.loans).toBe(1);
    await expect.poll(() => viewers[1]!.goOn().text).toMatch(/^HTTP\/1\.1 503 /);
    routed.length = 0;
    await wait('seg_0.3.m4v');
    live.publish(33 * MIB);
    expect(await response()).toMatch(/^HTTP\/1\.1 503 .*"reason":"busy"/s);
    for (const one of viewers) one.leave();
    await expect.poll(() => live.loans).toBe(0);
  });
});

function portOf({ app }: FrontDoorFixture): number {
  return (app.server.address() as AddressInfo).port;
}
