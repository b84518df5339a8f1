/** Devices that push by RTMPS, through nginx as the guide sets it up. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { TestNginx } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { RtmpEncoder } from '../support/rtmp-encoder.ts';
import { until } from '../support/until.ts';

const KEY = 'Yard-0123456789abcdefghij';
const ROOT = resolve(import.meta.dirname, '../..');
const CERTIFICATE = resolve(ROOT, 'src/sources/direct/fixtures/self-signed.pem');

let gateway: TestGateway;
let nginx: TestNginx;
let encoder: RtmpEncoder | null = null;

beforeAll(async () => {
  const [rtmpPort, rtmpsPort] = [await freePort(), await freePort()];
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '3s' },
    rtmp: { listen: `127.0.0.1:${rtmpPort}` },
    cameras: [{ name: 'Yard', publishKey: KEY }],
  });
  const guide = readFileSync(resolve(ROOT, 'docs/guide/cameras.md'), 'utf8');
  const stream = /```nginx\n(stream [\s\S]*?)```/.exec(guide)![1]!;
  const here = replaceEach(stream, [
    ['listen 1936 ssl', `listen 127.0.0.1:${rtmpsPort} ssl`],
    ['127.0.0.1:1935', `127.0.0.1:${rtmpPort}`],
    ['/etc/ssl/video.example.com.pem', CERTIFICATE],
    ['/etc/ssl/video.example.com.key', CERTIFICATE],
  ]);
  nginx = await TestNginx.startStream(here, `rtmps://127.0.0.1:${rtmpsPort}`);
});

afterAll(async () => {
  await encoder?.end();
  await nginx?.stop();
  await gateway?.dispose();
});

function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  let replaced = text;
  for (const [written, here] of pairs) {
    expect(replaced).toContain(written);
    replaced = replaced.replace(written, here);
  }
  return replaced;
}

it('what a device pushes over TLS plays and decodes; without TLS, nothing is pushed', async () => {
  const plain = new RtmpEncoder(`${nginx.url.replace('rtmps:', 'rtmp:')}/live/${KEY}`);
  await until('the device without TLS to give up', () => !plain.isRunning);
  encoder = new RtmpEncoder(`${nginx.url}/live/${KEY}`);
  const share = await gateway.share('Yard');
  const url = await until('the camera to play', () => openShare(share.m3u8Url));
  await until('three segments', async () => (await fetchPlaylist(url)).segments.length >= 3);
  const [run] = await fetchRuns(url);
  expect(await decodeErrors(run!.media, ['-err_detect', 'explode'])).toBe('');
  const codecs = (await probeStreams(run!.media)).map(({ codec_name }) => codec_name);
  expect(codecs).toEqual(['h264', 'aac']);
  expect(encoder.errors).toBe('');
  expect(gateway.child.lines.filter((line) => line.includes('publisher connected'))).toHaveLength(1);
});
