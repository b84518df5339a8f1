import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../test/support/patience.ts';
import { systemClock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { RedisServerProcess } from '../counters/redis-server-fixture.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import { type CameraPtz, PtzCamera } from './ptz-camera.ts';
import { RedisCameraMoves } from './redis-camera-moves.ts';

const RIGHT = { pan: 1, tilt: null, zoom: null };

let server: RedisServerProcess;
let client: Redis;
/** The requests to the camera, and their senders. */
let requested: string[];
/** How the camera answers. */
let respond: () => Promise<void>;
let nodes: Node[];
let camera: { orgUuid: ReturnType<typeof newRuuid>; uuid: ReturnType<typeof newRuuid> };

interface Node {
  readonly clock: FakeClock;
  readonly moves: RedisCameraMoves;
  readonly ptz: PtzCamera;
}

beforeAll(async () => {
  server = await RedisServerProcess.start();
});
beforeEach(async () => {
  [requested, respond] = [[], () => Promise.resolve()];
  camera = { orgUuid: newRuuid(), uuid: newRuuid() };
  client = new Redis(server.url.reveal());
  nodes = await Promise.all(['a', 'b'].map(startNode));
});
afterEach(async () => {
  for (const { moves } of nodes) moves.close();
  await client.flushall();
  client.disconnect();
});
afterAll(() => server.kill());

async function startNode(name: string): Promise<Node> {
  const clock = new FakeClock();
  const moves = await RedisCameraMoves.open({
    url: server.url,
    clusterName: 'city',
    clock: systemClock,
    log: silentLog,
  });
  const ask = (what: string): Promise<void> => {
    requested.push(`${name} ${what}`);
    return respond();
  };
  const scripted: Pick<CameraPtz, 'move' | 'stop'> = {
    move: (_mode, _vector, timeoutMs) => ask(`moves ${timeoutMs}`),
    stop: () => ask('stops'),
  };
  const ptz = new PtzCamera({
    clock,
    moves: {
      begin: () => moves.begin(camera),
      beginEnd: (move) => moves.beginEnd(camera, move),
      settle: (move, outcome) => moves.settle(camera, move, outcome),
    },
    open: () => scripted as CameraPtz,
    onNotStopped: () => undefined,
  });
  return { clock, moves, ptz };
}

const turn = ({ ptz }: Node, timeoutMs: number): Promise<void> => ptz.move('CONTINUOUS', RIGHT, timeoutMs);
const idle = ({ ptz }: Node) => vi.waitFor(() => expect(ptz.isIdle).toBe(true), PATIENCE);

/** Makes a running move overdue. */
async function makeOverdue(): Promise<void> {
  const key = 'sluice:{city}:moves';
  for (const member of await client.zrange(key, '0', '-1')) await client.zadd(key, 1, member);
}

it('a move is not ended by the time of an earlier one through another node', async () => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 1_000);
  await turn(b, 5_000);
  a.clock.advance(1_000);
  await idle(a);
  expect(requested).toEqual(['a moves 1000', 'b moves 5000']);
  b.clock.advance(5_000);
  await idle(b);
  expect(requested.slice(2)).toEqual(['b stops']);
  expect(await client.zcard('sluice:{city}:moves')).toBe(0);
});

it.each([
  ['a stop', (b: Node) => b.ptz.stop()],
  ['a relative move', (b: Node) => b.ptz.move('RELATIVE', RIGHT, null)],
])('%s through another node ends it: its own node does not stop what comes after', async (_what, replace) => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 1_000);
  await replace(b);
  a.clock.advance(1_000);
  await idle(a);
  expect(requested.filter((what) => what === 'a stops')).toEqual([]);
});

it('a move that the camera refuses leaves the end of the one before to its node', async () => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 1_000);
  respond = () => Promise.reject(new GatewayError(ONVIF_ERRORS.ONVIF_REFUSED));
  await expect(turn(b, 5_000)).rejects.toMatchObject({ code: 'ONVIF_REFUSED' });
  respond = () => Promise.resolve();
  a.clock.advance(1_000);
  await idle(a);
  expect(requested.at(-1)).toBe('a stops');
});

it('the camera has one request at a time, and of moves that wait, the newest', async () => {
  const [a, b] = nodes as [Node, Node];
  const { promise, resolve } = Promise.withResolvers<void>();
  respond = () => promise;
  const first = turn(a, 1_000);
  await vi.waitFor(() => expect(requested).toEqual(['a moves 1000']), PATIENCE);
  const other = await startNode('c');
  nodes.push(other);
  const second = expect(turn(b, 2_000)).rejects.toMatchObject({ code: 'PTZ_MOVE_REPLACED' });
  const key = `sluice:{city}:move:${camera.uuid}`;
  await vi.waitFor(async () => {
    const { turn: running, wanted } = await client.hgetall(key);
    expect(wanted).not.toBe(running);
  }, PATIENCE);
  const third = turn(other, 3_000);
  await second;
  expect(requested).toEqual(['a moves 1000']);
  resolve();
  await Promise.all([first, third]);
  expect(requested).toEqual(['a moves 1000', 'c moves 3000']);
});

it('without Redis, each node ends its own moves', async () => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 1_000);
  await turn(b, 2_000);
  await server.kill();
  try {
    a.clock.advance(1_000);
    await idle(a);
    expect(requested.at(-1)).toBe('a stops');
    await turn(a, 1_000);
  } finally {
    await server.restart();
  }
  b.clock.advance(2_000);
  a.clock.advance(1_000);
  await Promise.all([idle(a), idle(b)]);
  expect(requested.slice(-2).sort()).toEqual(['a stops', 'b stops']);
});

it('a node that is gone has its move ended by another, once', async () => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 1_000);
  expect(await b.moves.overdue()).toEqual([]);
  await makeOverdue();
  const [move] = await b.moves.overdue();
  expect(move?.camera).toEqual(camera);
  // It is being ended.
  expect(await a.moves.overdue()).toEqual([]);
  b.ptz.endOverdue(move!.token);
  await idle(b);
  // Node `a` was paused and continues.
  a.clock.advance(1_000);
  await idle(a);
  expect(requested).toEqual(['a moves 1000', 'b stops']);
  await makeOverdue();
  expect(await b.moves.overdue()).toEqual([]);
});

it('a node that ends during a request leaves no camera moving', async () => {
  const [a, b] = nodes as [Node, Node];
  await a.ptz.stop();
  respond = () => new Promise(() => undefined);
  void turn(a, 30_000);
  await vi.waitFor(() => expect(requested.at(-1)).toBe('a moves 30000'), PATIENCE);
  respond = () => Promise.resolve();
  await makeOverdue();
  await client.hset(`sluice:{city}:move:${camera.uuid}`, 'turnUntilMs', '1');
  const [move] = await b.moves.overdue();
  b.ptz.endOverdue(move!.token);
  await idle(b);
  expect(requested.at(-1)).toBe('b stops');
});

it('a node that ends leaves the move of another one alone, and ends its own', async () => {
  const [a, b] = nodes as [Node, Node];
  await turn(a, 10_000);
  await turn(b, 10_000);
  await a.ptz.close();
  expect(requested).not.toContain('a stops');
  await b.ptz.close();
  expect(requested.at(-1)).toBe('b stops');
});
