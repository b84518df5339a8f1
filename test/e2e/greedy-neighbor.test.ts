/**
 * One organization takes all that it can, with a device key, a viewer key, a page's session, one link, and nothing at all,
 * from twenty IPv4 addresses and a /64 of IPv6, all at the same time. Another one watches, shares, revokes, records,
 * hands over clips, signs in, and has its webhooks called meanwhile. Judged by counts and order, not by a clock.
 */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { Passwords } from '../../src/sharing/password.ts';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleApiKey, sampleOrganization, samplePerson } from '../../src/store/sample-entities.ts';
import { FakeWebhookHost } from '../../src/webhooks/fake-webhook-host.ts';
import { ChangeListener } from '../support/change-listener.ts';
import { Child } from '../support/child.ts';
import { clipFile } from '../support/clip-files.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import type { Ground } from '../support/greedy/attack-ground.ts';
import { ATTACKS, type Tally } from '../support/greedy/attacks.ts';
import {
  IPV4_ADDRESSES,
  type NeighborNetwork,
  openNeighborNetwork,
} from '../support/greedy/neighbor-network.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const ATTACKER = join(import.meta.dirname, '../support/greedy/attacker-process.ts');
const REVOCATIONS = 10;
const ALARMS = 10;
const CLIPS = 4;
const PASSWORD = 'correct horse battery';
const EMAIL = 'ada@example.com';
const GREEDY = { admin: 'greedy-admin-key', viewer: 'greedy-viewer-key', device: 'greedy-device-key' };

let network: NeighborNetwork;
let camera: SyntheticCamera;
let gateway: TestGateway;
let ownHooks: FakeWebhookHost;
/** Takes calls and never answers. */
let silentHooks: FakeWebhookHost;
let attacker: Child | null = null;
/** Of the person's browser. */
let cookies = '';

const sources = { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '1m' };

beforeAll(async () => {
  network = openNeighborNetwork();
  camera = await startCamera();
  ownHooks = await FakeWebhookHost.open();
  silentHooks = await FakeWebhookHost.open();
  silentHooks.answer = () => new Promise(() => undefined);
  const config = {
    ...{ sources, webhooks: { allowPrivateNetworks: true } },
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
    recording: { minFree: '16MiB' },
    // What an organization is allowed by default.
    api: { rateLimit: 600 },
    cameras: [
      { name: 'Lobby', rtsp: camera.url, recording: 'always' },
      { name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' },
    ],
  };
  gateway = await TestGateway.start(config, { listenHost: '[::]' });
  await gateway.end();
  await addGreedyOrganization();
  await gateway.run();
});

afterAll(async () => {
  await attacker?.end('SIGKILL');
  await gateway?.dispose();
  await camera?.close();
  await ownHooks?.close();
  await silentHooks?.close();
  network?.close();
});

/** Another organization with its keys, and a person of this one. */
async function addGreedyOrganization(): Promise<void> {
  const data = join(gateway.folder, 'data');
  const { fieldKey } = loadSecrets(data, {});
  const store = await openStore({
    kind: 'sqlite',
    path: join(data, 'sluice.db'),
    fieldKey,
    clock: systemClock,
  });
  const [own] = await store.organizations.list();
  const greedy = sampleOrganization({ name: 'Greedy' });
  await store.organizations.save(greedy);
  await store.apiKeys.save(sampleApiKey(greedy.uuid, { keyHash: hashApiKey(GREEDY.admin) }));
  await store.apiKeys.save(sampleApiKey(greedy.uuid, { keyHash: hashApiKey(GREEDY.viewer), role: 'viewer' }));
  await store.apiKeys.save(
    sampleApiKey(greedy.uuid, { keyHash: hashApiKey(GREEDY.device), scheme: 'device' }),
  );
  const passwordHash = await new Passwords().hash(PASSWORD);
  await store.people.save(samplePerson(own!.uuid, { email: EMAIL, passwordHash, role: 'viewer' }));
  await store.close();
}

async function accepted(path: string, body: Json, key = API_KEY): Promise<Json> {
  const answer = await gateway.call(path, body, key);
  if (answer.error) throw new Error(`${path}: ${answer.errorMsg}`);
  return answer;
}

/** A location whose panic buttons call `url`. */
async function panicRule(url: string, key = API_KEY): Promise<string> {
  const location = { name: 'Pier', tz: 'UTC' };
  const { uuid: locationUuid } = await accepted('location/createLocation', { location }, key);
  const rule = {
    ...{ locationUuid, ruleName: 'Panic', triggerActivity: 'PANIC_BUTTON' },
    action: { webhookActions: [{ webhookUrl: url }] },
  };
  await accepted('accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule }, key);
  return locationUuid;
}

/** What the greedy organization's owner has set up, and then only its weakest credentials use. */
async function prepareAttack(): Promise<Ground> {
  const cameraUuids: string[] = [];
  for (let count = 0; count < 4; count++) {
    const body = { name: `Greedy ${count}`, mainUrl: camera.url };
    cameraUuids.push((await accepted('camera/createCamera', body, GREEDY.admin)).cameraUuid);
  }
  const [deviceUuid] = cameraUuids;
  const config = { deviceUuid, recording: 'always' };
  await accepted('camera/updateConfig', { config }, GREEDY.admin);
  const shared = { cameraUuid: deviceUuid, streamType: 'USER', vodEnabled: true };
  const share = await accepted('camera/createSharedLiveVideoStream', shared, GREEDY.admin);
  const session = { durationSec: 60, deviceUuid };
  const { federatedSessionToken } = await accepted(
    'org/generateFederatedSessionToken',
    session,
    GREEDY.admin,
  );
  const portOf = (url: string) => Number(new URL(url).port);
  return {
    hosts: { v4: network.host, v6: network.hostV6 },
    ports: { api: portOf(gateway.apiUrl), media: portOf(gateway.mediaUrl) },
    ...{ addresses: IPV4_ADDRESSES, prefixV6: network.prefixV6 },
    ...{ viewerKey: GREEDY.viewer, deviceKey: GREEDY.device, sessionToken: federatedSessionToken },
    sharePath: new URL(share.sharedLiveM3U8StreamUrl).pathname,
    ...{ cameraUuids, locationUuid: await panicRule(silentHooks.url(), GREEDY.admin), victimEmail: EMAIL },
  };
}

async function signIn(): Promise<number> {
  const response = await fetch(`${gateway.apiUrl}/api/console/signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-scheme': 'console', cookie: cookies },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const set = response.headers.getSetCookie().map((each) => each.split(';')[0]!);
  if (set.length > 0) cookies = set.join('; ');
  return response.status;
}

interface Struck {
  readonly tally: Tally;
  /** Connections that are held. */
  readonly open: number;
  readonly connected: { readonly v4: number; readonly v6: number };
}

function tally(): Struck {
  const last = attacker!.lines.findLast((line) => line.startsWith('{"tally"'));
  return last === undefined ? { tally: {}, open: 0, connected: { v4: 0, v6: 0 } } : JSON.parse(last);
}

const strikesOf = (name: string) =>
  Object.values(tally().tally[name] ?? {}).reduce((sum, count) => sum + count, 0);

/** Segments of its own camera that have been recorded. */
async function recordedSegments(): Promise<number> {
  const text = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => /^sluice_recording_segments_total\{.*name="Lobby"/.test(each));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

/** Shares, watches, revokes; returns what went wrong. */
async function shareAndRevoke(): Promise<string[]> {
  const wrong: string[] = [];
  for (let count = 0; count < REVOCATIONS; count++) {
    const share = await gateway.share('Lobby');
    const opened = await fetch(share.m3u8Url);
    if (opened.status !== 200) wrong.push(`share ${count} opened with ${opened.status}`);
    const revoked = await gateway.revoke(share);
    if (revoked.error) wrong.push(`revocation ${count}: ${revoked.errorMsg}`);
    const after = await fetch(share.m3u8Url);
    if (after.status !== 404 && after.status !== 410 && after.status !== 403) {
      wrong.push(`share ${count} answers ${after.status} after its end: ${await refusalReason(after)}`);
    }
  }
  return wrong;
}

async function handOver(file: Buffer): Promise<number[]> {
  const cameraUuid = await gateway.cameraUuid('Gate');
  const statuses: number[] = [];
  for (let count = 0; count < CLIPS; count++) {
    const clipId = `own ${count}`;
    const timestampMs = String(Date.now() - 3_600_000 + count * 20_000);
    const metadata = { clipId, cameraUuid, timestampMs, title: clipId, filetype: 'video/mp4' };
    const outcome = await tusUpload({
      endpoint: `${gateway.mediaUrl}/upload/clips`,
      key: API_KEY,
      file,
      metadata,
    });
    statuses.push(outcome.status);
  }
  return statuses;
}

it('notices nothing of it', { timeout: 600_000 }, async () => {
  const file = clipFile({ seconds: 5 });
  const share = await gateway.share('Lobby');
  const locationUuid = await panicRule(ownHooks.url());
  expect(await signIn()).toBe(200);
  const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
  const viewer = new TestViewer(playlistUrl);
  await until('the first parts', () => viewer.parts >= 3);
  const ground = await prepareAttack();
  const [command, ...words] = [...network.command, process.execPath, ATTACKER, JSON.stringify(ground)];
  attacker = new Child(command!, words);
  await until(
    'every attack to be under way',
    () => ATTACKS.every(({ name, least }) => strikesOf(name) >= least),
    400_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(tally())} ${attacker!.lines.slice(-5).join('\n')}`);
  });
  const atPeak = { parts: viewer.parts, segments: await recordedSegments(), open: tally().open };
  const alarms = Array.from({ length: ALARMS }, () => newRuuid());
  const raise = async (): Promise<number> => {
    let count = 0;
    for (const deviceUuid of alarms) {
      const row = { uuid: newRuuid(), deviceUuid, locationUuid, policyAlertTriggers: ['PANIC_BUTTON'] };
      const answer = await gateway.call('ingest/policyAlerts', {
        rows: [{ ...row, timestampMs: Date.now() }],
      });
      count += answer.acceptedCount ?? 0;
    }
    return count;
  };
  const [wrong, statuses, acceptedCount] = await Promise.all([shareAndRevoke(), handOver(file), raise()]);
  expect({ wrong, statuses, acceptedCount }).toEqual({
    ...{ wrong: [], statuses: Array<number>(CLIPS).fill(0), acceptedCount: ALARMS },
  });
  const listener = await ChangeListener.open(gateway);
  expect(await signIn()).toBe(200);
  await until('its alarms', () => {
    const called = new Set(ownHooks.calls.map(({ body }) => JSON.parse(body).deviceUuid));
    return alarms.every((deviceUuid) => called.has(deviceUuid));
  });
  await until('its clips', async () => {
    const { savedClips } = await gateway.call('event/getSavedClipsV2', { limit: 100 });
    return savedClips.filter(({ title }: Json) => title.startsWith('own ')).length === CLIPS;
  });
  await until('more of its recording', async () => (await recordedSegments()) >= atPeak.segments + 5);
  await until('more parts', () => viewer.parts >= atPeak.parts + 50);
  expect(listener.isConnected).toBe(true);
  await listener.close();
  await viewer.stop();
  expect(viewer).toMatchObject({ failures: [], discontinuities: 0 });
  const during = tally();
  // Each attack reached what it was for, from both kinds of addresses, and it held much.
  const landed = ATTACKS.filter(({ name, lands }) => (during.tally[name]?.[lands] ?? 0) > 0);
  expect(landed.map(({ name }) => name)).toEqual(ATTACKS.map(({ name }) => name));
  expect(Math.min(during.connected.v4, during.connected.v6)).toBeGreaterThan(100);
  expect(during.open).toBeGreaterThan(100);
  expect(gateway.child.lines.filter((line) => line.includes('"level":60'))).toEqual([]);
});
