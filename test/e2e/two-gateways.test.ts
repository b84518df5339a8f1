/** Two whole gateways on one PostgreSQL database: what one takes away ends at the other. */

import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CredentialUrl } from '../../src/core/secret.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { BreakableNetwork } from '../support/breakable-network.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, openShare, refusalReason } from '../support/hls.ts';
import { PostgresServer } from '../support/postgres.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

let server: PostgresServer;
let database: CredentialUrl;
let camera: SyntheticCamera;
let folder: string;
/** Between B and the database. */
let network: BreakableNetwork;
let a: TestGateway;
let b: TestGateway;
beforeAll(async () => {
  server = await PostgresServer.start();
  database = await server.createDatabase();
  camera = await startCamera();
  folder = await mkdtemp(join(tmpdir(), 'sluice-second-'));
  const config = {
    database: database.reveal(),
    demo: false,
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Lobby', rtsp: camera.url }],
  };
  a = await TestGateway.start(config);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  await copyFile(join(a.folder, 'data', 'secret.key'), join(data, 'secret.key'));
  network = await BreakableNetwork.open();
  network.lead(database.reveal());
  const through = new URL(database.reveal());
  through.port = new URL(network.url).port;
  b = await TestGateway.start({ ...config, data, database: through.href });
});
afterAll(async () => {
  await Promise.all([a?.dispose(), b?.dispose()]);
  await network?.close();
  await camera?.close();
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const atB = (mediaUrl: string) => mediaUrl.replace(a.mediaUrl, b.mediaUrl);

/** Ends the connections by which the gateways follow each other's changes. */
async function terminateFollowers(): Promise<void> {
  const rows = await server.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
     and pid <> pg_backend_pid() and (query like '%change_log%' or query like '%sluice_changes%')`,
    database,
  );
  expect(rows.length).toBeGreaterThanOrEqual(2);
}

/** A new share of the camera, being watched at B: its Media Playlist, and a viewer, which waits for part after part. */
async function watchedAtB() {
  const share = await a.share('Lobby');
  await until('the share is open at B', async () => (await fetch(atB(share.m3u8Url))).ok);
  const playlistUrl = (await openShare(atB(share.m3u8Url))).replace('stream.m3u8', 'file.m3u8');
  const viewer = new TestViewer(playlistUrl);
  await until('parts at B', () => viewer.parts > 0);
  return { share, playlistUrl, viewer };
}

describe.each([
  ['', async () => undefined],
  [', whose connections were just terminated', terminateFollowers],
])('at another gateway%s', (_name, disturb) => {
  it('a revoked share ends', async () => {
    const { share, playlistUrl, viewer } = await watchedAtB();
    await disturb();
    expect(await a.revoke(share)).toMatchObject({ error: false });
    await until('the end of the viewer', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 .*"revoked"/);
    for (const url of [playlistUrl, atB(share.m3u8Url)]) expect((await fetch(url)).ok).toBe(false);
  });

  it('an emergency that someone ends is over, and its report has who watched there', async () => {
    const named = { name: 'Dispatch', partnerType: 'RAPIDSOS' };
    const { partner } = await a.call('emergency/setEmergencyPartner', named);
    const { emergency, links } = await a.call('emergency/openEmergency', {
      emergencyPartnerUuid: partner.emergencyPartnerUuid,
      cameraUuids: [await a.cameraUuid('Lobby')],
      reason: 'Fire',
      minutes: 60,
    });
    const { emergencyUuid } = emergency;
    const url = atB(links[0].cameraUrls[0].liveM3U8Url);
    await until('the link is open at B', async () => (await fetch(url)).ok);
    const viewer = new TestViewer((await openShare(url)).replace('stream.m3u8', 'file.m3u8'));
    await until('parts at B', () => viewer.parts > 0);
    await disturb();
    expect(await a.call('emergency/endEmergency', { emergencyUuid })).toEqual({ error: false });
    await until('the end of the viewer', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 .*"revoked"/);
    expect((await fetch(url)).ok).toBe(false);
    await until('the view in the report', async () => {
      const { views } = await a.call('emergency/getEmergencyReport', { emergencyUuid });
      return views.length > 0 && views.every(({ untilMs }: Json) => untilMs !== undefined);
    });
  });

  it('a revoked API key ends', async () => {
    const { apiKey } = await a.call('integrations/org/submitApiTokenApplication', {
      displayName: 'Wall',
      authType: 'API_TOKEN',
    });
    const { apiTokens } = await b.call('integrations/org/getApiTokens', {}, apiKey);
    const { tokenUuid } = apiTokens.find(({ displayName }: Json) => displayName === 'Wall');
    await disturb();
    expect(await a.call('integrations/org/revokeApiToken', { tokenUuid })).toEqual({ error: false });
    await until('B refuses the key', async () => {
      const response = await fetch(`${b.apiUrl}/api/integrations/validateToken`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-auth-apikey': apiKey,
          'x-auth-scheme': 'api-token',
        },
        body: '{}',
      });
      return response.status === 401;
    });
  });

  it('a view that was ended, and an address that was blocked, end', async () => {
    const { share, playlistUrl, viewer } = await watchedAtB();
    const link = { sharedLiveVideoStreamUuid: share.uuid };
    await fetchPlaylist(playlistUrl.replace(b.mediaUrl, a.mediaUrl));
    const { viewers } = await a.call('camera/getSharedStreamViewers', link);
    const { viewerId } = viewers[0];
    await disturb();
    const ended = await a.call('camera/endSharedStreamViewer', { ...link, viewerId, blockMinutes: 60 });
    expect(ended).toMatchObject({ error: false, endedCount: 1 });
    await until('the end of the viewer', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 .*"viewer-ended"/);
    const blocked = await until('B refuses the address', async () => {
      const response = await fetch(atB(share.m3u8Url));
      return response.ok ? null : response;
    });
    expect([blocked.status, await refusalReason(blocked)]).toEqual([403, 'viewer-ended']);

    const { address } = ended.blockedAddress;
    await a.call('camera/unblockSharedStreamAddress', { ...link, address });
    await until('B lets it in again', async () => (await fetch(atB(share.m3u8Url))).ok);
  });
});

describe('a gateway that cannot reach the database', () => {
  it.each([
    ['what was revoked meanwhile', async () => undefined],
    [
      'everything, if what it missed is no longer in the log',
      async () =>
        void (await server.sql(
          'update change_log_pruned set id = (select max(id) from change_log); delete from change_log',
          database,
        )),
    ],
  ])('keeps its viewers, and then learns %s', async (_name, meanwhile) => {
    const { share, playlistUrl, viewer } = await watchedAtB();
    network.break();
    await until('B notices', async () => {
      const { checks } = (await (await fetch(`${b.mediaUrl}/readyz`)).json()) as Json;
      return checks.changes.startsWith('down');
    });
    expect(await a.revoke(share)).toMatchObject({ error: false });
    await meanwhile();
    const { parts } = viewer;
    await until('further parts', () => viewer.parts > parts + 3 || viewer.failures.length > 0);
    expect(viewer.failures).toEqual([]);
    network.mend();
    await until('B cuts the viewer off', () => viewer.failures.length > 0);
    expect(viewer.failures[0]).toMatch(/^403 .*"revoked"/);
    expect((await fetch(playlistUrl)).status).toBe(403);
    await until('B is ready', async () => (await fetch(`${b.mediaUrl}/readyz`)).ok);
  });
});

it('a change is in the audit trail once', async () => {
  const share = await a.share('Lobby', { name: 'Counted' });
  await until('the share is open at B', async () => (await fetch(atB(share.m3u8Url))).ok);
  const rows = await server.sql(
    `select action from audit_events where target_uuid = '${share.uuid}' and action like 'SHARED%'`,
    database,
  );
  expect(rows).toHaveLength(1);
});

it('each gateway says whether it follows the changes of the other', async () => {
  for (const gateway of [a, b]) {
    const ready = (await (await fetch(`${gateway.apiUrl}/readyz`)).json()) as Json;
    expect(ready).toEqual({ ready: true, checks: { store: 'ok', counters: 'ok', changes: 'ok' } });
    const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
    expect(metrics).toMatch(/^sluice_changes_followed 1$/m);
  }
});
