/** Two nodes of a cluster record one camera, one after the other; each plays all of it, whoever recorded it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestConfig, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, fetchRuns, type TestRun } from '../support/hls.ts';
import { decodeErrors } from '../support/media-check.ts';
import { BY_KEY, recordMore } from '../support/recorded-past.ts';
import { TestS3Server } from '../support/s3-server.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' };
/** Before each run but the first. */
const DISCONTINUITY = /^#EXT-X-DISCONTINUITY$/gm;

/** Between the last two runs. */
function lastHoleMs(runs: readonly TestRun[]): number {
  const [before, after] = runs.slice(-2).map(({ segments }) => segments);
  const endMs = before!.reduce((ms, { duration }) => ms + duration * 1_000, before![0]!.programDateTime!);
  return after![0]!.programDateTime! - endMs;
}

interface Place {
  readonly config: TestConfig;
  dispose(): Promise<void>;
}

async function sharedFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-shared-'));
  return {
    config: { recording: { folder, fileSize: '4MiB', minFree: '16MiB' } },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function bucket(): Promise<Place> {
  const s3 = await TestS3Server.start();
  await s3.createBucket('past');
  const { endpoint } = s3;
  return {
    config: {
      recording: { fileSize: '4MiB', minFree: '16MiB', encrypt: 'true' },
      s3: { bucket: 'past', endpoint, ...CREDENTIALS, spoolSize: '64MiB' },
    },
    dispose: () => s3.stop(),
  };
}

describe.each([
  ['a shared folder', sharedFolder],
  ['S3', bucket],
] as const)('recordings of two nodes in %s', (name, openPlace) => {
  let camera: SyntheticCamera;
  let cluster: TestCluster;
  let place: Place;
  let cameraUuid = '';
  let startedSec = 0;
  let owner: TestGateway;
  let other: TestGateway;

  beforeAll(async () => {
    [camera, place] = await Promise.all([startCamera(), openPlace()]);
    cluster = await TestCluster.start(2, {
      ...place.config,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '10s' },
      cameras: [{ name: 'Gate', rtsp: camera.url, recording: 'always' }],
    });
    cameraUuid = await cluster.nodes[0]!.cameraUuid('Gate');
    owner = await until(
      'an owner',
      async () =>
        cluster.nodes.find(({ child }) => child.lines.some((line) => line.includes('"role":"owner"'))) ??
        null,
    );
    other = cluster.nodes.find((node) => node !== owner)!;
    startedSec = Math.floor(Date.now() / 1_000) - 60;
    await recordMore(owner, 5);
  }, 180_000);

  afterAll(async () => {
    await cluster?.dispose();
    await camera?.close();
    await place?.dispose();
  });

  /** The Media Playlist of all that is recorded. Each time another range, of which no node has a timeline in memory. */
  async function past(node: TestGateway): Promise<string> {
    const entry = `${node.mediaUrl}/media/${cameraUuid}/local/vod/${startedSec--}/3600/file.m3u8`;
    const response = await fetch(entry, { headers: BY_KEY });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const line = (await response.text()).split('\n').find((each) => each !== '' && !each.startsWith('#'))!;
    return new URL(line, entry).href;
  }

  const countOf = async (node: TestGateway) => (await fetchPlaylist(await past(node))).segments.length;

  it('the camera is connected once, and recorded by one node', async () => {
    expect(camera.connectedClients()).toBe(1);
    const text = (await fetchOk(`${other.apiUrl}/metrics`)).toString();
    const counted = text.split('\n').filter((line) => line.startsWith('sluice_recording_segments_total{'));
    expect(counted.map((line) => Number(line.split(' ').at(-1))).filter((count) => count > 0)).toEqual([]);
  });

  it('either plays what is being recorded, to the newest segment and to the byte', async () => {
    const there = await fetchPlaylist(await past(other));
    const here = await fetchPlaylist(await past(owner));
    expect(there.segments.length).toBeGreaterThanOrEqual(5);
    expect(here.segments.length - there.segments.length).toBeLessThanOrEqual(2);
    for (const [index, { uri }] of there.segments.entries()) {
      const [one, two] = await Promise.all([
        fetchOk(new URL(here.segments[index]!.uri, here.url).href),
        fetchOk(new URL(uri, there.url).href),
      ]);
      expect(two.equals(one)).toBe(true);
    }
  });

  it('another node records on when the one that did is killed', async () => {
    const before = await fetchRuns(await past(owner));
    const known = before.flatMap(({ segments }) => segments).length;
    await owner.end('SIGKILL');
    await recordMore(other, 3);
    if (name === 'S3') {
      // What it had not uploaded lies on its disk, and is there again with its next run.
      await owner.run(180_000);
    }
    // The file that it left is finished by another node, or by itself.
    await until('the whole past', async () => {
      const { text, segments } = await fetchPlaylist(await past(other));
      return segments.length >= known + 3 && text.match(DISCONTINUITY)?.length === before.length;
    });
    const runs = await fetchRuns(await past(other));
    expect(runs.length).toBe(before.length + 1);
    for (const { media } of runs) expect(await decodeErrors(media)).toBe('');
    const holeMs = lastHoleMs(runs);
    expect(holeMs).toBeGreaterThan(0);
  });

  it('both play all of it when the killed one is back', async () => {
    if (name !== 'S3') await owner.run(180_000);
    await until('the same past', async () => Math.abs((await countOf(owner)) - (await countOf(other))) <= 2);
    const [one, two] = await Promise.all([owner, other].map(async (node) => fetchRuns(await past(node))));
    expect(one!.length).toBe(two!.length);
    for (const [index, { media }] of one!.entries()) {
      const same = two![index]!.media;
      for (let i = 0; i < Math.min(media.length, same.length); i++)
        expect(same[i]!.equals(media[i]!)).toBe(true);
    }
  });

  it('a node that stops hands over, and lists its file at once', async () => {
    const before = await fetchRuns(await past(other));
    const known = before.flatMap(({ segments }) => segments).length;
    await other.end('SIGTERM');
    await recordMore(owner, 3);
    const runs = await fetchRuns(await past(owner));
    expect(runs.flatMap(({ segments }) => segments).length).toBeGreaterThanOrEqual(known + 3);
    expect(runs.length).toBe(before.length + 1);
    for (const { media } of runs) expect(await decodeErrors(media)).toBe('');
    const holeMs = lastHoleMs(runs);
    // Dates are rounded.
    expect(holeMs).toBeGreaterThan(-FRAME_MS);
  });
});
