import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIXTURE_EPOCH_MS } from '../sharing/sharing-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from './front-door-fixture.ts';
import { RawViewer } from './raw-viewer.ts';

let door: FrontDoorFixture;
let viewer: RawViewer;
let folder: string;
/** Requests that reached the routes. */
let routed: string[];

beforeEach(async () => {
  door = await openFrontDoorFixture();
  routed = [];
  const first = door.app.answersFirst.playlists!;
  const answer = first.answer.bind(first);
  vi.spyOn(first, 'answer').mockImplementation((request, response) => {
    const isAnswered = answer(request, response);
    if (!isAnswered) routed.push(request.url!);
    return isAnswered;
  });
  door.camera.start();
  folder = await door.openShare(await door.share());
  await door.listen();
  viewer = await RawViewer.connect((door.app.server.address() as AddressInfo).port);
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
