/**
 * Sends every other node this node's words over the links, each as a NodeFeed. Reports when a node has sent all of its words, and
 * when its words no longer hold because the node is gone or silent.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import { unpacked } from '../mirror/mirror-messages.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import { type FeedWords, NodeFeed } from './node-feed.ts';

export interface NodeFeedsOptions<Key extends string, Word> extends FeedWords<Key, Word> {
  readonly links: Pick<NodeLinks, 'onMessage' | 'onLink' | 'onClosed'>;
  readonly runId: string;
  readonly clock: Clock;
  /** How long words hold without a link from their node; `goneMs`: once it is not in the registry either. */
  readonly keptMs: { readonly unlinkedMs: number; readonly goneMs: number };
  readonly onWords: (run: NodeRun, link: NodeLink, words: readonly Word[]) => void;
  /** All that the node has to say came by `link`: what it said before is over. */
  readonly onComplete: (run: NodeRun, link: NodeLink) => void;
  /** The node's words no longer hold. */
  readonly onLost: (run: Pick<NodeRun, 'runId'>) => void;
}

/** A node with which there are links, of either direction. */
interface Linked {
  links: number;
  forgetting: TimerHandle | null;
}

export class NodeFeeds<Key extends string, Word> {
  readonly #options: NodeFeedsOptions<Key, Word>;
  /** By run. */
  readonly #feeds = new Map<string, NodeFeed<Key, Word>>();
  readonly #linked = new Map<string, Linked>();
  /** The link over which a node has said everything. */
  readonly #heard = new Map<string, NodeLink>();
  #registry: Pick<NodeRegistry, 'nodes' | 'find'> | null = null;
  #linkTo: ((run: NodeRun) => Promise<NodeLink>) | null = null;
  #unsubscribe: () => void = () => undefined;
  /** Called when another node may have been the last one to be heard. */
  #onHeard: () => void = () => undefined;

  constructor(options: NodeFeedsOptions<Key, Word>) {
    this.#options = options;
    const { links, kinds } = options;
    links.onMessage(kinds.said, ({ link, bytes }) => {
      options.onWords(runOf(link), link, unpacked<readonly Word[]>(bytes[0]));
    });
    links.onMessage(kinds.complete, ({ link }) => {
      options.onComplete(runOf(link), link);
      this.#heard.set(link.peer.runId, link);
      this.#onHeard();
    });
    links.onLink((link) => this.#opened(link));
    links.onClosed((link) => this.#closed(link));
  }

  /** Tells the nodes of the registry from now on. `linkTo` rejects while a node cannot be reached. */
  begin(
    registry: Pick<NodeRegistry, 'nodes' | 'find' | 'onChange'>,
    linkTo: (run: NodeRun) => Promise<NodeLink>,
  ): void {
    this.#registry = registry;
    this.#linkTo = linkTo;
    this.#unsubscribe = registry.onChange(() => this.#look());
    this.#look();
  }

  close(): void {
    this.#unsubscribe();
    for (const feed of this.#feeds.values()) feed.close();
    for (const { forgetting } of this.#linked.values()) forgetting?.cancel();
    this.#feeds.clear();
    this.#registry = null;
  }

  changed(key: Key): void {
    for (const feed of this.#feeds.values()) feed.changed(key);
  }

  /** Every node of the registry has said everything, over a link that is open. */
  get hearsAll(): boolean {
    const nodes = this.#registry?.nodes() ?? [];
    return nodes.every(({ runId }) => runId === this.#options.runId || this.#heard.has(runId));
  }

  /** Resolves when it hears all nodes, or after `limitMs`. */
  async untilHeard(limitMs: number): Promise<void> {
    if (this.hearsAll) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(limitMs, resolve);
    this.#onHeard = () => {
      if (this.hearsAll) resolve();
    };
    await promise;
    timer.cancel();
    this.#onHeard = () => undefined;
  }

  /** Follows the registry. A node that is not in it, and has links, reaches this one, and not Redis. */
  #look(): void {
    const registry = this.#registry;
    if (registry === null) return;
    for (const { nodeId, runId } of registry.nodes()) {
      if (runId === this.#options.runId || this.#feeds.has(runId)) continue;
      this.#feeds.set(runId, this.#feedTo({ nodeId, runId }));
    }
    const registered = new Set(registry.nodes().map(({ runId }) => runId));
    for (const runId of [...this.#feeds.keys()] as Ruuid[]) {
      const isGone = !registered.has(runId) && (this.#linked.get(runId)?.links ?? 0) === 0;
      if (!isGone) continue;
      this.#endFeed(runId);
      // Otherwise it is on its way to be forgotten since its last link closed.
      if (this.#options.keptMs.goneMs === 0) this.#forget({ runId });
    }
    this.#onHeard();
  }

  #feedTo(run: NodeRun): NodeFeed<Key, Word> {
    return new NodeFeed({ ...this.#options, linkTo: () => this.#linkTo!(run) });
  }

  #opened({ peer: { runId } }: NodeLink): void {
    const linked = this.#linked.get(runId);
    linked?.forgetting?.cancel();
    this.#linked.set(runId, { links: (linked?.links ?? 0) + 1, forgetting: null });
  }

  #closed(link: NodeLink): void {
    const run = runOf(link);
    if (this.#heard.get(run.runId) === link) this.#heard.delete(run.runId);
    this.#feeds.get(run.runId)?.linkClosed(link);
    const linked = this.#linked.get(run.runId);
    if (linked === undefined || --linked.links > 0) return;
    const { unlinkedMs, goneMs } = this.#options.keptMs;
    const isGone = this.#registry?.find(run) == null;
    // The node may be alive: then its feed continues, and it is heard again.
    if (isGone) this.#endFeed(run.runId);
    const keptMs = isGone ? goneMs : unlinkedMs;
    if (keptMs === 0) this.#forget(run);
    else linked.forgetting = this.#options.clock.after(keptMs, () => this.#forget(run));
  }

  #endFeed(runId: Ruuid): void {
    this.#feeds.get(runId)?.close();
    this.#feeds.delete(runId);
  }

  #forget({ runId }: Pick<NodeRun, 'runId'>): void {
    this.#linked.get(runId)?.forgetting?.cancel();
    this.#linked.delete(runId);
    this.#options.onLost({ runId });
  }
}

function runOf({ peer: { nodeId, runId } }: NodeLink): NodeRun {
  return { nodeId, runId: runId as Ruuid };
}
