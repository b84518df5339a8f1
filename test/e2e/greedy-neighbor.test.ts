/**
 * One organization takes all that it can, with a device key, a viewer key, a page's session, one link, and nothing at all,
 * from twenty IPv4 addresses and a /64 of IPv6, all at the same time. Another one watches, shares, revokes, records,
 * hands over clips, signs in, and has its webhooks called meanwhile. Judged by counts and order, not by a clock
 * (`npm run bench -- neighbors` measures delays).
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { ChangeListener } from '../support/change-listener.ts';
import { clipFile } from '../support/clip-files.ts';
import type { Json, TestGateway } from '../support/gateway.ts';
import { ATTACKS } from '../support/greedy/attacks.ts';
import { type NeighborNetwork, openNeighborNetwork } from '../support/greedy/neighbor-network.ts';
import { Neighborhood } from '../support/greedy/neighborhood.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const REVOCATIONS = 10;
const ALARMS = 10;
const CLIPS = 4;

let network: NeighborNetwork;
let neighborhood: Neighborhood;
let gateway: TestGateway;

beforeAll(async () => {
  network = openNeighborNetwork();
  neighborhood = await Neighborhood.open(network);
  gateway = neighborhood.gateway;
});

afterAll(async () => {
  await neighborhood?.close();
  network?.close();
});

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
  const statuses: number[] = [];
  for (let count = 0; count < CLIPS; count++) {
    const timestampMs = Date.now() - 3_600_000 + count * 20_000;
    statuses.push(await neighborhood.handOver(file, `own ${count}`, timestampMs));
  }
  return statuses;
}

it('notices nothing of it', { timeout: 1_700_000 }, async () => {
  const file = clipFile({ seconds: 5 });
  const share = await gateway.share('Lobby');
  const locationUuid = await neighborhood.panicRule();
  expect(await neighborhood.signIn()).toBe(200);
  const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
  const viewer = new TestViewer(playlistUrl);
  await until('the first parts', () => viewer.parts >= 3);
  await neighborhood.attack();
  const atPeak = { parts: viewer.parts, segments: await recordedSegments() };
  const alarms = Array.from({ length: ALARMS }, () => newRuuid());
  const raise = async (): Promise<number> => {
    let count = 0;
    for (const deviceUuid of alarms) count += await neighborhood.raiseAlarm(deviceUuid, locationUuid);
    return count;
  };
  const [wrong, statuses, acceptedCount] = await Promise.all([shareAndRevoke(), handOver(file), raise()]);
  expect({ wrong, statuses, acceptedCount }).toEqual({
    wrong: [],
    statuses: Array<number>(CLIPS).fill(0),
    acceptedCount: ALARMS,
  });
  const listener = await ChangeListener.open(gateway);
  expect(await neighborhood.signIn()).toBe(200);
  await until('its alarms', () => {
    const called = new Set(neighborhood.ownHooks.calls.map(({ body }) => JSON.parse(body).deviceUuid));
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
  const during = neighborhood.struck();
  // Each attack reached what it was for, from both kinds of addresses, and it held much.
  const landed = ATTACKS.filter(({ name, lands }) => (during.tally[name]?.[lands] ?? 0) > 0);
  expect(landed.map(({ name }) => name)).toEqual(ATTACKS.map(({ name }) => name));
  expect(Math.min(during.connected.v4, during.connected.v6)).toBeGreaterThan(100);
  expect(during.open).toBeGreaterThan(100);
  expect(gateway.child.lines.filter((line) => line.includes('"level":60'))).toEqual([]);
});
