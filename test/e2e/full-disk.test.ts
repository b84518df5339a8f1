/** Someone with a link and a lot of patience, and a full disk: what was shared can still be revoked. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** The reserve, the database, and room to fill. */
const DISK_MIB = 48;
/** More than the burst of openings allowed for one address. */
const OPENINGS = 3_000;
const AT_ONCE = 50;

let camera: SyntheticCamera;
let disk: SmallDisk;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  disk = await SmallDisk.mount(DISK_MIB);
  gateway = await TestGateway.start({
    data: join(disk.folder, 'data'),
    api: { rateLimit: 1_000_000 },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await disk?.unmount();
});

/** How often each status was returned, and the refusals themselves. */
async function openOften({ pageUrl }: TestShare) {
  const answers = new Map<number, number>();
  const refused: { reason: string; retryAfterSec: number }[] = [];
  let left = OPENINGS;
  const loop = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(`${pageUrl}/open`, { method: 'POST' });
      const { status, headers } = answer;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      const { reason } = (await answer.json()) as Json;
      if (status !== 200) refused.push({ reason, retryAfterSec: Number(headers.get('retry-after')) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  return { answers, refused };
}

async function viewingsOf({ uuid }: TestShare): Promise<Json[]> {
  const { auditEvents } = await gateway.call('report/getAuditFeed', {
    includeActions: ['VIEW_SHARE_STREAM'],
  });
  return auditEvents.filter((entry: Json) => entry.targetUuid === uuid);
}

/** Its media, and 403 when it is over. */
async function grantOf(share: TestShare): Promise<string> {
  return (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
}

const readyz = async () => {
  const response = await fetch(`${gateway.mediaUrl}/readyz`);
  return { status: response.status, store: ((await response.json()) as Json).checks.store };
};

describe('a link that is opened thousands of times', () => {
  it('is answered 429 with Retry-After, and is one row of the audit trail', async () => {
    const share = await gateway.share('Lobby');
    const { answers, refused } = await openOften(share);
    expect([...answers.keys()].sort()).toEqual([200, 429]);
    expect(answers.get(429)).toBeGreaterThan(OPENINGS / 3);
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['too-many-opens']));
    expect(Math.min(...refused.map(({ retryAfterSec }) => retryAfterSec))).toBeGreaterThanOrEqual(1);
    const [viewing, ...others] = await viewingsOf(share);
    expect(others).toEqual([]);
    expect(viewing).toMatchObject({ occurrences: answers.get(200), sourceIp: '127.0.0.1' });
    await gateway.revoke(share);
  });
});

describe('a full disk', () => {
  it('leaves room to withdraw shares and to write down who did, and nothing else', async () => {
    const shares = [await gateway.share('Lobby'), await gateway.share('Lobby'), await gateway.share('Lobby')];
    const grants: string[] = [];
    for (const share of shares) grants.push(await grantOf(share));
    expect(await readyz()).toEqual({ status: 200, store: 'ok' });
    disk.fill();
    await until('readiness to notice', async () => (await readyz()).status === 503);
    expect(await readyz()).toEqual({ status: 503, store: 'STORE_DISK_FULL' });
    for (const [index, share] of shares.entries()) {
      expect(await gateway.revoke(share)).toMatchObject({ error: false });
      const playlist = await fetch(grants[index]!);
      expect([playlist.status, await refusalReason(playlist)]).toEqual([403, 'revoked']);
    }
    const { auditEvents } = await gateway.call('report/getAuditFeed', {
      includeActions: ['SHARED_LIVE_VIDEO_STREAM_DELETE'],
    });
    const withdrawn = new Set(auditEvents.map((entry: Json) => entry.targetUuid));
    expect(shares.filter(({ uuid }) => !withdrawn.has(uuid))).toEqual([]);
    disk.free();
    await until('readiness to return', async () => (await readyz()).status === 200, 30_000);
    await gateway.restart('SIGKILL');
    for (const grant of grants) expect(await refusalReason(await fetch(grant))).toBe('revoked');
  });

  it('without a reserve ends the views all the same, says that it is not stored, and stores it later', async () => {
    // The gateway has just started, and the API may still be busy.
    await until('the API', async () => {
      const { error } = await gateway.call('camera/getMinimalCameraStateList');
      return !error;
    });
    const share = await gateway.share('Lobby');
    const grant = await grantOf(share);
    expect((await fetch(grant)).status).toBe(200);
    disk.fill();
    await rm(join(disk.folder, 'data', 'reserve'));
    disk.fill();
    // Writes that have no claim to the reserve use up the room that the log still has.
    await until('the disk to be full for the database', async () => {
      const { error } = await gateway.call('camera/createSharedLiveVideoStream', {
        ...{ cameraUuid: share.cameraUuid, streamType: 'USER', vodEnabled: false, name: 'x'.repeat(256) },
      });
      return error;
    });
    const answer = await fetch(`${gateway.apiUrl}/api/camera/deleteSharedLiveVideoStream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY },
      body: JSON.stringify({ uuid: share.uuid }),
    });
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as Json).errorMsg).toMatch(
      /its views have ended.*could not save the change/,
    );
    for (const url of [grant, share.m3u8Url]) {
      expect(await refusalReason(await fetch(url))).toBe('revoked');
    }
    disk.free();
    await until('the end to be stored', () =>
      gateway.child.lines.some((line) => line.includes('share end stored')),
    );
    const auditOfEnd = async () => {
      const { auditEvents } = await gateway.call('report/getAuditFeed', {
        includeActions: ['SHARED_LIVE_VIDEO_STREAM_DELETE'],
      });
      return auditEvents.find((entry: Json) => entry.targetUuid === share.uuid);
    };
    // Rows are written after the change; to read them waits for that.
    const audited = await auditOfEnd();
    expect(audited).toMatchObject({ principalType: 'API_TOKEN' });
    await gateway.restart('SIGKILL');
    expect(await refusalReason(await fetch(grant))).toBe('revoked');
    expect(await auditOfEnd()).toEqual(audited);
  });
});
