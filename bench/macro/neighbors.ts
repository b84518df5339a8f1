/**
 * `neighbors`: how long one organization waits while another one takes all that it can with its weakest credentials, from
 * twenty IPv4 addresses and a /64 of IPv6. A second gateway stands next to the first one. The reference of each delay is
 * the same organization while the second gateway is attacked: its machine is as busy, and its gateway shares nothing with
 * attackers. Needs root and `ip`.
 */

import { newRuuid } from '../../src/core/ruuid.ts';
import { clipFile } from '../../test/support/clip-files.ts';
import { openNeighborNetwork } from '../../test/support/greedy/neighbor-network.ts';
import { Neighborhood } from '../../test/support/greedy/neighborhood.ts';
import { openShare } from '../../test/support/hls.ts';
import { type BenchOptions, type BenchResult, median, percentile } from '../report.ts';
import { PartViewer } from './delays/part-viewer.ts';

/** Takes one measured action, and resolves when the organization has its result. */
type Act = (round: number) => Promise<void>;

type Delays = ReadonlyMap<string, readonly number[]>;

const CLIP_SECONDS = 5;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const rounds = isShort ? 5 : 20;
  const network = openNeighborNetwork();
  const opened: Neighborhood[] = [];
  try {
    for (let count = 0; count < 2; count++) opened.push(await Neighborhood.open(network));
    const [here, elsewhere] = opened as [Neighborhood, Neighborhood];
    const acts = await actsOf(here);
    const quiet = await measure(here, acts, rounds);
    await elsewhere.attack();
    const reference = await measure(here, acts, rounds);
    await elsewhere.endAttack();
    await here.attack();
    const attacked = await measure(here, acts, rounds);
    await here.endAttack();
    return report(quiet, reference, attacked);
  } finally {
    for (const each of opened) await each.close();
    network.close();
  }
}

function report(quiet: Delays, reference: Delays, attacked: Delays): BenchResult {
  const ratios: Record<string, number> = {};
  const rows = [...attacked].map(([name, delaysMs]) => {
    const [quietMs, referenceMs] = [quiet.get(name)!, reference.get(name)!];
    ratios[`${name}Ratio`] = median(delaysMs) / median(referenceMs);
    return {
      case: name,
      'quiet ms': median(quietMs),
      'elsewhere ms': median(referenceMs),
      'here ms': median(delaysMs),
      'elsewhere p95 ms': percentile(referenceMs, 0.95),
      'here p95 ms': percentile(delaysMs, 0.95),
      ratio: ratios[`${name}Ratio`]!,
    };
  });
  return { name: 'neighbors', rows, figures: ratios };
}

/** Each act once in each round, and the time from part to part of a viewer during it. */
async function measure(
  { gateway }: Neighborhood,
  acts: ReadonlyMap<string, Act>,
  rounds: number,
): Promise<Delays> {
  const share = await gateway.share('Lobby');
  const viewer = new PartViewer((await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8'));
  const delays = new Map([...acts.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, act] of acts) {
      const startMonoMs = performance.now();
      await act(round);
      delays.get(name)!.push(performance.now() - startMonoMs);
    }
  }
  viewer.stop();
  await gateway.revoke(share);
  return new Map([...delays, ['part', viewer.intervalsMs]]);
}

async function actsOf(neighborhood: Neighborhood): Promise<ReadonlyMap<string, Act>> {
  const { gateway, ownHooks } = neighborhood;
  const locationUuid = await neighborhood.panicRule();
  const called = new Map<string, () => void>();
  ownHooks.answer = ({ body }) => {
    called.get(JSON.parse(body).deviceUuid)?.();
    return { status: 204 };
  };
  const file = clipFile({ seconds: CLIP_SECONDS });
  let clips = 0;
  return new Map<string, Act>([
    [
      'revocation',
      async () => {
        const share = await gateway.share('Lobby');
        const isOpen = async () => (await fetch(share.m3u8Url)).status === 200;
        if (!(await isOpen())) throw new Error('A new share does not open.');
        const revoked = await gateway.revoke(share);
        if (revoked.error) throw new Error(revoked.errorMsg);
        while (await isOpen());
      },
    ],
    [
      'alarm',
      async () => {
        const deviceUuid = newRuuid();
        const { promise, resolve } = Promise.withResolvers<void>();
        called.set(deviceUuid, resolve);
        if ((await neighborhood.raiseAlarm(deviceUuid, locationUuid)) !== 1) throw new Error('refused');
        await promise;
        called.delete(deviceUuid);
      },
    ],
    [
      'signIn',
      async () => {
        const status = await neighborhood.signIn();
        if (status !== 200) throw new Error(`Signing in answers ${status}.`);
      },
    ],
    [
      'upload',
      async () => {
        const timestampMs = Date.now() - 3_600_000 + clips * CLIP_SECONDS * 1_000;
        const status = await neighborhood.handOver(file, `own ${clips++}`, timestampMs);
        if (status !== 0) throw new Error(`An upload ends with ${status}.`);
      },
    ],
  ]);
}
