/**
 * Ends of access that the store does not have, at all nodes of a cluster: over the links between nodes, which need neither the store nor
 * Redis. Each other node gets each end, as often as it takes: a node that cannot be reached gets it when it can be, and a node that
 * starts gets all.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { EndSharing, UnstoredEnds } from '../../sharing/unstored-ends.ts';
import type { AccessEnd } from '../../store/access-end.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { Cluster } from '../cluster.ts';

const TAKE_ENDS = 'ends.take';
const LIST_ENDS = 'ends.list';
/** Before a node that could not be reached is tried again. */
export const UNREACHED_RETRY_MS = 500;
/** In a message, whose header has room for a mebibyte. */
const MAX_SENT_CHARS = 256 * 1_024;

/** The parts of a cluster that this module needs. */
export interface EndsCluster extends Pick<Cluster, 'others' | 'ask' | 'respond'> {
  readonly node: { readonly registry: Pick<Cluster['node']['registry'], 'onChange'> };
}

/** Whether each end survives a restart of the node that took it. */
type Taken = readonly boolean[];

/** Shares all ends with all nodes from this call on. Resolves when the ends of the other nodes are in force here. */
export async function shareEnds(cluster: EndsCluster, ends: UnstoredEnds, clock: Clock): Promise<() => void> {
  cluster.respond(TAKE_ENDS, (body) =>
    Promise.all((body as readonly AccessEnd[]).map((end) => ends.take(end))),
  );
  cluster.respond(LIST_ENDS, () => ends.all());
  const nodes = new EndsOfNodes(cluster, ends, clock);
  ends.shareWith(nodes);
  const { responses } = await cluster.ask<readonly AccessEnd[]>(LIST_ENDS, null);
  for (const end of responses.flat()) await ends.take(end);
  nodes.begin();
  return () => nodes.close();
}

type OnSent = (isKept: boolean | 'silent') => void;

class EndsOfNodes implements EndSharing {
  readonly #cluster: EndsCluster;
  readonly #ends: UnstoredEnds;
  readonly #clock: Clock;
  readonly #nodes = new Map<Ruuid, EndsOfNode>();
  #stopLooking: () => void = () => undefined;
  #isClosed = false;

  constructor(cluster: EndsCluster, ends: UnstoredEnds, clock: Clock) {
    this.#cluster = cluster;
    this.#ends = ends;
    this.#clock = clock;
  }

  begin(): void {
    this.#stopLooking = this.#cluster.node.registry.onChange(() => this.#look());
    this.#look();
  }

  async share(end: AccessEnd): Promise<{ isKept: boolean; silentNodes: readonly string[] }> {
    this.#look();
    const silentNodes: string[] = [];
    let isKept = false;
    await Promise.all(
      Array.from(this.#nodes.values(), async (node) => {
        const taken = await node.add(end);
        if (taken === 'silent') silentNodes.push(node.nodeId);
        else isKept ||= taken;
      }),
    );
    return { isKept, silentNodes: silentNodes.sort() };
  }

  stored(endUuid: Ruuid): void {
    for (const node of this.#nodes.values()) node.remove(endUuid);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopLooking();
    for (const node of this.#nodes.values()) node.close();
  }

  /** Nodes have come or gone. */
  #look(): void {
    if (this.#isClosed) return;
    const runs = new Map(this.#cluster.others.map((run) => [run.runId, run]));
    for (const [runId, node] of this.#nodes) {
      if (runs.has(runId)) continue;
      node.close();
      this.#nodes.delete(runId);
    }
    for (const run of runs.values()) {
      if (this.#nodes.has(run.runId)) continue;
      const node = new EndsOfNode(this.#cluster, run, this.#clock);
      this.#nodes.set(run.runId, node);
      for (const end of this.#ends.all()) void node.add(end);
    }
  }
}

/** The ends that one other node still has to get. */
class EndsOfNode {
  readonly #cluster: EndsCluster;
  readonly #run: NodeRun;
  readonly #clock: Clock;
  readonly #unsent = new Map<Ruuid, { readonly end: AccessEnd; readonly onSent: OnSent[] }>();
  #isSending = false;
  #retry: TimerHandle | null = null;
  #isClosed = false;

  constructor(cluster: EndsCluster, run: NodeRun, clock: Clock) {
    this.#cluster = cluster;
    this.#run = run;
    this.#clock = clock;
  }

  get nodeId(): string {
    return this.#run.nodeId;
  }

  /** Resolves when the node has it, or could not be reached. */
  add(end: AccessEnd): Promise<boolean | 'silent'> {
    const { promise, resolve } = Promise.withResolvers<boolean | 'silent'>();
    const known = this.#unsent.get(end.endUuid) ?? { end, onSent: [] };
    this.#unsent.set(end.endUuid, known);
    // While it is silent, no caller waits for it.
    if (this.#retry === null) known.onSent.push(resolve);
    else resolve('silent');
    void this.#send();
    return promise;
  }

  remove(endUuid: Ruuid): void {
    const known = this.#unsent.get(endUuid);
    this.#unsent.delete(endUuid);
    for (const resolve of known?.onSent ?? []) resolve(true);
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    for (const { onSent } of this.#unsent.values()) for (const resolve of onSent) resolve('silent');
    this.#unsent.clear();
  }

  async #send(): Promise<void> {
    if (this.#isSending || this.#retry !== null) return;
    this.#isSending = true;
    while (this.#unsent.size > 0 && !this.#isClosed) {
      const batch = this.#batch();
      const { responses } = await this.#cluster.ask<Taken>(TAKE_ENDS, batch, [this.#run]);
      const [taken] = responses;
      if (taken === undefined) {
        this.#silent();
        break;
      }
      for (const [index, { endUuid }] of batch.entries()) {
        const sent = this.#unsent.get(endUuid);
        this.#unsent.delete(endUuid);
        for (const resolve of sent?.onSent ?? []) resolve(taken[index] === true);
      }
    }
    this.#isSending = false;
  }

  #batch(): AccessEnd[] {
    const batch: AccessEnd[] = [];
    let chars = 0;
    for (const { end } of this.#unsent.values()) {
      chars += JSON.stringify(end).length;
      if (batch.length > 0 && chars > MAX_SENT_CHARS) break;
      batch.push(end);
    }
    return batch;
  }

  #silent(): void {
    for (const { onSent } of this.#unsent.values()) {
      for (const resolve of onSent.splice(0)) resolve('silent');
    }
    if (this.#isClosed) return;
    this.#retry = this.#clock.after(UNREACHED_RETRY_MS, () => {
      this.#retry = null;
      void this.#send();
    });
  }
}
