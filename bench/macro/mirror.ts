/**
 * `mirror`: what a node of a cluster pays for a camera that it mirrors, compared with a node that pulls it. An owner pulls
 * all cameras, then a mirror joins and shows all of them. They stay open everywhere, without viewers: viewers cost the same
 * at all nodes. A gateway outside the cluster pulls the same cameras all the time: costs on a busy machine change from
 * minute to minute, so they are compared with those of this reference at the same time.
 *
 * Processor time is that of the whole process: all its threads, and the kernel's work for them. The cost of a node without
 * cameras is measured once it has settled, and subtracted. The owner's additional cost as soon as there is a mirror is not
 * the mirror's: it is `sendRatio`.
 */

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestCluster } from '../../test/support/cluster.ts';
import { TestGateway, type TestShare } from '../../test/support/gateway.ts';
import { fetchOk, openShare } from '../../test/support/hls.ts';
import { until } from '../../test/support/until.ts';
import type { BenchOptions, BenchResult, Row } from '../report.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import { ChildModule, withChildren } from '../support/child-module.ts';
import { foreignCpuMicros, foreignRssBytes } from '../support/foreign-process.ts';

const PICTURE = {
  kinds: ['H.264+AAC'],
  widthPx: 1_920,
  heightPx: 1_080,
  bitrateBitsPerSec: 4_000_000,
} as const;
const SHORT = {
  cameras: 20,
  settleMs: 8_000,
  idleMs: 8_000,
  warmUpMs: 20_000,
  measureMs: 20_000,
  window: '8s',
};
const LONG = {
  cameras: 40,
  settleMs: 20_000,
  idleMs: 20_000,
  warmUpMs: 60_000,
  measureMs: 60_000,
  window: '16s',
};
type Plan = typeof SHORT;

const OPEN_TIMEOUT_MS = 60_000;
const MIB = 1_048_576;

/** Processor time of each gateway, in percent of a core. */
type Loads = readonly number[];

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const plan = isShort ? SHORT : LONG;
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  return withChildren([fleet], async () => {
    const { cameras } = plan;
    const urls = await fleet.call('start', { ...PICTURE, cameras });
    const config = {
      hls: { idleStop: '1h', window: plan.window },
      access: { opensPerMinute: 1_000_000 },
      log: { level: 'info', format: 'json' },
      cameras: urls.map((rtsp, index) => ({ name: `Camera ${index}`, rtsp, transport: 'tcp' })),
    };
    const reference = await TestGateway.start(config);
    try {
      const cluster = await TestCluster.start(1, config);
      try {
        return resultOf(await measure(reference, cluster, fleet, plan), plan);
      } finally {
        await cluster.dispose();
      }
    } finally {
      await reference.dispose();
    }
  });
}

interface Measured {
  readonly referenceIdle: number;
  readonly ownerIdle: number;
  readonly mirrorIdle: number;
  /** Costs without a mirror. */
  readonly alone: { readonly reference: number; readonly owner: number };
  readonly mirrored: { readonly reference: number; readonly owner: number; readonly mirror: number };
  readonly mirrorMiB: number;
}

async function measure(
  reference: TestGateway,
  cluster: TestCluster,
  fleet: ChildModule<CameraFleetCalls>,
  { cameras, settleMs, idleMs, warmUpMs, measureMs }: Plan,
): Promise<Measured> {
  const owner = cluster.nodes[0]!;
  await delay(settleMs);
  const [referenceIdle, ownerIdle] = (await loadsOf([reference, owner], idleMs)) as [number, number];
  await openAll(reference, await sharesOf(reference, cameras), reference);
  const shares = await sharesOf(owner, cameras);
  await openAll(owner, shares, owner);
  await delay(warmUpMs);
  const alone = (await loadsOf([reference, owner], measureMs)) as [number, number];

  const mirror = await cluster.addNode();
  await delay(settleMs);
  const [mirrorIdle] = (await loadsOf([mirror], idleMs)) as [number];
  const emptyBytes = foreignRssBytes(mirror.child.process.pid!);
  await openAll(owner, shares, mirror);
  await delay(warmUpMs);
  const mirrored = (await loadsOf([reference, owner, mirror], measureMs)) as [number, number, number];
  const clients = await fleet.call('playingClients', null);
  if (clients !== 2 * cameras) throw new Error(`${clients} clients of ${cameras} cameras: the mirror pulls`);
  return {
    referenceIdle,
    ownerIdle,
    mirrorIdle,
    alone: { reference: alone[0], owner: alone[1] },
    mirrored: { reference: mirrored[0], owner: mirrored[1], mirror: mirrored[2] },
    mirrorMiB: (foreignRssBytes(mirror.child.process.pid!) - emptyBytes) / MIB / cameras,
  };
}

async function sharesOf(gateway: TestGateway, cameras: number): Promise<TestShare[]> {
  const shares: TestShare[] = [];
  for (let camera = 0; camera < cameras; camera++) shares.push(await gateway.share(`Camera ${camera}`));
  return shares;
}

/** Opens what `issuer` shares at another node, or at the same one. Resolves when all of it plays. */
async function openAll(issuer: TestGateway, shares: readonly TestShare[], at: TestGateway): Promise<void> {
  for (const { m3u8Url } of shares) {
    const playlist = async (): Promise<boolean> => {
      const media = await openShare(m3u8Url.replace(issuer.mediaUrl, at.mediaUrl));
      return (await fetchOk(media.replace('stream.m3u8', 'file.m3u8'))).includes('#EXTINF');
    };
    await until(`playlist of ${m3u8Url}`, playlist, OPEN_TIMEOUT_MS);
  }
}

/** At the same time. */
async function loadsOf(gateways: readonly TestGateway[], forMs: number): Promise<Loads> {
  const cpu = () => gateways.map(({ child }) => foreignCpuMicros(child.process.pid!));
  const before = cpu();
  const startedMs = performance.now();
  await delay(forMs);
  const elapsedMs = performance.now() - startedMs;
  return cpu().map((micros, index) => (micros - before[index]!) / 10 / elapsedMs);
}

function resultOf(measured: Measured, { cameras }: Plan): BenchResult {
  const { alone, mirrored, referenceIdle, ownerIdle, mirrorIdle, mirrorMiB } = measured;
  const each = (load: number, idle: number): number => (load - idle) / cameras;
  const aloneReference = each(alone.reference, referenceIdle);
  const reference = each(mirrored.reference, referenceIdle);
  const owner = each(mirrored.owner, ownerIdle);
  const mirror = each(mirrored.mirror, mirrorIdle);
  // The owner's cost for the same cameras at this time without a mirror.
  const pull = (each(alone.owner, ownerIdle) / aloneReference) * reference;
  const row = (name: string, idle: number, load: number): Row => ({
    case: name,
    'CPU % idle': idle,
    'CPU %': load,
    'CPU % per camera': each(load, idle),
  });
  return {
    name: 'mirror',
    rows: [
      row('no mirror: a gateway that pulls', referenceIdle, alone.reference),
      row('no mirror: the owner', ownerIdle, alone.owner),
      row('a gateway that pulls', referenceIdle, mirrored.reference),
      row('the owner', ownerIdle, mirrored.owner),
      { ...row('the mirror', mirrorIdle, mirrored.mirror), 'MiB per camera': mirrorMiB },
    ],
    figures: {
      cameras,
      pullPercent: pull,
      mirrorPercent: mirror,
      sendPercent: owner - pull,
      mirrorRatio: mirror / pull,
      sendRatio: (owner - pull) / pull,
      ownerRatio: pull / reference,
      systemLoad: loadavg()[0]!,
    },
  };
}
