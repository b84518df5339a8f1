/**
 * The states of all cameras of a cluster, at each of its nodes: every node tells every other one what it knows of the cameras
 * for which it speaks (docs/design/mirrors.md#states).
 */

import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { CameraReport } from '../../stream/camera-connection.ts';
import { NodeFeeds } from '../feeds/node-feeds.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import { type Speaker, StateBoard } from './state-board.ts';
import { type CameraWord, type ProbedCamera, type SaidWord, STATES } from './state-messages.ts';

/** Facts from a node become unknown after this time without a link from it, even if the node is not known to be gone. */
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

export class StateExchange {
  readonly #board: StateBoard;
  readonly #feeds: NodeFeeds<Ruuid, SaidWord>;
  #linkTo: ((run: NodeRun) => Promise<NodeLink>) | null = null;

  constructor(options: StateExchangeOptions) {
    this.#board = new StateBoard({ onHeard: options.onHeard });
    this.#feeds = new NodeFeeds<Ruuid, SaidWord>({
      ...options,
      kinds: STATES,
      keptMs: { unlinkedMs: UNLINKED_MS, goneMs: 0 },
      own: () => this.#board.own(),
      wordOf: (cameraUuid) => [cameraUuid, this.#board.ownWord(cameraUuid)],
      onWords: (run, link, words) => this.#board.hear(run, link, words),
      onComplete: (run, link) => this.#board.complete(run, link),
      onLost: (run) => this.#board.forget(run),
    });
    options.links.onRequest(STATES.probed, async ({ body }) => ({
      body: await options.onProbed(body as ProbedCamera),
    }));
  }

  /** Tells the nodes of the registry from now on. `linkTo` rejects while a node cannot be reached. */
  begin(
    registry: Pick<NodeRegistry, 'nodes' | 'find' | 'onChange'>,
    linkTo: (run: NodeRun) => Promise<NodeLink>,
  ): void {
    this.#linkTo = linkTo;
    this.#feeds.begin(registry, linkTo);
  }

  close(): void {
    this.#feeds.close();
  }

  speakerOf(cameraUuid: Ruuid): Speaker | null {
    return this.#board.speakerOf(cameraUuid);
  }

  /** False: another node has a newer word. */
  say(cameraUuid: Ruuid, word: CameraWord): boolean {
    const isHeard = this.#board.say(cameraUuid, word);
    if (isHeard) this.#feeds.changed(cameraUuid);
    return isHeard;
  }

  /** This node no longer has the camera. */
  remove(cameraUuid: Ruuid): void {
    this.#board.remove(cameraUuid);
    this.#feeds.changed(cameraUuid);
  }

  /** Tells the node that speaks for the camera, and resolves with what it now knows. Rejects if it cannot be reached. */
  async probedAt(run: NodeRun, probed: ProbedCamera): Promise<CameraReport | null> {
    const link = await this.#linkTo!(run);
    const { body } = await link.request(STATES.probed, probed, { timeoutMs: PROBED_TIMEOUT_MS });
    return body as CameraReport | null;
  }
}
