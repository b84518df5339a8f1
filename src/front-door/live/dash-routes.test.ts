import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../../store/entities.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;

beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

/** The folder of a viewer of a camera that plays. */
async function watch(fields: object = {}): Promise<string> {
  door.camera.start();
  return door.openShare(await door.share(fields));
}

describe('the manifest', () => {
  it.each([
    [{}, '<MPD audience="sound" latency="normal"/>', ['silent', 'audio']],
    [{ includeAudio: false }, '<MPD audience="silent" latency="normal"/>', ['silent']],
  ])('is for the share’s audience: %j', async (fields, text, contents) => {
    const folder = await watch(fields);
    door.camera.touches.length = 0;
    const manifest = await door.get(`${folder}file.mpd`);
    expect([manifest.statusCode, manifest.body]).toEqual([200, text]);
    expect(manifest.headers).toMatchObject({
      'content-type': 'application/dash+xml',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(door.camera.touches).toEqual(contents);
  });

  it('is for low latency where that is asked for', async () => {
    const folder = await watch();
    expect((await door.get(`${folder}file.mpd?latency=low`)).body).toContain('latency="low"');
    const refused = await door.get(`${folder}file.mpd?latency=lowest`);
    expect([refused.statusCode, refused.json().reason]).toEqual([400, 'bad-request']);
  });

  it('is waited for while the camera is being opened', async () => {
    const folder = await door.openShare(await door.share());
    const requested = door.get(`${folder}file.mpd`);
    await until(() => door.camera.waitingCount === 1);
    door.camera.start();
    expect((await requested).statusCode).toBe(200);
  });

  it('of an offline camera goes on for those who play, and is 503 for others', async () => {
    const [plays, comes] = [await watch(), await watch()];
    door.camera.fake('main-silent').publishSegments(1);
    await door.get(`${plays}video/seg_0.m4v`);
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    expect((await door.get(`${plays}file.mpd`)).statusCode).toBe(200);
    const refused = await door.get(`${comes}file.mpd`);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
  });

  it('is refused once the share is revoked, and so is what it names', async () => {
    door.camera.start();
    const share: Share = await door.share();
    const folder = await door.openShare(share);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    for (const name of ['file.mpd', 'time', 'video/seg_0.m4v', 'sub/video/seg_init.mp4', 'audio/seg_0.m4a']) {
      expect([name, (await door.get(folder + name)).statusCode]).toEqual([name, 403]);
    }
  });
});

describe('the manifest for players of H.264', () => {
  const H264 = 'file.mpd?video=h264';
  const TRANSCODED = '<MPD audience="sound" video="h264" codecs="avc1.4d402a"/>';

  /** A viewer of a camera in H.265 that plays; its codec was known before. */
  async function watchH265(fields: object = {}): Promise<string> {
    const folder = await watch(fields);
    Object.assign(door.camera, {
      manifestCodec: 'hvc1.1.6.L93.B0',
      h264Origin: 'transcoder',
      needsCompatible: true,
    });
    door.camera.touches.length = 0;
    return folder;
  }

  it('is the usual one if a stream of the camera is H.264', async () => {
    const folder = await watch();
    door.camera.manifestCodec = 'avc1.64001f';
    door.camera.touches.length = 0;
    expect((await door.get(folder + H264)).body).toBe(
      '<MPD audience="sound" latency="normal" codecs="avc1.64001f"/>',
    );
    expect(door.camera.touches).toEqual(['silent', 'audio']);
  });

  it.each([
    [{}, TRANSCODED, ['h264-silent', 'audio']],
    [{ includeAudio: false }, TRANSCODED.replace('sound', 'silent'), ['h264-silent']],
  ])('is that of the transcoder, which begins with the first request: %j', async (fields, text, touches) => {
    const folder = await watchH265(fields);
    const requested = door.get(folder + H264);
    await until(() => door.camera.waitingCount === 1);
    expect(door.camera.touches).toEqual(touches);
    door.camera.startTranscoder();
    expect((await requested).body).toBe(text);
  });

  it('does not change for those who name no video, and starts nothing', async () => {
    const folder = await watchH265();
    const manifest = await door.get(`${folder}file.mpd`);
    expect(manifest.body).toBe('<MPD audience="sound" latency="normal" codecs="hvc1.1.6.L93.B0"/>');
    expect(door.camera.touches).toEqual(['silent', 'audio']);
  });

  it('of a camera that was never open is transcoded once its codec is known', async () => {
    const folder = await watchH265();
    const origins = [null];
    door.camera.h264From = () => (origins.length > 0 ? origins.pop()! : 'transcoder');
    const requested = door.get(folder + H264);
    await until(() => door.camera.waitingCount === 1);
    expect(door.camera.touches).toEqual(['silent', 'audio', 'h264-silent', 'audio']);
    door.camera.startTranscoder();
    expect((await requested).body).toBe(TRANSCODED);
  });

  it('is 404 if there is no H.264 and none can be made, and 503 while the substream is late', async () => {
    const folder = await watchH265();
    door.camera.h264Origin = 'nowhere';
    const absent = await door.get(folder + H264);
    expect([absent.statusCode, absent.json().reason]).toEqual([404, 'not-found']);
    door.camera.h264Origin = 'camera';
    expect((await door.get(folder + H264)).statusCode).toBe(503);
  });

  it('stays the transcoded one for those who play it, when the substream comes back', async () => {
    const folder = await watchH265();
    door.camera.startTranscoder().publishSegments(1);
    expect((await door.get(`${folder}h264/video/seg_0.m4v`)).statusCode).toBe(200);
    door.camera.h264Origin = 'camera';
    expect((await door.get(folder + H264)).body).toBe(TRANSCODED);
  });

  it('stays that of the substream for those who play it, as long as it has H.264', async () => {
    const folder = await watchH265();
    door.camera.manifestCodec = 'avc1.42c01e';
    door.camera.fake('sub-silent').publishSegments(1);
    await door.get(`${folder}sub/video/seg_0.m4v`);
    expect((await door.get(folder + H264)).body).toContain('latency="normal" codecs="avc1.42c01e"');
    door.camera.manifestCodec = 'hvc1.1.6.L93.B0';
    door.camera.startTranscoder();
    expect((await door.get(folder + H264)).body).toBe(TRANSCODED);
  });

  it('has media that keep the transcoder, and audio that keeps no video', async () => {
    const folder = await watchH265();
    door.camera.startTranscoder().publishSegments(1);
    const touchesOf = async (name: string): Promise<string[]> => {
      door.camera.touches.length = 0;
      await door.get(folder + name);
      return [...door.camera.touches];
    };
    expect(await touchesOf('h264/video/seg_0.m4v')).toEqual(['h264-silent', 'audio']);
    expect(await touchesOf('h264/video/seg_init.mp4')).toEqual(['h264-silent', 'audio']);
    expect(await touchesOf('audio/seg_init.mp4')).toEqual(['audio']);
    // H.264 is never transcoded.
    door.camera.needsCompatible = false;
    expect(await touchesOf('h264/video/seg_0.m4v')).toEqual([]);
  });
});

describe('media of a manifest', () => {
  const STREAMS: [string, string, RenditionName, string][] = [
    ['video', 'm4v', 'main-silent', 'video/mp4'],
    ['sub/video', 'm4v', 'sub-silent', 'video/mp4'],
    ['audio', 'm4a', 'main-audio', 'audio/mp4'],
    ['h264/video', 'm4v', 'h264-silent', 'video/mp4'],
  ];

  it.each(STREAMS)('in %s is one track of the camera', async (path, extension, name, type) => {
    const folder = await watch();
    const live = name === 'h264-silent' ? door.camera.startTranscoder() : door.camera.fake(name);
    live.publishSegments(1);
    const segment = await door.get(`${folder}${path}/seg_0.${extension}`);
    expect(segment.body).toBe([0, 1, 2, 3].map((part) => `${name} part 0.${part};`).join(''));
    expect(segment.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'private, max-age=3600, immutable',
      'content-length': String(segment.body.length),
    });
    expect((await door.get(`${folder}${path}/seg_init.mp4`)).body).toBe(`${name} init`);
    const range = await door.get(`${folder}${path}/seg_0.${extension}`, { range: 'bytes=0-3' });
    expect([range.statusCode, range.body, range.headers['content-type']]).toEqual([
      206,
      name.slice(0, 4),
      type,
    ]);
    expect(live.loans).toBe(0);
  });

  it.each(STREAMS)('in %s can be read while it is being made', async (path, extension, name) => {
    const folder = await watch();
    const live = name === 'h264-silent' ? door.camera.startTranscoder() : door.camera.fake(name);
    let isOver = false;
    const requested = door.get(`${folder}${path}/seg_0.${extension}`).finally(() => {
      isOver = true;
    });
    for (let parts = 1; parts < 4; parts++) {
      await until(() => live.waitingCount === 1);
      expect(isOver).toBe(false);
      live.publish();
    }
    const segment = await requested;
    expect(segment.body).toBe([0, 1, 2, 3].map((part) => `${name} part 0.${part};`).join(''));
    expect(segment.headers).toMatchObject({ 'cache-control': 'private, max-age=3600, immutable' });
    expect(segment.headers).not.toHaveProperty('content-length');
    expect(live.loans).toBe(0);
  });

  it.each([
    'video/seg_2.m4v',
    'video/seg_0.m4a',
    'audio/seg_0.m4v',
    'video/file.mpd',
    'beside/seg_2.m4v',
    'beside/seg_0.m4a',
    'beside/video/seg_0.m4v',
    'video',
    'audio/seg_0.1.m4a',
    'h264/video/seg_0.m4v',
    'h264/video/seg_init.mp4',
  ])('named %s does not exist', async (name) => {
    const response = await door.get((await watch()) + name);
    expect([response.statusCode, response.json().reason]).toEqual([404, 'not-found']);
  });

  it('has no audio for those who may not hear the camera', async () => {
    const folder = await watch({ includeAudio: false });
    door.camera.fake('main-audio').publishSegments(1);
    for (const name of ['seg_init.mp4', 'seg_0.m4a', 'seg_1.m4a']) {
      expect((await door.get(`${folder}audio/${name}`)).statusCode).toBe(404);
    }
    expect(door.camera.touches).not.toContain('audio');
  });

  it('that is being made is 503 while the camera is offline', async () => {
    const folder = await watch();
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    expect((await door.get(`${folder}video/seg_0.m4v`)).statusCode).toBe(503);
  });
});

describe('the time', () => {
  it('is that by which segments are stamped', async () => {
    const response = await door.get(`${await watch()}time`);
    expect([response.statusCode, response.body]).toEqual([200, '2026-01-02T03:04:05.678Z']);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
  });
});
