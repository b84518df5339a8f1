/** Cameras that are not RTSP, with real peers: another gateway, ffmpeg as an RTMP and SRT server, an MJPEG server. */

import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFfmpegServer } from '../support/ffmpeg-server.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const closing: (() => Promise<unknown>)[] = [];
let origin: TestGateway;
let gateway: TestGateway;

beforeAll(async () => {
  const camera = await startCamera();
  closing.push(() => camera.close());
  origin = await TestGateway.start({ cameras: [{ name: 'Yard', rtsp: camera.url }] });
  closing.push(() => origin.dispose());
  const share = await origin.share('Yard');
  const mjpegUrl = await startMjpegServer();
  const servers = await Promise.all([startFfmpegServer('rtmp'), startFfmpegServer('srt')]);
  closing.push(() => Promise.all(servers.map((server) => server.close())));
  gateway = await TestGateway.start({
    cameras: [
      { name: 'Gateway', rtsp: share.m3u8Url },
      { name: 'MJPEG', rtsp: mjpegUrl },
      { name: 'RTMP', rtsp: servers[0].url },
      { name: 'SRT', rtsp: servers[1].url },
      { name: 'Direct MJPEG', rtsp: mjpegUrl, engine: 'direct' },
      { name: 'Web page', rtsp: `${mjpegUrl}?page` },
    ],
  });
  closing.push(() => gateway.dispose());
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** Real JPEGs, ten per second. */
async function startMjpegServer(): Promise<string> {
  const args = ['-loglevel', 'error', '-f', 'lavfi', '-i', 'testsrc=s=320x180:r=10', '-frames:v', '10'];
  const all = spawnSync('ffmpeg', [...args, '-c:v', 'mjpeg', '-f', 'image2pipe', 'pipe:1']).stdout;
  const pictures: Buffer[] = [];
  for (let start = 0; start < all.length; ) {
    const end = all.indexOf(Buffer.of(0xff, 0xd9), start) + 2;
    pictures.push(all.subarray(start, end));
    start = end;
  }
  const server = createServer((request, response) => {
    if (request.url?.endsWith('?page')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
      return;
    }
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
    let index = 0;
    const timer = setInterval(() => {
      const picture = pictures[index++ % pictures.length]!;
      const header = `--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${picture.length}\r\n\r\n`;
      response.write(Buffer.concat([Buffer.from(header), picture, Buffer.from('\r\n')]));
    }, 100);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/video.mjpg`;
}

/** What ffprobe says about a complete segment that a viewer got: codecs, and the number of frames of each. */
async function watched(name: string): Promise<Record<string, number>> {
  const { m3u8Url } = await gateway.share(name);
  const playlistUrl = await until(`${name} playing`, () => openShare(m3u8Url));
  const playlist = await until(`segments of ${name}`, async () => {
    const found = await fetchPlaylist(playlistUrl);
    return found.segments.filter(({ duration }) => duration > 1.5).length >= 2 && found;
  });
  const segment = playlist.segments.findLast(({ duration }) => duration > 1.5)!;
  const [init, media] = await Promise.all(
    [segment.map.uri, segment.uri].map((uri) => fetchOk(new URL(uri, playlistUrl).href)),
  );
  const args = ['-v', 'error', '-count_packets', '-show_entries', 'stream=codec_name,nb_read_packets'];
  const input = Buffer.concat([init!, media!]);
  const { stdout, stderr } = spawnSync('ffprobe', [...args, '-of', 'csv=p=0', 'pipe:0'], {
    input,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(',').slice(0, 2))
      .map(([codec, count]) => [codec!, Number(count)]),
  );
}

describe('a viewer sees', () => {
  it.each([
    ['Gateway', ['h264', 'aac'], 25],
    ['RTMP', ['h264', 'aac'], 25],
    ['SRT', ['h264', 'aac'], 25],
    ['MJPEG', ['h264'], 10],
  ])('%s', async (name, codecs, framesPerSec) => {
    const tracks = await watched(name);
    expect(Object.keys(tracks).toSorted()).toEqual(codecs.toSorted());
    expect(tracks.h264).toBeGreaterThan(1.5 * framesPerSec);
    expect(tracks.h264).toBeLessThan(5 * framesPerSec);
  });
});

describe('the log says why not', () => {
  it.each([
    ['Direct MJPEG', 'PULL_NEEDS_WORKER'],
    ['Web page', 'PULL_CONTENT_UNSUPPORTED'],
  ])('%s', async (name, code) => {
    const { m3u8Url } = await gateway.share(name);
    void fetch(m3u8Url).catch(() => undefined);
    await gateway.child.line(new RegExp(`${name}.*${code}|${code}.*${name}`));
  });
});

it('plays fMP4 segments without a worker, and others through one that has no network', () => {
  const opened = gateway.child.lines.filter((line) => line.includes('"stream opened"'));
  const engineOf = (name: string) => opened.find((line) => line.includes(`"${name}"`));
  expect(engineOf('Gateway')).toMatch(/"engine":"http","format":"hls-fmp4"/);
  expect(engineOf('MJPEG')).toMatch(/"engine":"ffmpeg"/);
});
