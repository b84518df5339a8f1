/**
 * What the nodes share goes away and comes back while viewers play through all of them: Redis, empty; PostgreSQL. Then nodes
 * themselves, and what clients at the others hear of the viewers.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { ChangeListener } from '../support/change-listener.ts';
import { TestCluster } from '../support/cluster.ts';
import type { Json, TestGateway, TestShare } from '../support/gateway.ts';
import { openShare, refusalReason } from '../support/hls.ts';
import { type LoadBalancer, movedTo, startLoadBalancer } from '../support/load-balancer.ts';
import { isLongRun } from '../support/random-runs.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const CAMERAS = 3;
/**
 * Longer than everything that ends without Redis: registrations and leases (2 s), what the store proves (10 s), viewers
 * that are not seen (15 s). A long run has it away for a minute.
 */
const REDIS_AWAY_MS = isLongRun ? 60_000 : 20_000;
const POSTGRES_AWAY_MS = 3_000;
/** Longer than viewer threads keep what they have to report. */
const REPORTED_MS = 2_000;
/** Longer than a node may be silent until others give up its viewers: silence is noticed, 15 s. */
const STILL_MS = 20_000;

let cameras: SyntheticCamera[] = [];
let cluster: TestCluster;
let nginx: LoadBalancer;
let shares: TestShare[];
let viewers: TestViewer[];
/** One at each node. */
let listeners: ChangeListener[];
/** The most connections that a camera had at a time. */
let mostConnections = 0;
let timer: NodeJS.Timeout;

const nameOf = (at: number) => `Camera ${at + 1}`;

beforeAll(async () => {
  cameras = await Promise.all(Array.from({ length: CAMERAS }, () => startCamera()));
  cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: cameras.map(({ url }, at) => ({ name: nameOf(at), rtsp: url })),
  });
  nginx = await startLoadBalancer(cluster.nodes);
  shares = await Promise.all(cameras.map((_, at) => cluster.nodes[0]!.share(nameOf(at))));
  listeners = await Promise.all(cluster.nodes.map((node) => ChangeListener.open(node)));
  const places = [...cluster.nodes, nginx];
  const urls = await Promise.all(shares.flatMap((share) => places.map((place) => open(share, place))));
  viewers = urls.map((url) => new TestViewer(url));
  await playOn('at first');
  timer = setInterval(() => {
    mostConnections = Math.max(mostConnections, ...cameras.map((camera) => camera.connectedClients()));
  }, 50);
}, 400_000);
afterAll(async () => {
  clearInterval(timer);
  await Promise.all((viewers ?? []).map((viewer) => viewer.stop()));
  await Promise.all((listeners ?? []).map((listener) => listener.close()));
  await nginx?.stop();
  await cluster?.dispose();
  await Promise.all(cameras.map((camera) => camera.close()));
});

async function open({ m3u8Url }: TestShare, place: TestGateway | LoadBalancer): Promise<string> {
  const url = movedTo(m3u8Url, place);
  const stream = await until('the share is open', () => openShare(url));
  return stream.replace('stream.m3u8', 'file.m3u8');
}

/** Every viewer gets further parts, and none has failed. */
async function playOn(when: string): Promise<void> {
  const partsBefore = viewers.map(({ parts }) => parts);
  const isFurther = () => viewers.every(({ parts }, at) => parts >= partsBefore[at]! + 5);
  const hasFailed = () => viewers.some(({ failures }) => failures.length > 0);
  await until(`further parts ${when}`, () => isFurther() || hasFailed());
  expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
}

const fences = () =>
  Promise.all(shares.map(async ({ cameraUuid }) => (await cluster.leaseOf(cameraUuid)).fence));

/** Viewers of each share, as each of the nodes says. */
const viewerCounts = (nodes: readonly TestGateway[] = cluster.nodes) =>
  Promise.all(
    nodes.map(async (node) => {
      const response = await node.call('camera/findSharedStreams');
      const rows = response.sharedStreams as Json[];
      return shares.map(({ uuid }) => rows.find((row) => row.uuid === uuid)?.viewerCount);
    }),
  );

/** What every client has heard of the viewers of each share: these types, and the last count. */
async function untilHeard(what: string, expected: { types: string[]; viewers: number }): Promise<void> {
  const heard = () =>
    listeners.flatMap((listener) =>
      shares.map(({ uuid }) => {
        const ofShare = listener.viewersOf(uuid);
        return { types: ofShare.map(({ type }) => type), viewers: ofShare.at(-1)?.update.viewers };
      }),
    );
  const isHeard = () => heard().every(({ types }) => types.length >= expected.types.length);
  await until(what, isHeard).catch(() => undefined);
  expect(heard()).toEqual(heard().map(() => expected));
}

/** At all nodes, and through all of them. */
const VIEWERS_OF_SHARE = 4;
const ALL_CAME = { types: Array(VIEWERS_OF_SHARE).fill('CREATE'), viewers: VIEWERS_OF_SHARE };

it('clients at every node hear of each viewer once, through however many nodes it plays', async () => {
  await untilHeard('all viewers', ALL_CAME);
  const ids = listeners.map(({ messages }) =>
    messages.filter(({ entity }) => entity === 'VIEWER').map(({ entityUuid }) => entityUuid),
  );
  expect(new Set(ids.flat()).size).toBe(CAMERAS * VIEWERS_OF_SHARE);
  expect(await viewerCounts()).toEqual(cluster.nodes.map(() => shares.map(() => VIEWERS_OF_SHARE)));
});

it('nobody is cut off while Redis is away, and when it comes back empty', async () => {
  const fencesBefore = await fences();
  await cluster.killRedis();
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < REDIS_AWAY_MS) {
    await playOn('without Redis');
    // How long it is away is what we test.
    await pause(500);
  }
  expect(await cluster.relyingNodes()).toBeGreaterThan(0);
  await cluster.startEmptyRedis();
  await playOn('with Redis again');
  await until('leases in Redis again', async () => (await cluster.relyingNodes()) === 0);
  await playOn('with leases in Redis');
  expect(await fences()).toEqual(fencesBefore);
  expect(mostConnections).toBe(1);
  expect(await viewerCounts()).toEqual(cluster.nodes.map(() => shares.map(() => VIEWERS_OF_SHARE)));
  // No one came or left.
  await untilHeard('nothing else', ALL_CAME);
});

it('nobody is cut off while PostgreSQL is restarted, and what is revoked stays revoked', async () => {
  const [a, b] = cluster.nodes as [TestGateway, TestGateway];
  const before = await a.share(nameOf(0));
  const after = await a.share(nameOf(1));
  await Promise.all(cluster.nodes.map((node) => open(after, node)));
  expect(await a.revoke(before)).toMatchObject({ error: false });
  await cluster.postgres.stop('SIGINT');
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < POSTGRES_AWAY_MS) await playOn('without PostgreSQL');
  await cluster.postgres.run();
  await until('it is revoked', async () => (await b.revoke(after)).error === false);
  await until('all nodes refuse it', async () => {
    const responses = await Promise.all(cluster.nodes.map((node) => fetch(movedTo(after.m3u8Url, node))));
    return responses.every(({ ok }) => !ok);
  });
  for (const node of cluster.nodes) {
    const refused = await fetch(movedTo(before.m3u8Url, node));
    expect([refused.status, await refusalReason(refused)]).toEqual([403, 'revoked']);
  }
  await playOn('with PostgreSQL again');
  expect(mostConnections).toBe(1);
});

it('clients at every node hear of each viewer who leaves once', async () => {
  await Promise.all(viewers.splice(0).map((viewer) => viewer.stop()));
  const types = [...ALL_CAME.types, ...Array(VIEWERS_OF_SHARE).fill('DELETE')];
  await untilHeard('all of them to have left', { types, viewers: 0 });
  expect(await viewerCounts()).toEqual(cluster.nodes.map(() => shares.map(() => 0)));
});

/** Requests a playlist again and again, from one node, and then from another. */
class Rover {
  #node: TestGateway;
  readonly #timer: NodeJS.Timeout;
  #requested: Promise<unknown> = Promise.resolve();
  viewerId = '';

  private constructor(url: string, node: TestGateway) {
    this.#node = node;
    this.#timer = setInterval(() => {
      // What it gets does not matter.
      const requested = fetch(movedTo(url, this.#node), { signal: AbortSignal.timeout(1_000) });
      this.#requested = Promise.allSettled([this.#requested, requested]);
    }, 500);
  }

  /** Resolves when the clients of all nodes know it. */
  static async start(share: TestShare, node: TestGateway, of = listeners): Promise<Rover> {
    const known = new Set(of.flatMap((one) => one.viewersOf(share.uuid).map(({ entityUuid }) => entityUuid)));
    const rover = new Rover(await open(share, node), node);
    rover.viewerId = await until('a viewer', () => {
      const ids = of.map((one) => one.viewersOf(share.uuid).at(-1)?.entityUuid);
      return ids.every((id) => id === ids[0] && !known.has(id)) && ids[0];
    });
    return rover;
  }

  moveTo(node: TestGateway): void {
    this.#node = node;
  }

  /** Resolves when no request is on its way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#requested;
  }
}

it('who goes on elsewhere stays while a node stands still or is killed, and who does not leaves once', async () => {
  const [a, b, c] = cluster.nodes as [TestGateway, TestGateway, TestGateway];
  const [share] = shares as [TestShare];
  const rover = await Rover.start(share, c);
  const left = await Rover.start(share, c);
  const typesOf = ({ viewerId }: Rover) => listeners.map((listener) => listener.typesOf(viewerId));
  const sayOf = async (one: Rover, types: string[], of = listeners) => {
    const isHeard = () => of.every((listener) => listener.typesOf(one.viewerId).length >= types.length);
    await until(types.join(), isHeard).catch(() => undefined);
    expect(of.map((listener) => listener.typesOf(one.viewerId))).toEqual(of.map(() => types));
  };
  await left.stop();
  // Until its viewer thread, if there are any, has reported the last request.
  await pause(REPORTED_MS);
  c.child.process.kill('SIGSTOP');
  const sinceMs = performance.now();
  rover.moveTo(a);
  const others = listeners.slice(0, 2);
  await sayOf(left, ['CREATE', 'DELETE'], others);
  // How long it stands still is what we test.
  await pause(STILL_MS - (performance.now() - sinceMs));
  c.child.process.kill('SIGCONT');
  await sayOf(left, ['CREATE', 'DELETE']);
  await until('the same counts', async () => (await viewerCounts()).every(([count]) => count === 1));
  await pause(REPORTED_MS);
  expect(typesOf(rover)).toEqual(listeners.map(() => ['CREATE']));

  const lost = await Rover.start(share, b);
  rover.moveTo(b);
  await pause(REPORTED_MS);
  await b.end('SIGKILL');
  rover.moveTo(c);
  await lost.stop();
  const survivors = [listeners[0]!, listeners[2]!];
  await sayOf(lost, ['CREATE', 'DELETE'], survivors);
  await sayOf(rover, ['CREATE'], survivors);
  expect(survivors.map((one) => one.viewersOf(share.uuid).at(-1)!.update.viewers)).toEqual([1, 1]);
  await rover.stop();
  await sayOf(rover, ['CREATE', 'DELETE'], survivors);
  expect(survivors.map((one) => one.viewersOf(share.uuid).at(-1)!.update.viewers)).toEqual([0, 0]);
  expect((await viewerCounts([a, c])).map(([count]) => count)).toEqual([0, 0]);
  expect(survivors.map(({ isConnected }) => isConnected)).toEqual([true, true]);
});
