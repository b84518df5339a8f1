/** RTSP in a cluster: each node serves a link, also if another node has the camera. */

import { afterAll, beforeAll, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway } from '../support/gateway.ts';
import { RtspReaders } from '../support/rtsp-readers.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';

let readers: RtspReaders;
let camera: SyntheticCamera;
let cluster: TestCluster;

beforeAll(async () => {
  const clip = await makeClip(320, 180, { durationSec: 64 });
  readers = new RtspReaders(clip);
  // So one node alone has the camera.
  camera = await startCamera(0, { clip, maxClients: 1 });
  const rtsp = { listen: '127.0.0.1:0' };
  cluster = await TestCluster.start(2, { rtsp, cameras: [{ name: 'Dock', rtsp: camera.url }] });
}, 400_000);

afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
  readers?.remove();
});

async function portOf(node: TestGateway): Promise<number> {
  return JSON.parse(await node.child.line(/"listening for RTSP"/)).port;
}

it('each node gives ffmpeg each frame and all audio', async () => {
  const { m3u8Url } = await cluster.nodes[0]!.share('Dock', { includeAudio: true });
  const path = new URL(m3u8Url).pathname.replace('/file.m3u8', '');
  for (const node of cluster.nodes) {
    const media = await readers.ffmpeg(`rtsp://127.0.0.1:${await portOf(node)}${path}`);
    await readers.expectAllFrames(media);
    await readers.expectAllSound(media);
  }
});
