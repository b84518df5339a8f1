import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { ShareTraffic } from './share-traffic.ts';

describe('ShareTraffic', () => {
  const nobody = () => false;

  it('uses one counter for all viewers of a share', () => {
    const traffic = new ShareTraffic();
    const share = newRuuid();
    traffic.counterOf(share, nobody).bytes += 2;
    traffic.counterOf(share, nobody).bytes += 3;
    expect([traffic.bytesOf(share), traffic.bytesOf(newRuuid())]).toEqual([5, 0]);
    traffic.forget(share);
    expect([...traffic.shares()]).toEqual([]);
  });

  it('knows the bytes of all, those of deleted shares included', () => {
    const traffic = new ShareTraffic(1);
    const session = (audienceUuid: string) => ({ audienceUuid, traffic: null }) as unknown as ViewerSession;
    const [first, second] = [session(newRuuid()), session(newRuuid())];
    const sessions = { isWatched: () => true };
    traffic.count(first, 7, sessions);
    traffic.count(second, 5, sessions);
    traffic.forget(first.audienceUuid);
    expect([traffic.totalBytes, traffic.otherBytes]).toEqual([12, 5]);
  });

  it('makes room at the cost of shares that no one watches, without losing their bytes', () => {
    const traffic = new ShareTraffic(2);
    const [watched, left, next, last] = [newRuuid(), newRuuid(), newRuuid(), newRuuid()];
    traffic.counterOf(watched, nobody).bytes = 10;
    traffic.counterOf(left, nobody).bytes = 7;
    const isWatched = (share: string) => share !== left;
    traffic.counterOf(next, isWatched).bytes = 1;
    expect([[...traffic.shares()], traffic.otherBytes]).toEqual([[watched, next], 7]);
    traffic.counterOf(last, isWatched).bytes += 5;
    expect([[...traffic.shares()], traffic.otherBytes]).toEqual([[watched, next], 12]);
  });
});

describe('the bytes of a share', () => {
  let door: FrontDoorFixture;
  beforeEach(async () => {
    door = await openFrontDoorFixture({ poster: Buffer.alloc(50) });
  });
  afterEach(() => door.close());

  it('are those of the bodies sent to its viewers, ranges by their length', async () => {
    const share = await door.share();
    const folder = await door.openShare(share);
    door.camera.start();
    door.camera.fake('main').publish(1_000);
    door.camera.fake('main').publish(1_000);
    let bytes = 0;
    for (const [name, headers] of [
      ['file.m3u8', {}],
      ['file.m3u8', { 'accept-encoding': 'gzip' }],
      ['index.m3u8', {}],
      ['index.m3u8', { 'accept-encoding': 'gzip' }],
      ['seg_init.mp4', {}],
      ['seg_0.2.m4v', {}],
      ['seg_0.1.m4v', { range: 'bytes=0-99' }],
      ['seg_0.1.m4v', { range: 'bytes=5000-' }],
      ['seg_99.m4v', {}],
      ['poster.jpg', {}],
    ] as const) {
      const response = await door.get(`${folder}${name}`, headers);
      if (response.statusCode < 300) bytes += response.rawPayload.length;
    }
    for (const name of ['file.m3u8', 'index.m3u8', 'seg_0.2.m4v', 'seg_init.mp4', 'poster.jpg']) {
      const head = { method: 'HEAD', url: folder + name, headers: { 'accept-encoding': 'gzip' } } as const;
      expect(Number((await door.inject(head)).headers['content-length'])).toBeGreaterThan(0);
    }
    expect(bytes).toBeGreaterThan(1_150);
    expect(door.traffic.bytesOf(share.uuid)).toBe(bytes);
    expect([...door.sharing.sessions.viewersByAudience()]).toEqual([[share.uuid, 1]]);
  });
});
