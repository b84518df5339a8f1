/** Who talks at other nodes, for viewers at this one: every node tells every other one who talks there. The lease is in talk-leases.ts. */

import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import { NodeFeeds } from '../feeds/node-feeds.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';

const KINDS = { said: 'talks', complete: 'talks-complete' } as const;
/** A node that is gone has no talks; one without a link may be back in a moment. */
const KEPT_MS = { unlinkedMs: 5_000, goneMs: 0 };
/** Talks of one node. It has no more: each has a place among the rows of the audit trail, whose pool shares them out. */
const MAX_TALKS_OF_NODE = LIMITS.auditWaiting.total;

/** The name of who talks to a camera; null: no one. */
type TalkWord = readonly [cameraUuid: Ruuid, by: string | null];

interface OtherNode {
  readonly talks: Map<Ruuid, string>;
  link: NodeLink;
  /** Cameras that the node has sent again since the link opened. */
  again: Set<Ruuid>;
}

export interface ClusterTalksOptions {
  readonly links: Pick<NodeLinks, 'onMessage' | 'onLink' | 'onClosed'>;
  readonly runId: string;
  readonly clock: Clock;
}

export class ClusterTalks {
  readonly #own = new Map<Ruuid, string>();
  readonly #others = new Map<string, OtherNode>();
  readonly #feeds: NodeFeeds<Ruuid, TalkWord>;
  #onChange: (cameraUuid: Ruuid) => void = () => undefined;

  constructor(options: ClusterTalksOptions) {
    this.#feeds = new NodeFeeds<Ruuid, TalkWord>({
      ...options,
      kinds: KINDS,
      keptMs: KEPT_MS,
      own: () => this.#own.keys(),
      wordOf: (cameraUuid) => [cameraUuid, this.#own.get(cameraUuid) ?? null],
      onWords: (run, link, words) => this.#hear(run, link, words),
      onComplete: (run, link) => this.#complete(run, link),
      onLost: ({ runId }) => this.#lose(runId),
    });
  }

  begin(
    registry: Pick<NodeRegistry, 'nodes' | 'find' | 'onChange'>,
    linkTo: (run: NodeRun) => Promise<NodeLink>,
  ): void {
    this.#feeds.begin(registry, linkTo);
  }

  close(): void {
    this.#feeds.close();
  }

  /** Called after who talks at another node has changed. Must not throw. The last listener counts. */
  onChange(listener: (cameraUuid: Ruuid) => void): void {
    this.#onChange = listener;
  }

  /** Who talks to the camera at another node; null: no one. */
  find(cameraUuid: Ruuid): string | null {
    for (const { talks } of this.#others.values()) {
      const by = talks.get(cameraUuid);
      if (by !== undefined) return by;
    }
    return null;
  }

  /** Someone talks here, or no longer (null). */
  say(cameraUuid: Ruuid, by: string | null): void {
    if (by === null) this.#own.delete(cameraUuid);
    else this.#own.set(cameraUuid, by);
    this.#feeds.changed(cameraUuid);
  }

  #hear({ runId }: NodeRun, link: NodeLink, words: readonly TalkWord[]): void {
    const node = this.#nodeOf(runId, link);
    for (const [cameraUuid, by] of words) {
      node.again.add(cameraUuid);
      if (by === null) node.talks.delete(cameraUuid);
      else if (node.talks.size < MAX_TALKS_OF_NODE || node.talks.has(cameraUuid)) {
        node.talks.set(cameraUuid, by);
      }
      this.#onChange(cameraUuid);
    }
  }

  #complete({ runId }: NodeRun, link: NodeLink): void {
    const node = this.#nodeOf(runId, link);
    const over = [...node.talks.keys()].filter((cameraUuid) => !node.again.has(cameraUuid));
    for (const cameraUuid of over) node.talks.delete(cameraUuid);
    node.again.clear();
    for (const cameraUuid of over) this.#onChange(cameraUuid);
  }

  #nodeOf(runId: string, link: NodeLink): OtherNode {
    const known = this.#others.get(runId) ?? { talks: new Map(), link, again: new Set() };
    if (known.link !== link) [known.link, known.again] = [link, new Set()];
    this.#others.set(runId, known);
    return known;
  }

  #lose(runId: string): void {
    const talks = this.#others.get(runId)?.talks;
    this.#others.delete(runId);
    for (const cameraUuid of talks?.keys() ?? []) this.#onChange(cameraUuid);
  }
}
