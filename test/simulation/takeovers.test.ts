/**
 * How soon another node takes over from a killed owner if Redis was unavailable for it
 * (docs/design/cluster.md#redis-outages), in virtual time: as long as its lease lasts, whatever the order of both.
 */

import { describe, expect, it } from 'vitest';
import { FRAME_MS } from './camera.ts';
import { type Simulation, simulateScript } from './simulation.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEP_MS = 20;
/**
 * Limit after the owner was killed, or fell silent: a lease without Redis, and the time to notice, to claim, and to publish
 * a part.
 */
const FOLLOWED_MS = 10_000;
/**
 * After Redis is back, if that is later: nodes connect again within 1 s, and no lease is claimed for 2 s, in which one ends that Redis has
 * forgotten. Streams were closed by then, as those of a silent camera, and are opened again after a pause; the next key frame follows.
 */
const CLAIMED_MS = 3_500 + 1_500 + 2_000 + 2 * FRAME_MS;
/** Time until viewers at all other nodes have the part: they poll, and a viewer whose request failed waits for a while. */
const SEEN_MS = 1_600;
const LIMIT_MS = 40_000;

interface Case {
  /** How long Redis has been unavailable when the owner is killed. */
  readonly awayMs: number;
  /** Time from the kill until Redis is back; negative: before the kill. */
  readonly backMs: number;
  /** Redis has saved its data. */
  readonly isKept: boolean;
  /** The machine falls silent. */
  readonly isSilent?: boolean;
  /** The camera takes one connection: the next owner has no key frame by then. */
  readonly isBusy?: boolean;
}

/** Time from the kill to the next part that a node publishes, milliseconds. Fails if viewers do not see it. */
async function followedAfterMs(seed: number, given: Case): Promise<number> {
  let afterMs = Number.NaN;
  const { failure, trace } = await simulateScript(seed, async (simulation) => {
    afterMs = await kill(simulation, given);
  });
  if (failure !== null) throw new Error(`seed ${seed}\n${trace}`, { cause: failure });
  return afterMs;
}

async function kill(simulation: Simulation, given: Case): Promise<number> {
  const { world, faults, redis, nodes, publishedMs } = simulation;
  const [camera] = simulation.cameras.values();
  if (given.isBusy === true) camera!.maxConnections = 1;
  const redisAway = (): (() => void) => {
    redis.stop(given.isKept);
    return () => redis.start();
  };
  faults.strike({ name: 'Redis stops', begin: redisAway }, given.awayMs + given.backMs);
  await world.run(world.nowMs + given.awayMs);
  const owner = nodes.find(({ running }) => running?.cluster.roleOf(camera!.uuid) === 'owner')!;
  const killedMs = world.nowMs;
  simulation.kill(owner, given.isSilent === true);
  while ((publishedMs.get(camera!.uuid) ?? 0) <= killedMs && world.nowMs < killedMs + LIMIT_MS) {
    await world.run(world.nowMs + STEP_MS);
  }
  const afterMs = world.nowMs - killedMs;
  await world.run(world.nowMs + SEEN_MS);
  const seen = simulation.viewers.map(({ lastFrameMs }) => (lastFrameMs ?? 0) > killedMs + afterMs - STEP_MS);
  expect(seen).toEqual(seen.map(() => true));
  return afterMs;
}

describe('an owner that is killed while it relies on the store', () => {
  it.each<[string, Case]>([
    ['Redis returns a moment later', { awayMs: 4_000, backMs: 1_000, isKept: true }],
    ['Redis returns empty a moment later', { awayMs: 4_000, backMs: 1_000, isKept: false }],
    ['Redis returns shortly before the lease has ended', { awayMs: 4_000, backMs: 6_000, isKept: true }],
    ['Redis has been away for long', { awayMs: 20_000, backMs: 3_000, isKept: false }],
    ['Redis returns with the kill', { awayMs: 8_000, backMs: 0, isKept: true }],
    ['the owner was about to open Redis again', { awayMs: 8_000, backMs: -1_000, isKept: false }],
    [
      'Redis is back, and the owner still relies on the store',
      { awayMs: 8_000, backMs: -1_000, isKept: true },
    ],
  ])('is followed within 10 s: %s', async (_name, given) => {
    for (const seed of SEEDS) expect(await followedAfterMs(seed, given)).toBeLessThanOrEqual(FOLLOWED_MS);
  });

  it.each<[string, Case]>([
    ['after its lease', { awayMs: 4_000, backMs: 12_000, isKept: true }],
    ['after long', { awayMs: 4_000, backMs: 25_000, isKept: false }],
  ])('is followed within seconds of the return of Redis, %s', async (_name, given) => {
    const limitMs = given.backMs + CLAIMED_MS;
    for (const seed of SEEDS) expect(await followedAfterMs(seed, given)).toBeLessThanOrEqual(limitMs);
  });

  it('is followed within 10 s if its machine falls silent', async () => {
    const given = { awayMs: 4_000, backMs: 1_000, isKept: true, isSilent: true };
    for (const seed of SEEDS) expect(await followedAfterMs(seed, given)).toBeLessThanOrEqual(FOLLOWED_MS);
  });

  it('is followed one group of pictures later if the camera takes one connection', async () => {
    const given = { awayMs: 4_000, backMs: 1_000, isKept: true, isBusy: true };
    const limitMs = FOLLOWED_MS + 2_000 + 2 * FRAME_MS;
    for (const seed of SEEDS) expect(await followedAfterMs(seed, given)).toBeLessThanOrEqual(limitMs);
  });
});
