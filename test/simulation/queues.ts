/** Compares the queues in a node with the product's limits. */

import { MAX_WAITING_BYTES } from '../../src/cluster/links/frame-channel.ts';
import type { NodeLink } from '../../src/cluster/links/node-link.ts';
import type { NodeLinks } from '../../src/cluster/links/node-links.ts';
import { LIMITS } from '../../src/core/limits/registry.ts';
import type { RecordingTap } from '../../src/recording/recording-tap.ts';
import { MAX_WAITING_REQUESTS } from '../../src/store/sqlite/sqlite-executor.ts';
import { LiveWindow } from '../../src/stream/window/live-window.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS } from '../../src/stream/window/live-window-limits.ts';
import type { SimulatedNode } from './node.ts';
import type { Simulation } from './simulation.ts';

/** Size of the ring of recorded parts that the recorder's thread has not yet written. */
export const RING_BYTES = 65_536;
/** A stream has this much of it: eight seconds of a slow disk. */
const STREAM_BYTES = RING_BYTES / 4;
/** Playlists, media, and the first whole segment have a list each. */
const KINDS_OF_WAITERS = 3;

/** One queue at one moment. */
interface Queue {
  readonly what: string;
  readonly size: number;
  readonly limit: number;
}

/** The queues of one process. */
export class NodeQueues {
  readonly #links = new Set<NodeLink>();
  readonly #taps = new Set<RecordingTap>();

  followLinks(links: NodeLinks): void {
    links.onLink((link) => this.#links.add(link));
    links.onClosed((link) => this.#links.delete(link));
  }

  followTap(tap: RecordingTap): void {
    this.#taps.add(tap);
  }

  /** All that can be seen from outside. */
  now(node: SimulatedNode, { cameras, database }: Simulation): Queue[] {
    const { running, host } = node;
    const links = Array.from(this.#links, ({ waitingBytes: size }) => ({
      what: 'waiting bytes of a link',
      size,
      limit: MAX_WAITING_BYTES,
    }));
    const taps = Array.from(this.#taps, ({ waitingBytes: size }) => ({
      what: 'unwritten bytes of a recorded stream',
      size,
      limit: STREAM_BYTES,
    }));
    const waiters = Array.from(cameras.values(), ({ uuid }) => {
      const rendition = running?.hub.get(uuid)?.rendition('main');
      const size = rendition instanceof LiveWindow ? rendition.waiterCount : 0;
      const limit = KINDS_OF_WAITERS * DEFAULT_LIVE_WINDOW_LIMITS.maxWaiters;
      return { what: 'waiting requests of a stream', size, limit };
    });
    const requests = database.waitingOf(host);
    return [
      ...links,
      ...taps,
      ...waiters,
      { what: 'waiting requests to the store', size: requests, limit: MAX_WAITING_REQUESTS },
      { what: 'viewer sessions', size: running?.sessions.size ?? 0, limit: LIMITS.viewerSessions.total },
    ];
  }
}
