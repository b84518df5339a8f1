/**
 * Someone with a link and a lot of patience, and a full disk: what was shared can still be revoked. And a disk of
 * recordings that becomes full while a camera is recorded, a clip is sent and another one is made.
 */

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { clipFile, codedPackets, h264With } from '../support/clip-files.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { API_KEY, type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchRuns, openShare, refusalReason } from '../support/hls.ts';
import { BY_KEY, recordMore } from '../support/recorded-past.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

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
      const response = await fetch(`${pageUrl}/open`, { method: 'POST' });
      const { status, headers } = response;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      const { reason } = (await response.json()) as Json;
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
    await until('readiness to return', async () => (await readyz()).status === 200);
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
        cameraUuid: share.cameraUuid,
        streamType: 'USER',
        vodEnabled: false,
        name: 'x'.repeat(256),
      });
      return error;
    });
    const response = await fetch(`${gateway.apiUrl}/api/camera/deleteSharedLiveVideoStream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY },
      body: JSON.stringify({ uuid: share.uuid }),
    });
    expect(response.status).toBe(503);
    expect(((await response.json()) as Json).errorMsg).toMatch(
      /the views that it concerns have ended.*could save it/,
    );
    for (const url of [grant, share.m3u8Url]) {
      expect(await refusalReason(await fetch(url))).toBe('revoked');
    }
    disk.free();
    await until('the end to be stored', () =>
      gateway.child.lines.some((line) => line.includes('end of access stored')),
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

describe('a disk of recordings that becomes full while a camera is recorded, a clip is sent and another is made', {
  timeout: 180_000,
}, () => {
  const MIB = 1_048_576;
  const FILE_BYTES = 4 * MIB;
  const HOUR_MS = 3_600_000;
  const PICTURE = { widthPx: 640, heightPx: 360 };
  const TUS = { ...BY_KEY, 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };

  it('costs the oldest recordings and nothing that was acknowledged, and live nothing at all', async () => {
    const clip = await makeHeavyClip();
    const lobby = await startCamera(0, { clip });
    const room = await SmallDisk.mount(128);
    onTestFinished(async () => {
      await lobby.close();
      await room.unmount();
    });
    const hall = await TestGateway.start({
      hls: { segmentTarget: '2s', partTarget: '500ms', window: '60s' },
      recording: { folder: room.folder, fileSize: '4MiB', minFree: '16MiB' },
      cameras: [{ name: 'Hall', rtsp: lobby.url, recording: 'always' }],
    });
    onTestFinished(() => hall.dispose());
    const cameraUuid = await hall.cameraUuid('Hall');
    const endpoint = `${hall.mediaUrl}/upload/clips`;
    const file = clipFile({ size: '1280x720', seconds: 3, codecs: h264With('-qp 1') });
    const half = file.length >> 1;
    const metadataOf = (clipId: string, hoursAgo: number) => ({
      clipId,
      cameraUuid,
      timestampMs: String(Date.now() - hoursAgo * HOUR_MS),
      filetype: 'video/mp4',
    });
    const clipUrl = (uuid: string) => `${hall.mediaUrl}/media/metadata/${cameraUuid}/local/${uuid}.mp4`;
    const listed = async () =>
      (await hall.call('event/getSavedClipsV2', { limit: 100 })).savedClips as Json[];
    const areComplete = async (count: number) =>
      until(`${count} clips`, async () => {
        const clips = await listed();
        return clips.length === count && clips.every(({ status }) => status === 'COMPLETE') ? clips : null;
      });
    const namesOf = (folder: string) => readdir(join(room.folder, folder)).catch(() => []);
    const files = async () => (await namesOf(`${cameraUuid}/main`)).toSorted();

    // Five clips that are older than what the gateway records: their recordings go first, their copies stay.
    for (const hoursAgo of [5, 4, 3, 2, 1]) {
      const metadata = metadataOf(`${hoursAgo}`, hoursAgo);
      expect(await tusUpload({ endpoint, key: API_KEY, file, metadata })).toMatchObject({ status: 0 });
    }

    const metadata = metadataOf('half', 0.5);
    const announced = await fetch(endpoint, {
      method: 'POST',
      headers: {
        ...BY_KEY,
        'tus-resumable': '1.0.0',
        'upload-length': String(file.length),
        'upload-metadata': Object.entries(metadata)
          .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
          .join(),
      },
    });
    const upload = new URL(announced.headers.get('location')!, endpoint).href;
    const patch = (from: number, to: number) =>
      fetch(upload, {
        method: 'PATCH',
        headers: { ...TUS, 'upload-offset': String(from) },
        body: Uint8Array.from(file.subarray(from, to)),
      });
    expect((await patch(0, half)).status).toBe(204);
    const startMs = Date.now();
    await recordMore(hall, 2);

    const share = await hall.share('Hall');
    const viewer = new TestViewer(await grantOf(share));
    onTestFinished(() => viewer.stop());

    // A file has just begun, and its room is reserved: the recorder needs no more for some seconds.
    const known = await files();
    await until('the next file', async () => {
      const [newest] = (await files()).slice(-1);
      if (newest === undefined || known.includes(newest)) return false;
      return (await stat(join(room.folder, cameraUuid, 'main', newest))).size >= FILE_BYTES;
    });

    room.fill();
    const refused = await patch(half, file.length);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      reason: 'UPLOAD_NO_ROOM',
      errorMsg: expect.stringMatching(/disk/),
    });
    const head = await fetch(upload, { method: 'HEAD', headers: TUS });
    const offset = Number(head.headers.get('upload-offset'));
    expect(offset).toBeGreaterThanOrEqual(half);
    expect(offset).toBeLessThan(file.length);
    const splice = await hall.call('video/spliceV3', {
      deviceUuids: [cameraUuid],
      startTimeMillis: startMs + 500,
      durationSec: 2,
    });
    await hall.child.line(/RECORDING_DISK_FULL.*"msg":"clip not made, trying again"/, 20_000);
    expect((await fetch(clipUrl(splice.clipUuid), { headers: BY_KEY })).status).toBe(404);
    expect(await namesOf(`clips/${splice.clipUuid}`)).toEqual([]);

    await hall.child.line(/RECORDING_DISK_FULL.*"msg":"recording failed"/, 30_000);

    await hall.child.line(/"msg":"recording again"/, 30_000);
    await recordMore(hall, 2);
    expect((await namesOf(`${cameraUuid}/uploaded`)).length).toBeLessThan(5);

    await viewer.stop();
    expect({ failures: viewer.failures, discontinuities: viewer.discontinuities }).toEqual({
      failures: [],
      discontinuities: 0,
    });
    const runs = await fetchRuns(await grantOf(share));
    expect(runs).toHaveLength(1);
    const numbers = await decodedFrameNumbers(runs[0]!.media, PICTURE);
    const total = clip.pictures.length;
    const missing = numbers.slice(1).filter((number, i) => number !== (numbers[i]! + 1) % total);
    expect(missing).toEqual([]);

    // What waits is there after a kill, and goes on where there is room.

    room.free();
    await hall.restart('SIGKILL');
    expect(await tusUpload({ endpoint, key: API_KEY, file, metadata })).toMatchObject({ status: 0 });

    const clips = await areComplete(7);
    const packets = codedPackets(file, 'v').map(({ hash }) => hash);
    for (const { uuid, timestampMs, byteCount } of clips) {
      const movie = await (await fetch(clipUrl(uuid), { headers: BY_KEY })).bytes();
      expect(movie).toHaveLength(byteCount);
      if (timestampMs >= startMs) continue;
      expect(codedPackets(Buffer.from(movie), 'v').map(({ hash }) => hash)).toEqual(packets);
    }
    await recordMore(hall, 1);
    expect(await namesOf('uploads')).toEqual([]);
  });
});
