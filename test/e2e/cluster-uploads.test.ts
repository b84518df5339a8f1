/** Clips that a recorder hands over to a cluster whose nodes share the folder of the recordings. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { clipFile } from '../support/clip-files.ts';
import { TestCluster } from '../support/cluster.ts';
import { API_KEY, type Json, type TestGateway } from '../support/gateway.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';

const CLIP_MS = 4_000;
const FROM_MS = Date.now() - 3_600_000;
const KEY = { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token', 'tus-resumable': '1.0.0' };

let file: Buffer;
let half: number;
let cluster: TestCluster;
let cameraUuid: string;

beforeAll(async () => {
  file = clipFile({ seconds: CLIP_MS / 1_000 });
  half = Math.floor(file.length / 2);
  cluster = await TestCluster.start(2, { cameras: [{ name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' }] });
  cameraUuid = await cluster.nodes[0]!.cameraUuid('Gate');
});
afterAll(() => cluster?.dispose());

const metadataOf = (clipId: string, startMs: number) => ({
  clipId,
  cameraUuid,
  timestampMs: String(startMs),
  title: clipId,
  filetype: 'video/mp4',
});

/** The path of an upload that the node has the first half of. */
async function begunAt(node: TestGateway, clipId: string, startMs: number): Promise<string> {
  const metadata = Object.entries(metadataOf(clipId, startMs))
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
  const created = await fetch(`${node.mediaUrl}/upload/clips`, {
    method: 'POST',
    headers: { ...KEY, 'upload-length': String(file.length), 'upload-metadata': metadata },
  });
  expect(created.status).toBe(201);
  const path = new URL(created.headers.get('location')!, node.mediaUrl).pathname;
  const sent = await sendTo(node, path, 0, half);
  expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, String(half)]);
  return path;
}

const sendTo = (node: TestGateway, path: string, from: number, to: number) =>
  fetch(`${node.mediaUrl}${path}`, {
    method: 'PATCH',
    headers: { ...KEY, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(file.subarray(from, to)),
  });

const askAt = (node: TestGateway, path: string) =>
  fetch(`${node.mediaUrl}${path}`, { method: 'HEAD', headers: KEY });

const clipsAt = async (node: TestGateway, clipId: string): Promise<Json[]> => {
  const { savedClips } = await node.call('event/getSavedClipsV2', { limit: 1_000 });
  return savedClips.filter(({ title }: Json) => title === clipId);
};

it('an upload goes on at its node, another one says why it cannot, and one that starts does not touch it', async () => {
  const [first, second] = cluster.nodes as [TestGateway, TestGateway];
  const path = await begunAt(first, 'continued', FROM_MS);
  const elsewhere = await sendTo(second, path, half, file.length);
  expect([elsewhere.status, elsewhere.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await elsewhere.json()).toMatchObject({
    reason: 'UPLOAD_AT_OTHER_NODE',
    errorMsg: expect.stringContaining('Another node of the cluster'),
  });
  expect((await askAt(second, path)).status).toBe(503);
  const third = await cluster.addNode();
  const requested = await askAt(first, path);
  expect([requested.status, requested.headers.get('upload-offset')]).toEqual([200, String(half)]);
  expect((await sendTo(first, path, half, file.length)).status).toBe(204);
  for (const node of [first, second, third]) {
    const [clip, ...more] = await until('the clip', async () => {
      const clips = await clipsAt(node, 'continued');
      return clips.length > 0 ? clips : null;
    });
    expect([clip!.timestampMs, more]).toEqual([FROM_MS, []]);
    expect((await askAt(node, path)).headers.get('upload-offset')).toBe(String(file.length));
  }
});

it('an upload begins again at another node when its own was killed', async () => {
  const [first, second] = cluster.nodes as [TestGateway, TestGateway];
  const path = await begunAt(first, 'begun again', FROM_MS + 60_000);
  await first.end('SIGKILL');
  await until('the node to be gone', async () => (await askAt(second, path)).status === 404);
  const outcome = await tusUpload({
    endpoint: `${second.mediaUrl}/upload/clips`,
    key: API_KEY,
    file,
    metadata: metadataOf('begun again', FROM_MS + 60_000),
  });
  expect(outcome.status).toBe(0);
  expect(await clipsAt(second, 'begun again')).toHaveLength(1);
});
