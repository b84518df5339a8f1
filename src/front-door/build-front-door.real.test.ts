import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from './front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

describe('answers', () => {
  it('to HEAD have the headers of GET and no body', async () => {
    const live = door.camera.start();
    live.publishSegments(1, 50);
    const folder = await door.openShare(await door.share());
    const client = await door.listen();
    for (const name of [
      'file.m3u8',
      'stream.m3u8',
      'index.m3u8',
      'seg_0.m4v',
      'seg_init.mp4',
      'x',
      'status',
    ]) {
      const [head, get] = [
        await client.begin(folder + name, { method: 'HEAD' }).answer,
        await client.get(folder + name),
      ];
      expect([name, head.statusCode, head.body.length]).toEqual([name, get.statusCode, 0]);
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    }
  });

  it('of a gateway that is stopping say when to come back, to waiting and new requests alike', async () => {
    const folder = await door.openShare(await door.share());
    const client = await door.listen();
    const waiting = client.get(`${folder}file.m3u8`);
    while (door.app.waitingRoom.size === 0) await new Promise(setImmediate);
    door.app.waitingRoom.dismiss();
    for (const response of [
      await waiting,
      await client.get('/share/x'),
      await client.get('/live/x/file.m3u8'),
    ]) {
      expect(response.statusCode).toBe(503);
      expect(response.headers).toMatchObject({ 'retry-after': '2', 'access-control-allow-origin': '*' });
      expect(JSON.parse(String(response.body))).toMatchObject({ reason: 'restarting', retryAfterSec: 2 });
    }
  });
});
