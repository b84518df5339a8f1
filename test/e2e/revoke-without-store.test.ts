/** Two nodes whose PostgreSQL hangs, and then goes away: access ends at both all the same, also without Redis, and is stored when the database is back. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestGateway, TestShare } from '../support/gateway.ts';
import { fetchOk, openShare, refusalReason } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const IN_FORCE = 'This is in force, and will be stored as soon as the database can be reached.';
const UPDATE = 'camera/updateSharedLiveVideoStream';

let camera: SyntheticCamera;
let cluster: TestCluster;
let first: TestGateway;
let other: TestGateway;
let shares: Record<'hung' | 'deleted' | 'locked' | 'withoutRedis' | 'kept', TestShare>;
let leaked: { readonly key: string; readonly tokenUuid: string };

beforeAll(async () => {
  camera = await startCamera();
  cluster = await TestCluster.start(2, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  [first, other] = cluster.nodes as [TestGateway, TestGateway];
  const share = () => first.share('Gate');
  shares = {
    hung: await share(),
    deleted: await share(),
    locked: await share(),
    withoutRedis: await share(),
    kept: await share(),
  };
  const made = await first.call('integrations/org/submitApiTokenApplication', { displayName: 'Leaked' });
  const { apiTokens } = await first.call('integrations/org/getApiTokens');
  const { tokenUuid } = apiTokens.find(({ displayName }: Json) => displayName === 'Leaked');
  leaked = { key: made.apiKey, tokenUuid };
  for (const node of cluster.nodes) {
    for (const each of Object.values(shares)) await untilOpen(node, each);
    expect(await node.call('camera/findSharedStreams', {}, leaked.key)).toMatchObject({ error: false });
    expect(await node.call('camera/findSharedStreams')).toMatchObject({ error: false });
  }
}, 300_000);
afterAll(async () => {
  await cluster?.dispose();
  await camera?.close();
});

const urlAt = (node: TestGateway, { m3u8Url }: TestShare) => m3u8Url.replace(first.mediaUrl, node.mediaUrl);

async function untilOpen(node: TestGateway, share: TestShare): Promise<void> {
  await until('the link is open', async () => {
    const playlist = await openShare(urlAt(node, share)).catch(() => null);
    return playlist !== null && (await fetchOk(playlist)).length > 0;
  });
}

async function reasonAt(node: TestGateway, share: TestShare): Promise<string> {
  const response = await fetch(urlAt(node, share));
  return response.ok ? 'open' : refusalReason(response);
}

async function expectRefusedAtBoth(share: TestShare, reason: string): Promise<void> {
  for (const node of cluster.nodes) expect(await reasonAt(node, share)).toBe(reason);
}

it('ends a link at both nodes while the database hangs, and stores it when the database responds', async () => {
  cluster.postgres.freeze();
  try {
    expect(await other.revoke(shares.hung)).toEqual({ error: false, warningMsg: IN_FORCE });
    await expectRefusedAtBoth(shares.hung, 'revoked');
    expect(await reasonAt(first, shares.kept)).toBe('open');
  } finally {
    cluster.postgres.thaw();
  }
  await until('the end is stored', async () => {
    const { sharedLiveVideoStreams } = await first.call('camera/findAllSharedLiveVideoStreams');
    return sharedLiveVideoStreams?.every(({ uuid }: Json) => uuid !== shares.hung.uuid);
  });
  await expectRefusedAtBoth(shares.hung, 'revoked');
});

it('ends a link, a link’s old password, and a key, at both nodes before the response', async () => {
  await cluster.postgres.stop('SIGQUIT');
  await until('calls fail', async () => {
    const { error } = await first.call('camera/createSharedLiveVideoStream', {
      cameraUuid: shares.kept.cameraUuid,
    });
    return error;
  });
  expect(await first.revoke(shares.deleted)).toEqual({ error: false, warningMsg: IN_FORCE });
  await expectRefusedAtBoth(shares.deleted, 'revoked');
  const change = { uuid: shares.locked.uuid, password: 'correct horse', passwordUpdated: true };
  expect(await other.call(UPDATE, change)).toMatchObject({ error: false, warningMsg: IN_FORCE });
  await expectRefusedAtBoth(shares.locked, 'password-needed');
  const revoked = await first.call('integrations/org/revokeApiToken', { tokenUuid: leaked.tokenUuid });
  expect(revoked).toEqual({ error: false, warningMsg: IN_FORCE });
  for (const node of cluster.nodes) {
    const refused = await node.call(
      'camera/deleteSharedLiveVideoStream',
      { uuid: shares.kept.uuid },
      leaked.key,
    );
    expect(refused).toMatchObject({ error: true, authenticationFailed: true });
    expect(await reasonAt(node, shares.kept)).toBe('open');
  }
});

it('gives no access without the store', async () => {
  const opening = await first.call(UPDATE, { uuid: shares.locked.uuid, passwordUpdated: true });
  expect(opening).toMatchObject({ error: true });
  await expectRefusedAtBoth(shares.locked, 'password-needed');
});

it('ends a link at both nodes without Redis, too', async () => {
  await cluster.killRedis();
  expect(await other.revoke(shares.withoutRedis)).toEqual({ error: false, warningMsg: IN_FORCE });
  await expectRefusedAtBoth(shares.withoutRedis, 'revoked');
});

it('stores all of it when the database is back, also what a node accepted that was killed', async () => {
  await first.end('SIGKILL');
  await cluster.startEmptyRedis();
  await cluster.postgres.run();
  const listed = await until('what is stored', async () => {
    const response = await other.call('camera/findAllSharedLiveVideoStreams');
    const uuids = (response.sharedLiveVideoStreams ?? []).map(({ uuid }: Json) => uuid);
    const isOver = !uuids.includes(shares.deleted.uuid) && !uuids.includes(shares.withoutRedis.uuid);
    return uuids.length > 0 && isOver ? (response.sharedLiveVideoStreams as Json[]) : null;
  });
  const known = new Map(listed.map((share) => [share.uuid, share]));
  expect(known.get(shares.kept.uuid)).toMatchObject({ passwordProtected: false });
  await until('the password is stored', async () => {
    const { sharedLiveVideoStreams } = await other.call('camera/findAllSharedLiveVideoStreams');
    return sharedLiveVideoStreams.some(
      (share: Json) => share.uuid === shares.locked.uuid && share.passwordProtected,
    );
  });
  await until('the key is revoked in the store', async () => {
    const { apiTokens } = await other.call('integrations/org/getApiTokens');
    return apiTokens.every((token: Json) => token.tokenUuid !== leaked.tokenUuid);
  });
  await first.run();
  await until('both nodes know each other', async () => {
    const { warningMsg } = await other.call(UPDATE, {
      uuid: shares.kept.uuid,
      name: 'Kept',
      nameUpdated: true,
    });
    return warningMsg === undefined;
  });
  await expectRefusedAtBoth(shares.deleted, 'revoked');
  await expectRefusedAtBoth(shares.withoutRedis, 'revoked');
  await expectRefusedAtBoth(shares.locked, 'password-needed');
  for (const node of cluster.nodes) {
    expect(await node.call('camera/findSharedStreams', {}, leaked.key)).toMatchObject({ error: true });
  }
});
