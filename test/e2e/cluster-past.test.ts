/** What is made of recordings works at a node that did not record them, also if the node that makes it is killed. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestConfig, TestGateway } from '../support/gateway.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { BY_KEY, recordMore } from '../support/recorded-past.ts';
import { TestS3Server } from '../support/s3-server.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const JPEG = Buffer.from([0xff, 0xd8]);

interface Place {
  readonly config: TestConfig;
  dispose(): Promise<void>;
}

async function sharedFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-shared-'));
  return {
    config: { recording: { folder, minFree: '16MiB' } },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Nothing of what is recorded in these tests leaves the disk of its node: files are larger. */
async function bucket(): Promise<Place> {
  const s3 = await TestS3Server.start();
  await s3.createBucket('past');
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' };
  return {
    config: {
      recording: { minFree: '16MiB', encrypt: 'true' },
      s3: { bucket: 'past', endpoint: s3.endpoint, ...credentials },
    },
    dispose: () => s3.stop(),
  };
}

describe.each([
  ['a shared folder', sharedFolder],
  ['S3', bucket],
] as const)('of recordings in %s', (_name, openPlace) => {
  let camera: SyntheticCamera;
  let cluster: TestCluster;
  let place: Place;
  let cameraUuid = '';
  let startSec = 0;
  let owner: TestGateway;
  let other: TestGateway;
  const DURATION_SEC = 3;

  beforeAll(async () => {
    [camera, place] = await Promise.all([startCamera(), openPlace()]);
    cluster = await TestCluster.start(2, {
      ...place.config,
      hls: { segmentTarget: '1s', partTarget: '200ms' },
      cameras: [{ name: 'Gate', rtsp: camera.url, recording: 'always' }],
    });
    cameraUuid = await cluster.nodes[0]!.cameraUuid('Gate');
    owner = await until('an owner', async () => (await cluster.leaseOf(cameraUuid)).owner);
    other = cluster.othersThan(owner)[0]!;
    await recordMore(owner, 2);
    startSec = Math.ceil(Date.now() / 1_000);
    await recordMore(owner, DURATION_SEC + 3);
  }, 180_000);

  afterAll(async () => {
    await cluster?.dispose();
    await camera?.close();
    await place?.dispose();
  });

  /** The same bytes from both nodes. */
  async function fromBoth(path: string): Promise<Buffer> {
    const [here, there] = await Promise.all(
      [owner, other].map(async (node) => {
        const response = await fetch(`${node.mediaUrl}${path}`, { headers: BY_KEY });
        if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(there!.equals(here!)).toBe(true);
    return here!;
  }

  const orderClip = async (node: TestGateway, startTimeMillis: number) => {
    const { clipUuid, errorMsg } = await node.call('video/spliceV3', {
      deviceUuids: [cameraUuid],
      startTimeMillis,
      durationSec: DURATION_SEC,
    });
    expect(errorMsg ?? null).toBeNull();
    return clipUuid as string;
  };
  const clipOf = (clipUuid: string) =>
    until('the clip', () => fromBoth(`/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`));

  it('a range is exported at either node', async () => {
    const movie = await fromBoth(`/media/${cameraUuid}/local/vod/${startSec}/${DURATION_SEC}/clip.mp4`);
    expect(await decodeErrors([movie])).toBe('');
    expect((await probeStreams([movie])).map(({ codec_type }) => codec_type)).toEqual(['video', 'audio']);
  });

  it('a clip that was ordered at either node is there at both, with its image', async () => {
    for (const node of [other, owner]) {
      const clipUuid = await orderClip(node, startSec * 1_000);
      expect(await decodeErrors([await clipOf(clipUuid)])).toBe('');
      const image = await fromBoth(`/media/metadata/${cameraUuid}/local/${clipUuid}.jpeg`);
      expect(image.subarray(0, 2)).toEqual(JPEG);
    }
  });

  it('a timelapse that was ordered at the other node is there at both', async () => {
    const response = await other.call('video/generateTimelapseClip', {
      deviceUuids: [cameraUuid],
      videoFormat: '.mov',
      videoDuration: 2,
      startTime: startSec * 1_000,
      stopTime: (startSec + DURATION_SEC) * 1_000,
      drawTimestamp: false,
      drawCameraDetails: false,
      skipNights: false,
      skipWeekends: false,
    });
    expect(response.errorMsg ?? null).toBeNull();
    const path = `/media/timelapse/${response.clipUuid}.mp4`;
    const movie = await until('the timelapse', () => fromBoth(path));
    expect(await decodeErrors([movie])).toBe('');
    for (const node of cluster.nodes) {
      const { timelapseClips } = await node.call('video/getTimelapseClips');
      const listed = timelapseClips.filter((each: Json) => each.clipUuid === response.clipUuid);
      expect(listed.map(({ status }: Json) => status.percentComplete)).toEqual([100]);
    }
  });

  it('a still of now is there at both, a still of the past is the same frame', async () => {
    const still = async (node: TestGateway, timestampMs: number): Promise<Buffer> => {
      const { frameData, errorMsg } = await node.call('video/getExactFrameData', { cameraUuid, timestampMs });
      expect(errorMsg ?? null).toBeNull();
      return Buffer.from(frameData, 'base64');
    };
    for (const node of [other, owner]) expect((await still(node, Date.now())).subarray(0, 2)).toEqual(JPEG);
    // Of the recording, and of a moment that is not on the disk yet.
    for (const atMs of [startSec * 1_000 + 1_500, Date.now() - 2_000]) {
      const [here, there] = await Promise.all([owner, other].map((node) => still(node, atMs)));
      expect(here!.subarray(0, 2)).toEqual(JPEG);
      expect(there!.equals(here!)).toBe(true);
    }
  });

  it('a clip whose node is killed is made by the other one', async () => {
    // It waits for its end when the node ends.
    const clipUuid = await orderClip(other, Date.now() - 1_000);
    await other.end('SIGKILL');
    await until(
      'the clip of the other node',
      async () => {
        const url = `${owner.mediaUrl}/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`;
        const response = await fetch(url, { headers: BY_KEY });
        if (!response.ok) return false;
        return (await decodeErrors([Buffer.from(await response.arrayBuffer())])) === '';
      },
      115_000,
    );
  });
});
