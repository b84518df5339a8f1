/**
 * The viewers of a cluster, at each of its nodes: every node tells every other one who watches there, and what its clients hear
 * and count is what it has heard (docs/design/mirrors.md#viewers). So at each node a viewer comes and leaves in turns.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import { NodeFeeds } from '../feeds/node-feeds.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import { type ClusterViewerChange, ViewerBoard } from './viewer-board.ts';
import {
  type AudienceMedia,
  splitKey,
  VIEWERS,
  type ViewerKey,
  type ViewerWord,
  viewerKey,
} from './viewer-messages.ts';

/**
 * Viewers of a node that is gone or silent count for as long as a viewer without requests. By then, those that still watch use
 * other nodes.
 */
export const LOST_NODE_MS = 15_000;
/**
 * A viewer whose last session here ended counts for this long: a process that was paused ends sessions before it notices that its
 * links have ended, and that the viewer is at another node.
 */
export const LINGER_MS = 500;
/** The same while other nodes are not heard. */
export const MAX_LINGER_MS = 3_000;
/** Viewers of one node. It has no more sessions, of shares and of groups together: their pools share them out. */
export const MAX_VIEWERS_OF_NODE = LIMITS.viewerSessions.total * 2;
/** Viewers who leave in one turn of the event loop, and the time until the next ones. */
const LEAVING_AT_ONCE = 500;
const LEAVING_EVERY_MS = 10;

export interface ClusterViewersOptions {
  readonly links: Pick<NodeLinks, 'onMessage' | 'onLink' | 'onClosed'>;
  readonly runId: string;
  readonly clock: Clock;
}

interface OwnViewer {
  readonly media: AudienceMedia;
  /** Counted sessions here. */
  sessions: number;
}

/** The viewers that another node has sent. */
interface OtherNode {
  readonly viewers: Set<ViewerKey>;
  link: NodeLink;
  /** Viewers that the node has sent again since the link opened; null: all of them, or none need to be sent. */
  again: Set<ViewerKey> | null;
}

export class ClusterViewers {
  readonly #clock: Clock;
  readonly #board = new ViewerBoard((change) => this.#onChange(change));
  readonly #feeds: NodeFeeds<ViewerKey, ViewerWord>;
  readonly #own = new Map<ViewerKey, OwnViewer>();
  /** Own viewers without a session, in order, and since when. */
  readonly #ended = new Map<ViewerKey, number>();
  readonly #others = new Map<string, OtherNode>();
  /** Viewers who are no longer at the node that had said so. */
  readonly #leaving: Iterator<ViewerKey>[] = [];
  #endTimer: TimerHandle | null = null;
  #leaveTimer: TimerHandle | null = null;
  #onChange: (change: ClusterViewerChange) => void = () => undefined;

  constructor({ links, runId, clock }: ClusterViewersOptions) {
    this.#clock = clock;
    this.#feeds = new NodeFeeds<ViewerKey, ViewerWord>({
      links,
      runId,
      clock,
      kinds: VIEWERS,
      keptMs: { unlinkedMs: LOST_NODE_MS, goneMs: LOST_NODE_MS },
      own: () => this.#withSession(),
      wordOf: (key) => [...splitKey(key), this.#own.get(key)?.media ?? null],
      onWords: (run, link, words) => this.#hear(run, link, words),
      onComplete: (run, link) => this.#complete(run, link),
      onLost: (run) => this.#lose(run),
    });
  }

  /** Tells the nodes of the registry from now on. `linkTo` rejects while a node cannot be reached. */
  begin(
    registry: Pick<NodeRegistry, 'nodes' | 'find' | 'onChange'>,
    linkTo: (run: NodeRun) => Promise<NodeLink>,
  ): void {
    this.#feeds.begin(registry, linkTo);
  }

  /** Called in the order of what happens. Must not throw. The last listener counts. */
  onChange(listener: (change: ClusterViewerChange) => void): void {
    this.#onChange = listener;
  }

  /** Resolves when it knows the viewers of all nodes, or after `limitMs`. */
  untilHeard(limitMs: number): Promise<void> {
    return this.#feeds.untilHeard(limitMs);
  }

  close(): void {
    this.#feeds.close();
    this.#endTimer?.cancel();
    this.#leaveTimer?.cancel();
  }

  /** Viewers of an audience at all nodes. */
  count(audienceUuid: Ruuid): number {
    return this.#board.count(audienceUuid);
  }

  /** A session at this node counts from now on. */
  joined(audienceUuid: Ruuid, viewerId: string, media: AudienceMedia): void {
    const key = viewerKey(audienceUuid, viewerId);
    const own = this.#own.get(key);
    if (own !== undefined) {
      own.sessions++;
      // A link that opened meanwhile began without it.
      if (this.#ended.delete(key)) this.#feeds.changed(key);
      return;
    }
    this.#own.set(key, { media, sessions: 1 });
    this.#board.add(audienceUuid, viewerId, media);
    this.#feeds.changed(key);
  }

  /** A session that counted has ended. */
  left(audienceUuid: Ruuid, viewerId: string): void {
    const key = viewerKey(audienceUuid, viewerId);
    const own = this.#own.get(key);
    if (own === undefined || own.sessions === 0 || --own.sessions > 0) return;
    this.#ended.set(key, this.#clock.monoMs());
    this.#armEnd(LINGER_MS);
  }

  /** Viewers with a session. A node that has given up this node's viewers does not hear again of those that have left. */
  *#withSession(): IterableIterator<ViewerKey> {
    for (const [key, { sessions }] of this.#own) if (sessions > 0) yield key;
  }

  #armEnd(delayMs: number): void {
    this.#endTimer ??= this.#clock.after(delayMs, () => {
      this.#endTimer = null;
      this.#endDue();
    });
  }

  #endDue(): void {
    const nowMonoMs = this.#clock.monoMs();
    const lingerMs = this.#feeds.hearsAll ? LINGER_MS : MAX_LINGER_MS;
    let left = 0;
    for (const [key, sinceMonoMs] of this.#ended) {
      const waitMs = sinceMonoMs + lingerMs - nowMonoMs;
      if (waitMs > 0 || left === LEAVING_AT_ONCE) {
        // The others may be heard in the meantime.
        this.#armEnd(Math.max(LEAVING_EVERY_MS, Math.min(waitMs, LINGER_MS)));
        return;
      }
      this.#ended.delete(key);
      this.#own.delete(key);
      this.#board.remove(...splitKey(key));
      this.#feeds.changed(key);
      left++;
    }
  }

  #hear({ runId }: NodeRun, link: NodeLink, words: readonly ViewerWord[]): void {
    const node = this.#nodeOf(runId, link);
    for (const [audienceUuid, viewerId, media] of words) {
      const key = viewerKey(audienceUuid, viewerId);
      if (media === null) {
        if (node.viewers.delete(key)) this.#board.remove(audienceUuid, viewerId);
        continue;
      }
      if (node.viewers.size >= MAX_VIEWERS_OF_NODE && !node.viewers.has(key)) continue;
      node.again?.add(key);
      if (node.viewers.has(key)) continue;
      node.viewers.add(key);
      this.#board.add(audienceUuid, viewerId, media);
    }
  }

  #complete({ runId }: NodeRun, link: NodeLink): void {
    const node = this.#nodeOf(runId, link);
    const { again, viewers } = node;
    node.again = null;
    if (again === null) return;
    const gone = [...viewers].filter((key) => !again.has(key));
    for (const key of gone) viewers.delete(key);
    this.#leave(gone.values());
  }

  #lose({ runId }: Pick<NodeRun, 'runId'>): void {
    const node = this.#others.get(runId);
    this.#others.delete(runId);
    if (node !== undefined) this.#leave(node.viewers.values());
  }

  /** A new link says everything again. */
  #nodeOf(runId: string, link: NodeLink): OtherNode {
    let node = this.#others.get(runId);
    if (node === undefined) {
      node = { viewers: new Set(), link, again: null };
      this.#others.set(runId, node);
    } else if (node.link !== link) {
      node.link = link;
      node.again = new Set();
    }
    return node;
  }

  /** Removes a few at a time: all viewers of a node are too many to report to listeners in one turn. */
  #leave(keys: Iterator<ViewerKey>): void {
    this.#leaving.push(keys);
    if (this.#leaveTimer === null) this.#leaveSome();
  }

  #leaveSome(): void {
    this.#leaveTimer = null;
    for (let left = 0; left < LEAVING_AT_ONCE; ) {
      const keys = this.#leaving[0];
      if (keys === undefined) return;
      const { done, value } = keys.next();
      if (done === true) {
        this.#leaving.shift();
        continue;
      }
      this.#board.remove(...splitKey(value));
      left++;
    }
    this.#leaveTimer = this.#clock.after(LEAVING_EVERY_MS, () => this.#leaveSome());
  }
}
