/**
 * The states of all cameras of a cluster, at each of its nodes: every node tells every other one what it knows of the cameras
 * for which it speaks (docs/design/cluster.md#states).
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { CameraReport } from '../../stream/camera-connection.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import { unpacked } from '../mirror/mirror-messages.ts';
import type { NodeRegistry } from '../node-registry.ts';
import { type Speaker, StateBoard } from './state-board.ts';
import { StateFeed } from './state-feed.ts';
import { type CameraWord, type CameraWords, type ProbedCamera, STATES } from './state-messages.ts';

/** What a node has said is unknown after this time without a link from it, also if no one knows that it is gone. */
export const UNLINKED_MS = 5_000;
/** A caller waits for the answer. */
const PROBED_TIMEOUT_MS = 2_000;

export interface StateExchangeOptions {
  readonly links: Pick<NodeLinks, 'onMessage' | 'onRequest' | 'onLink' | 'onClosed'>;
  readonly runId: string;
  readonly clock: Clock;
  /** null: no longer known. Must not throw. */
  readonly onHeard: (cameraUuid: Ruuid, word: CameraWord | null) => void;
  /** Another node had the camera probed, for which this one speaks. */
  readonly onProbed: (probed: ProbedCamera) => Promise<CameraReport | null>;
}

/** A node with which there are links, of either direction. */
interface Linked {
  links: number;
  forgetting: TimerHandle | null;
}

export class StateExchange {
  readonly #options: StateExchangeOptions;
  readonly #board: StateBoard;
  /** By run. */
  readonly #feeds = new Map<string, StateFeed>();
  readonly #linked = new Map<string, Linked>();
  #registry: Pick<NodeRegistry, 'nodes' | 'find'> | null = null;
  #linkTo: ((run: NodeRun) => Promise<NodeLink>) | null = null;
  #unsubscribe: () => void = () => undefined;

  constructor(options: StateExchangeOptions) {
    this.#options = options;
    this.#board = new StateBoard({ onHeard: options.onHeard });
    const { links } = options;
    links.onMessage(STATES.said, ({ link, bytes }) => {
      this.#board.hear(runOf(link), link, unpacked<CameraWords>(bytes[0]));
    });
    links.onMessage(STATES.complete, ({ link }) => this.#board.complete(runOf(link), link));
    links.onRequest(STATES.probed, async ({ body }) => ({
      body: await options.onProbed(body as ProbedCamera),
    }));
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

  speakerOf(cameraUuid: Ruuid): Speaker | null {
    return this.#board.speakerOf(cameraUuid);
  }

  /** False: another node has a newer word. */
  say(cameraUuid: Ruuid, word: CameraWord): boolean {
    const isHeard = this.#board.say(cameraUuid, word);
    if (isHeard) this.#changed(cameraUuid);
    return isHeard;
  }

  /** This node no longer has the camera. */
  remove(cameraUuid: Ruuid): void {
    this.#board.remove(cameraUuid);
    this.#changed(cameraUuid);
  }

  /** Tells the node that speaks for the camera, and resolves with what it now knows. Rejects if it cannot be reached. */
  async probedAt(run: NodeRun, probed: ProbedCamera): Promise<CameraReport | null> {
    const link = await this.#linkTo!(run);
    const { body } = await link.request(STATES.probed, probed, { timeoutMs: PROBED_TIMEOUT_MS });
    return body as CameraReport | null;
  }

  #changed(cameraUuid: Ruuid): void {
    for (const feed of this.#feeds.values()) feed.changed(cameraUuid);
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
    for (const runId of [...this.#feeds.keys()]) {
      const isGone = !registered.has(runId as Ruuid) && (this.#linked.get(runId)?.links ?? 0) === 0;
      if (isGone) this.#forget(runId as Ruuid);
    }
  }

  #feedTo(run: NodeRun): StateFeed {
    return new StateFeed({
      board: this.#board,
      clock: this.#options.clock,
      linkTo: () => this.#linkTo!(run),
    });
  }

  #opened({ peer: { runId } }: NodeLink): void {
    const linked = this.#linked.get(runId);
    linked?.forgetting?.cancel();
    this.#linked.set(runId, { links: (linked?.links ?? 0) + 1, forgetting: null });
  }

  #closed(link: NodeLink): void {
    const run = runOf(link);
    this.#feeds.get(run.runId)?.linkClosed(link);
    const linked = this.#linked.get(run.runId);
    if (linked === undefined || --linked.links > 0) return;
    if (this.#registry?.find(run) == null) this.#forget(run.runId);
    else linked.forgetting = this.#options.clock.after(UNLINKED_MS, () => this.#silent(run));
  }

  /** It may be alive: it is told on, and heard again. */
  #silent({ runId }: NodeRun): void {
    this.#linked.delete(runId);
    this.#board.forget({ runId });
  }

  #forget(runId: Ruuid): void {
    this.#linked.get(runId)?.forgetting?.cancel();
    this.#linked.delete(runId);
    this.#feeds.get(runId)?.close();
    this.#feeds.delete(runId);
    this.#board.forget({ runId });
  }
}

function runOf({ peer: { nodeId, runId } }: NodeLink): NodeRun {
  return { nodeId, runId: runId as Ruuid };
}
