/**
 * The live nodes of a cluster. Each writes itself to Redis twice a second, with an expiry, and reads all others in the same step.
 * While Redis is unavailable, the nodes of the last read stay.
 */

import type { Redis } from 'ioredis';
import { type Clock, pause, type TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { RedisLink } from '../../counters/redis-link.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import { CLUSTER_ERRORS } from './errors.ts';
import { type ClusterNodeInfo, type NodeState, nodeText, parseNode, type WrittenNode } from './node-info.ts';
import type { ClusterKeys } from './redis-keys.ts';

/** How often a node writes itself. */
export const REGISTRY_BEAT_MS = 500;
/** A node that has not written itself for this long is gone. */
export const NODE_LIFE_MS = 2_000;
/** How long a node waits for another one with its ID, which may be its own process before a crash. */
const PREDECESSOR_WAIT_MS = NODE_LIFE_MS + 2 * REGISTRY_BEAT_MS;
/** Nodes that are read. */
const MAX_NODES = 1_000;

/**
 * KEYS: the node, IDs of all nodes. ARGV: node ID, run ID, its text, lifetime, the prefix of nodes, how many are read.
 * Returns the texts of all nodes; nothing if the ID belongs to another run.
 */
export const BEAT_SCRIPT = `
local current = redis.call('GET', KEYS[1])
if current and string.sub(current, 1, #ARGV[2] + 1) ~= ARGV[2] .. ' ' then return false end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[3], 'PX', ARGV[4])
redis.call('SADD', KEYS[2], ARGV[1])
local texts = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local text = redis.call('GET', ARGV[5] .. id)
  if not text then redis.call('SREM', KEYS[2], id)
  elseif #texts < tonumber(ARGV[6]) then texts[#texts + 1] = text end
end
return texts
`;

/** KEYS: the node, IDs of all nodes. ARGV: node ID, run ID. */
export const LEAVE_SCRIPT = `
local current = redis.call('GET', KEYS[1])
if not current or string.sub(current, 1, #ARGV[2] + 1) ~= ARGV[2] .. ' ' then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[1])
return 1
`;

export interface NodeRegistryOptions {
  readonly link: Pick<RedisLink, 'run'>;
  readonly keys: ClusterKeys;
  readonly run: NodeRun;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's own state. Called for each beat. */
  state(): NodeState;
  /** After the start: another process has this node's ID. This one must end. Must not throw. */
  onNodeIdTaken(error: GatewayError): void;
}

/** A new run of a node is another node: the old one left, and it joined. `changed`: address, version or whether it drains. */
export interface NodeChange {
  readonly kind: 'joined' | 'left' | 'changed';
  readonly node: ClusterNodeInfo;
}

type Beat = 'registered' | 'taken' | 'unavailable';

export class NodeRegistry {
  readonly #options: NodeRegistryOptions;
  readonly #listeners = new Set<(change: NodeChange) => void>();
  #nodes: ReadonlyMap<string, ClusterNodeInfo> = new Map();
  /** By nodeId. */
  #clockOffsetsMs: ReadonlyMap<string, number> = new Map();
  #isRegistered = false;
  #isClosed = false;
  #isBeating = false;
  #takenSinceMonoMs: number | null = null;
  #timer: TimerHandle | null = null;

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  /** Redis has confirmed that this run has its node ID, and no other has taken it. */
  get isRegistered(): boolean {
    return this.#isRegistered;
  }

  /**
   * Resolves when this node is registered, or when Redis is unavailable: then it keeps trying. Fails CLUSTER_NODE_ID_TAKEN if
   * another process keeps the ID for longer than one that ended would.
   */
  async start(): Promise<void> {
    while ((await this.#beat()) === 'taken') {
      if (this.#isTakenForGood()) throw this.#takenError();
      await pause(this.#options.clock, REGISTRY_BEAT_MS);
    }
    this.#schedule();
  }

  /** Those of the last read, this node among them once it is registered. */
  nodes(): ClusterNodeInfo[] {
    return [...this.#nodes.values()];
  }

  /**
   * By how much the wall clock of a node is ahead of this one's, less what has passed since it wrote itself: up to NODE_LIFE_MS.
   * null: not known. For people; nothing is decided by it.
   */
  clockOffsetMs(nodeId: string): number | null {
    return this.#clockOffsetsMs.get(nodeId) ?? null;
  }

  /** null: no such node, or another run of it. */
  find({ nodeId, runId }: NodeRun): ClusterNodeInfo | null {
    const node = this.#nodes.get(nodeId);
    return node?.runId === runId ? node : null;
  }

  /** Returns the function that ends the subscription. Listeners must not throw. */
  onChange(listener: (change: NodeChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Shows the others immediately that this node is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isRegistered = false;
    this.#timer?.cancel();
    const { link, keys, run } = this.#options;
    await link.run((client) =>
      client.eval(LEAVE_SCRIPT, 2, keys.node(run.nodeId), keys.nodes, run.nodeId, run.runId),
    );
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(REGISTRY_BEAT_MS, () => {
      this.#schedule();
      void this.#beatOnce();
    });
  }

  async #beatOnce(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    const beat = await this.#beat();
    this.#isBeating = false;
    if (beat !== 'taken' || this.#isClosed || !this.#isTakenForGood()) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    const error = this.#takenError();
    this.#options.log.error({ err: error }, 'node ID taken');
    this.#options.onNodeIdTaken(error);
  }

  async #beat(): Promise<Beat> {
    const { link, keys, run, state } = this.#options;
    const text = nodeText({ ...run, ...state(), clockEpochMs: this.#options.clock.epochMs() });
    // null: unavailable; so the script's nil is wrapped.
    const reply = await link.run(async (client) => ({ texts: await runBeat(client, keys, run, text) }));
    if (reply === null || this.#isClosed) return 'unavailable';
    if (reply.texts === null) {
      this.#isRegistered = false;
      this.#takenSinceMonoMs ??= this.#options.clock.monoMs();
      return 'taken';
    }
    this.#isRegistered = true;
    this.#takenSinceMonoMs = null;
    this.#take(reply.texts);
    return 'registered';
  }

  #take(texts: readonly string[]): void {
    const before = this.#nodes;
    const parsed = texts.map(parseNode).filter((node) => node !== null);
    const nodes = new Map(parsed.map((node) => [node.nodeId, node]));
    this.#nodes = nodes;
    this.#clockOffsetsMs = offsetsOf(parsed, this.#options.clock.epochMs());
    for (const node of before.values()) {
      if (nodes.get(node.nodeId)?.runId !== node.runId) this.#tell({ kind: 'left', node });
    }
    for (const node of nodes.values()) {
      const known = before.get(node.nodeId);
      if (known?.runId !== node.runId) this.#tell({ kind: 'joined', node });
      else if (hasChanged(known, node)) this.#tell({ kind: 'changed', node });
    }
  }

  #isTakenForGood(): boolean {
    const since = this.#takenSinceMonoMs;
    return since !== null && this.#options.clock.monoMs() >= since + PREDECESSOR_WAIT_MS;
  }

  #tell(change: NodeChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #takenError(): GatewayError {
    return new GatewayError(CLUSTER_ERRORS.CLUSTER_NODE_ID_TAKEN, { nodeId: this.#options.run.nodeId });
  }
}

function hasChanged(known: ClusterNodeInfo, node: ClusterNodeInfo): boolean {
  return (
    known.address !== node.address || known.version !== node.version || known.isDraining !== node.isDraining
  );
}

function offsetsOf(nodes: readonly WrittenNode[], nowEpochMs: number): ReadonlyMap<string, number> {
  const saying = nodes.flatMap(({ nodeId, clockEpochMs }) =>
    clockEpochMs === null ? [] : [[nodeId, clockEpochMs - nowEpochMs] as const],
  );
  return new Map(saying);
}

async function runBeat(
  client: Redis,
  keys: ClusterKeys,
  { nodeId, runId }: NodeRun,
  text: string,
): Promise<string[] | null> {
  const args = [nodeId, runId, text, NODE_LIFE_MS, keys.node(''), MAX_NODES];
  return (await client.eval(BEAT_SCRIPT, 2, keys.node(nodeId), keys.nodes, ...args)) as string[] | null;
}
