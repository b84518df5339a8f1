import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import { FRAME_TICKS, INIT, videoSegment } from './hls/hls-fixture.ts';
import { FakeOrigin } from './http/fake-origin.ts';
import { probeCamera } from './probe.ts';

const HEAD = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n';

let origin: FakeOrigin;
beforeEach(async () => {
  origin = await FakeOrigin.start();
});
afterEach(() => origin.close());

const probe = (url: string) =>
  probeCamera(new CredentialUrl(url), { transport: 'auto', timeoutMs: 6_000, clock: systemClock });

describe('without a worker, the probe of', () => {
  it('HLS with fMP4 and H.264 measures it', async () => {
    origin.answers.set('/init.mp4', INIT);
    for (let number = 0; number < 3; number++) {
      origin.answers.set(`/${number}.m4s`, videoSegment(number * 25 * FRAME_TICKS, 25));
    }
    const segments = [0, 1, 2].map((number) => `#EXTINF:1,\n${number}.m4s\n`).join('');
    origin.answers.set('/x.m3u8', `${HEAD}#EXT-X-MAP:URI="init.mp4"\n${segments}#EXT-X-ENDLIST\n`);
    const found = await probe(origin.url('/x.m3u8'));
    expect(found).toMatchObject({ status: 'GOOD', error: null, gopMs: 1_000, frameRateHz: 25 });
    expect(found.tracks).toEqual([expect.objectContaining({ codec: 'h264' })]);
  });

  it('HLS with MPEG-TS segments names what it offers', async () => {
    origin.answers.set('/0.ts', Buffer.alloc(188, 0x47));
    origin.answers.set('/x.m3u8', `${HEAD}#EXTINF:1,\n0.ts\n`);
    expect(await probe(origin.url('/x.m3u8'))).toMatchObject({
      status: 'NOT_SUPPORTED',
      error: { code: 'PULL_NEEDS_WORKER' },
      offered: [{ kind: 'video', encodings: ['mpegts'] }],
    });
  });

  it('MJPEG names what it offers, and does not read on', async () => {
    origin.answers.set('/x.mjpg', (_request, response) => {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=x' });
      response.write('--x\r\n');
    });
    expect(await probe(origin.url('/x.mjpg'))).toMatchObject({
      status: 'NOT_SUPPORTED',
      offered: [{ kind: 'video', encodings: ['jpeg'] }],
    });
    await expect.poll(() => origin.connections).toBe(0);
  });

  it.each([
    ['/page', 'NOT_SUPPORTED', 'PULL_CONTENT_UNSUPPORTED'],
    ['/missing', 'UNKNOWN', 'PULL_NOT_FOUND'],
    ['/login', 'NOT_AUTHENTICATED', 'PULL_AUTH_FAILED'],
  ])('%s is %s', async (path, status, code) => {
    origin.answers.set('/page', '<html>');
    origin.answers.set('/login', (_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="cam"' }).end();
    });
    expect(await probe(origin.url(path))).toMatchObject({ status, error: { code }, offered: [] });
  });

  it('RTMP and SRT claims nothing', async () => {
    expect(await probe('srt://192.0.2.1:9000')).toMatchObject({
      status: 'NOT_SUPPORTED',
      error: { code: 'PULL_NEEDS_WORKER' },
      offered: [],
    });
  });
});
