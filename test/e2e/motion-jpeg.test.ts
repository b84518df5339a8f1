/**
 * A camera whose video is JPEGs over RTP (RFC 2435), as GStreamer sends them: still images without a decoder and without a
 * worker, and video from a worker that the gateway feeds, over the camera's one connection.
 */

import net from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { workersOf } from '../support/processes.ts';
import { ScriptedCamera } from '../support/scripted-camera.ts';
import { until } from '../support/until.ts';

/** From the left: white, yellow, cyan, green, magenta, red, blue. */
const BARS = ['rgb', 'rg', 'gb', 'g', 'rb', 'r', 'b'];
const LIT = 128;
/** Of the camera's quality 70 (ITU-T T.81 table K.1): every table that the gateway's own encoder uses begins with 8. */
const CAMERA_FIRST_QUANTIZER = 10;

let peer: GstCamera;
let door: ScriptedCamera;
let gateway: TestGateway;
let share: TestShare;

beforeAll(async () => {
  peer = await startGstCamera('mjpeg-bars-only');
  // Counts connections.
  door = await ScriptedCamera.listen((socket) => {
    const camera = net.connect(peer.port, '127.0.0.1');
    camera.on('error', () => socket.destroy());
    socket.on('close', () => camera.destroy());
    camera.on('close', () => socket.destroy());
    socket.pipe(camera).pipe(socket);
  });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: door.url, transport: 'tcp' }],
  });
  share = await gateway.share('Gate');
});

afterAll(async () => {
  await gateway?.dispose();
  await door?.close();
  await peer?.stop();
});

/** Which of red, green and blue are lit in each of the bars. */
async function barsOf(image: Buffer): Promise<string[]> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return BARS.map((_, bar) => {
    const x = Math.floor(((bar + 0.5) / BARS.length) * info.width);
    const at = (Math.floor(info.height / 3) * info.width + x) * info.channels;
    return [...'rgb'].filter((_name, channel) => data[at + channel]! > LIT).join('');
  });
}

const snapshot = (fields: Json = {}): Promise<Json> =>
  gateway.call('camera/getSnapshot', { cameraUuid: share.cameraUuid, ...fields });
const imageOf = (taken: Json): Buffer => Buffer.from(taken.imageData, 'base64');
const workers = (): number[] => workersOf(gateway.child.process.pid!);
/** Behind the marker and length of the first DQT, and the number of its table. */
const firstQuantizer = (jpeg: Buffer): number => jpeg[jpeg.indexOf(Buffer.from([0xff, 0xdb])) + 5]!;

describe('still images of a Motion JPEG camera', () => {
  it('are the pictures that it sends, without a worker', async () => {
    const taken = await snapshot();
    expect(taken).toMatchObject({ contentType: 'image/jpeg', width: 1_280, height: 720, live: true });
    const image = imageOf(taken);
    expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: 1_280, height: 720 });
    expect(firstQuantizer(image)).toBe(CAMERA_FIRST_QUANTIZER);
    expect(await barsOf(image)).toEqual(BARS);
    expect(workers()).toEqual([]);
  });

  it('change with its pictures', async () => {
    const first = await snapshot();
    const next = await until('another picture', async () => {
      const taken = await snapshot();
      return taken.timestampMs === first.timestampMs ? null : taken;
    });
    expect(next.timestampMs).toBeGreaterThan(first.timestampMs);
    expect(imageOf(next).equals(imageOf(first))).toBe(false);
    expect(workers()).toEqual([]);
  });

  it('are smaller or in another format when asked, from the decoder in the jail', async () => {
    const poster = await fetch(share.m3u8Url.replace('file.m3u8', 'poster.jpg'));
    const { headers } = poster;
    expect([poster.status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect([headers.get('x-picture-state'), headers.get('x-content-type-options')]).toEqual([
      'live',
      'nosniff',
    ]);
    const small = Buffer.from(await poster.arrayBuffer());
    expect(await sharp(small).metadata()).toMatchObject({ width: 640, height: 360 });
    expect(firstQuantizer(small)).toBe(8);
    expect(await barsOf(small)).toEqual(BARS);
    const taken = await snapshot({ format: 'webp' });
    expect(taken).toMatchObject({ contentType: 'image/webp', width: 1_280, height: 720 });
    expect(await barsOf(imageOf(taken))).toEqual(BARS);
    expect([workers(), door.connections]).toEqual([[], 1]);
  });
});

describe('video of a Motion JPEG camera', () => {
  it('is encoded by one worker that is fed from the same connection', async () => {
    const url = await until('the camera to play', () => openShare(share.m3u8Url));
    const playlist = await until('two segments', async () => {
      const seen = await fetchPlaylist(url);
      return seen.segments.filter(({ uri }) => uri.startsWith('seg_')).length >= 2 ? seen : null;
    });
    const [segment] = playlist.segments;
    const bytes = [
      await fetchOk(new URL(segment!.map.uri, playlist.url).href),
      await fetchOk(new URL(segment!.uri, playlist.url).href),
    ];
    expect(await decodeErrors(bytes)).toBe('');
    expect(await probeStreams(bytes)).toMatchObject([{ codec_name: 'h264', width: 1_280, height: 720 }]);
    expect([workers().length, door.connections]).toEqual([1, 1]);
  });

  it('leaves still images what they are', async () => {
    const image = imageOf(await snapshot());
    expect(firstQuantizer(image)).toBe(CAMERA_FIRST_QUANTIZER);
    expect(await barsOf(image)).toEqual(BARS);
  });
});
