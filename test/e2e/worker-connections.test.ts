/** How often a camera that needs a worker is connected to: some allow one session, and count those that just ended. */

import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { ScriptedCamera } from '../support/scripted-camera.ts';
import { until } from '../support/until.ts';

let peer: GstCamera;
const doors: ScriptedCamera[] = [];
let gateway: TestGateway;

/** The same camera behind a port of its own, which counts. */
function door(): Promise<ScriptedCamera> {
  return ScriptedCamera.listen((socket) => {
    const camera = net.connect(peer.port, '127.0.0.1');
    camera.on('error', () => socket.destroy());
    socket.on('close', () => camera.destroy());
    camera.on('close', () => socket.destroy());
    socket.pipe(camera).pipe(socket);
  });
}

beforeAll(async () => {
  peer = await startGstCamera('vp8-pcmu');
  for (let index = 0; index < 2; index++) doors.push(await door());
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1s' },
    cameras: [
      { name: 'Auto', rtsp: doors[0]!.url, transport: 'tcp' },
      { name: 'Worker', rtsp: doors[1]!.url, transport: 'tcp', engine: 'ffmpeg' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  for (const each of doors) await each.close();
  await peer?.stop();
});

const closings = (name: string): number =>
  gateway.child.lines.filter((line) => line.includes('no viewers, closing') && line.includes(`"${name}"`))
    .length;

/** Watches until there is video, and then leaves until the camera is closed. */
async function watch(share: TestShare, name: string): Promise<void> {
  const before = closings(name);
  const url = await until('the camera to play', () => openShare(share.m3u8Url));
  await until('pictures', async () => {
    const playlist = await fetchPlaylist(url);
    return playlist.segments.length > 0 ? playlist : null;
  });
  await until('the camera to be closed', () => closings(name) > before);
}

it.each([
  ['Auto', 'with direct and a worker, later with a worker alone', 0],
  ['Worker', 'with two workers, because the first one has to look, later with one', 1],
] as const)('%s is opened %s', async (name, _how, index) => {
  const share = await gateway.share(name);
  await watch(share, name);
  expect(doors[index]!.connections).toBe(2);
  await watch(share, name);
  expect(doors[index]!.connections).toBe(3);
  const opened = gateway.child.lines
    .filter((line) => line.includes('"stream opened"') && line.includes(`"${name}"`))
    .map((line) => JSON.parse(line) as Json);
  expect(opened.map(({ plan }) => plan)).toEqual(
    Array.from({ length: 2 }, () => ({ video: 'encode', audio: 'encode' })),
  );
});
