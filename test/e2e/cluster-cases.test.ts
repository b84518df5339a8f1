/** A case of a time that two nodes recorded is sealed, verified, and downloaded at either node, from a shared folder and from S3. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOf } from '../../src/front-door/files/archive-fixture.ts';
import { S3Objects } from '../../src/recording/s3-objects.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestConfig, TestGateway } from '../support/gateway.ts';
import { decodeErrors } from '../support/media-check.ts';
import { recordMore } from '../support/recorded-past.ts';
import { TestS3Server } from '../support/s3-server.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' };
const SEAL_MS = 60_000;

interface Place {
  readonly config: TestConfig;
  /** Resolves when what the first node recorded is there. */
  untilStored(cameraUuid: string): Promise<void>;
  dispose(): Promise<void>;
}

async function sharedFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-shared-'));
  return {
    config: { recording: { folder, minFree: '16MiB' } },
    untilStored: async () => undefined,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function bucket(): Promise<Place> {
  const s3 = await TestS3Server.start();
  await s3.createBucket('past');
  const { endpoint } = s3;
  const objects = new S3Objects({
    bucket: 'past',
    region: 'us-east-1',
    endpoint,
    prefix: '',
    credentials: CREDENTIALS,
  });
  return {
    config: {
      recording: { minFree: '16MiB', encrypt: 'true' },
      s3: { bucket: 'past', endpoint, ...CREDENTIALS },
    },
    async untilStored(cameraUuid) {
      await until('a file in S3', async () => (await objects.list(`${cameraUuid}/main`)).length >= 1);
    },
    async dispose() {
      objects.close();
      await s3.stop();
    },
  };
}

describe.each([
  ['a shared folder', sharedFolder],
  ['S3', bucket],
] as const)('a case of recordings in %s', (_name, openPlace) => {
  let camera: SyntheticCamera;
  let cluster: TestCluster;
  let place: Place;
  let folder: string;
  let cameraUuid = '';
  let range: Json;
  let nodes: readonly TestGateway[];

  beforeAll(async () => {
    [camera, place, folder] = await Promise.all([
      startCamera(),
      openPlace(),
      mkdtemp(join(tmpdir(), 'sluice-cases-')),
    ]);
    cluster = await TestCluster.start(2, {
      ...place.config,
      hls: { segmentTarget: '1s', partTarget: '200ms' },
      cameras: [{ name: 'Gate', rtsp: camera.url, recording: 'always' }],
    });
    cameraUuid = await cluster.nodes[0]!.cameraUuid('Gate');
    const first = await until('an owner', async () => (await cluster.leaseOf(cameraUuid)).owner);
    const second = cluster.othersThan(first)[0]!;
    nodes = [first, second];
    await recordMore(first, 2);
    const fromMs = Date.now();
    await recordMore(first, 4);
    // What it recorded is complete from now on, and the other node continues.
    await first.end();
    await recordMore(second, 5);
    range = { fromMs, toMs: Date.now() - 1_000 };
    await first.run();
    await place.untilStored(cameraUuid);
  }, 240_000);

  afterAll(async () => {
    await cluster?.dispose();
    await camera?.close();
    await place?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function sealedAt(node: TestGateway): Promise<string> {
    const { case: opened, errorMsg } = await node.call('evidence/createCase', { title: 'Theft' });
    expect(errorMsg).toBeUndefined();
    const { uuid: caseUuid } = opened;
    expect(
      (await node.call('evidence/addToCase', { caseUuid, cameraUuid, ...range })).errorMsg,
    ).toBeUndefined();
    await node.call('evidence/sealCase', { caseUuid });
    await until(
      'the seal at both nodes',
      async () => {
        const states = await Promise.all(
          nodes.map(async (each) => (await each.call('evidence/getCase', { caseUuid })).case.state),
        );
        expect(states).not.toContain('failed');
        return states.every((state) => state === 'sealed');
      },
      SEAL_MS,
    );
    return caseUuid;
  }

  /** The bytes of a path, or some of them. */
  async function fetched(node: TestGateway, path: string, bytes?: string): Promise<Buffer> {
    const headers = bytes === undefined ? {} : { range: `bytes=${bytes}` };
    const response = await fetch(`${node.mediaUrl}${path}`, { headers });
    expect(response.status).toBe(bytes === undefined ? 200 : 206);
    return Buffer.from(await response.arrayBuffer());
  }

  it.each([0, 1])(
    'is whole at both nodes if node %i seals it, and a changed byte is found',
    async (index) => {
      const caseUuid = await sealedAt(nodes[index]!);
      const { downloadUrl } = await nodes[1 - index]!.call('evidence/createCaseLink', { caseUuid });
      const { pathname, search } = new URL(downloadUrl);
      const path = `${pathname}${search}`;
      const [here, there] = await Promise.all(nodes.map((node) => fetched(node, path)));
      expect(there!.equals(here!)).toBe(true);
      // A download that broke off at one node continues at the other.
      const middle = Math.floor(here!.length / 2);
      const [start, end] = await Promise.all([
        fetched(nodes[0]!, path, `0-${middle - 1}`),
        fetched(nodes[1]!, path, `${middle}-`),
      ]);
      expect(Buffer.concat([start!, end!]).equals(here!)).toBe(true);

      const file = join(folder, `case-${index}.zip`);
      await writeFile(file, here!);
      const whole = await runCli('verify', file);
      expect(whole.code, whole.stdout).toBe(0);
      const media = [...(await filesOf(here!))].filter(([name]) => name.startsWith('media/'));
      // Each node wrote a file, so a gap does not mean forgery.
      expect(media.length).toBeGreaterThanOrEqual(2);
      for (const [name, bytes] of media) expect(await decodeErrors([Buffer.from(bytes)]), name).toBe('');
      const at = here!.indexOf(Buffer.from(media.at(-1)![1]).subarray(-100));
      expect(at).toBeGreaterThan(0);
      here![at] = here![at]! ^ 1;
      await writeFile(file, here!);
      const changed = await runCli('verify', file);
      expect([changed.code === 0, changed.stdout.includes('changed')]).toEqual([false, true]);
    },
  );
});
