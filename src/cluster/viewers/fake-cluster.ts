/** Nodes of a test that tell each other of viewers, over a network that takes no time but the test's, and breaks when it says so. */

import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import { LINK_ERRORS } from '../links/errors.ts';
import type { MessageHandler, NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { ClusterNodeInfo } from '../nodes/node-info.ts';
import { ClusterViewers } from './cluster-viewers.ts';
import type { ClusterViewerChange } from './viewer-board.ts';
import type { AudienceMedia } from './viewer-messages.ts';

/** Steps of the test's time. */
const STEP_MS = 50;
/** After a node fell silent, others notice. */
const SILENT_MS = 2_000;

/** One node's end of a link. */
class FakeLink implements NodeLink {
  readonly peer: { readonly nodeId: string; readonly runId: string };
  readonly waitingBytes = 0;
  ended: GatewayError | null = null;
  readonly #owner: FakeNode;
  readonly #deliver: (message: Parameters<NodeLink['send']>[0]) => void;
  readonly #onClose: () => void;

  constructor(owner: FakeNode, other: FakeNode, onClose: () => void, deliver: FakeLink['send']) {
    this.peer = other.run;
    this.#owner = owner;
    this.#onClose = onClose;
    this.#deliver = deliver;
  }

  send(message: Parameters<NodeLink['send']>[0]): boolean {
    if (this.ended !== null) return false;
    this.#deliver(message);
    return true;
  }

  hold(): () => void {
    return () => undefined;
  }

  close(): void {
    this.#onClose();
  }

  /** Its node notices that it is over. */
  end(): void {
    if (this.ended !== null) return;
    this.ended = new GatewayError(LINK_ERRORS.LINK_BROKEN, {});
    this.#owner.closed(this);
  }

  sendRecord(): boolean {
    throw new Error('viewers need no records');
  }

  request(): Promise<never> {
    throw new Error('viewers need no requests');
  }
}

interface Pair {
  readonly from: FakeNode;
  readonly to: FakeNode;
  readonly near: FakeLink;
  readonly far: FakeLink;
}

export class FakeNode {
  readonly run: NodeRun;
  readonly clock = new FakeClock();
  readonly viewers: ClusterViewers;
  /** Changes that a client of this node gets. */
  readonly told: ClusterViewerChange[] = [];
  readonly #handlers = new Map<string, MessageHandler>();
  readonly #onLink: ((link: NodeLink) => void)[] = [];
  readonly #onClosed: ((link: NodeLink, reason: GatewayError) => void)[] = [];
  /** Messages that have arrived and were not read yet. */
  readonly inbox: (() => void)[] = [];
  isPaused = false;
  missedMs = 0;

  constructor(nodeId: string) {
    this.run = { nodeId, runId: newRuuid() };
    const links: Pick<NodeLinks, 'onMessage' | 'onLink' | 'onClosed'> = {
      onMessage: (kind, handler) => void this.#handlers.set(kind, handler),
      onLink: (listener) => void this.#onLink.push(listener),
      onClosed: (listener) => void this.#onClosed.push(listener),
    };
    this.viewers = new ClusterViewers({ links, runId: this.run.runId, clock: this.clock });
    this.viewers.onChange((change) => this.told.push(change));
  }

  opened(link: FakeLink): void {
    for (const listener of this.#onLink) listener(link);
  }

  closed(link: FakeLink): void {
    for (const listener of this.#onClosed) listener(link, link.ended!);
  }

  receive(link: FakeLink, { kind, body, bytes = [] }: Parameters<NodeLink['send']>[0]): void {
    // Written now: sent bytes are only borrowed.
    const copied = bytes.map((one) => Uint8Array.from(one));
    this.inbox.push(() => {
      if (link.ended === null) this.#handlers.get(kind)!({ kind, body, bytes: copied, link });
    });
  }

  join(audienceUuid: Ruuid, viewerId: string, media: AudienceMedia): void {
    this.viewers.joined(audienceUuid, viewerId, media);
  }

  leave(audienceUuid: Ruuid, viewerId: string): void {
    this.viewers.left(audienceUuid, viewerId);
  }
}

export class FakeCluster {
  readonly nodes: FakeNode[] = [];
  #pairs: Pair[] = [];
  readonly #broken = new Set<string>();
  readonly #listeners = new Set<() => void>();

  add(nodeId: string): FakeNode {
    const node = new FakeNode(nodeId);
    this.nodes.push(node);
    node.viewers.begin(
      {
        nodes: () => this.nodes.map(({ run }) => infoOf(run)),
        find: ({ runId }) => {
          const found = this.nodes.find(({ run }) => run.runId === runId);
          return found === undefined ? null : infoOf(found.run);
        },
        onChange: (listener) => {
          const changed = () => listener({ kind: 'changed', node: infoOf(node.run) });
          this.#listeners.add(changed);
          return () => this.#listeners.delete(changed);
        },
      },
      async ({ runId }) => this.#linkTo(node, runId),
    );
    this.#changed();
    return node;
  }

  /** Ends it as SIGKILL does. */
  kill(node: FakeNode): void {
    node.viewers.close();
    this.nodes.splice(this.nodes.indexOf(node), 1);
    for (const pair of this.#takePairs(node)) this.#end(pair, pair.from === node ? pair.to : pair.from);
    this.#changed();
  }

  pause(node: FakeNode): void {
    node.isPaused = true;
  }

  /** Its timers come first, then it notices what has become of its links. */
  continue(node: FakeNode, beforeItNotices: () => void = () => undefined): void {
    node.isPaused = false;
    node.clock.advance(node.missedMs);
    node.missedMs = 0;
    beforeItNotices();
  }

  /** They reach each other, or no longer. */
  setReachable(one: FakeNode, other: FakeNode, isReachable: boolean): void {
    const name = nameOf(one, other);
    if (isReachable) this.#broken.delete(name);
    else this.#broken.add(name);
    if (isReachable) return;
    for (const pair of this.#takePairs(one, other)) {
      this.#end(pair, one);
      this.#end(pair, other);
    }
  }

  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      for (const node of this.nodes) {
        if (node.isPaused) node.missedMs += STEP_MS;
        else node.clock.advance(STEP_MS);
      }
      this.#noticeSilence();
      await this.settle();
    }
  }

  /** Lets the nodes read the messages that were sent. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await Promise.resolve();
      for (const node of this.nodes) {
        if (!node.isPaused) for (const read of node.inbox.splice(0)) read();
      }
    }
  }

  #noticeSilence(): void {
    for (const silent of this.nodes) {
      if (!silent.isPaused || silent.missedMs < SILENT_MS) continue;
      for (const pair of this.#takePairs(silent)) {
        this.#end(pair, pair.from === silent ? pair.to : pair.from);
        // The silent node reads that when it continues.
        silent.inbox.push(() => this.#end(pair, silent));
      }
    }
  }

  #end({ from, near, far }: Pair, at: FakeNode): void {
    (at === from ? near : far).end();
  }

  /** Takes the links of the node, or those between the two, from the network. */
  #takePairs(node: FakeNode, other: FakeNode | null = null): Pair[] {
    const isOf = ({ from, to }: Pair, one: FakeNode) => from === one || to === one;
    const own = this.#pairs.filter((pair) => isOf(pair, node) && (other === null || isOf(pair, other)));
    this.#pairs = this.#pairs.filter((pair) => !own.includes(pair));
    return own;
  }

  #linkTo(from: FakeNode, runId: Ruuid): NodeLink {
    const known = this.#pairs.find((pair) => pair.from === from && pair.to.run.runId === runId);
    if (known !== undefined && known.near.ended === null) return known.near;
    const to = this.nodes.find(({ run }) => run.runId === runId);
    if (to === undefined || to.isPaused || this.#broken.has(nameOf(from, to))) {
      throw new GatewayError(LINK_ERRORS.LINK_UNREACHABLE, {});
    }
    const close = () => {
      this.#end(pair, from);
      this.#end(pair, to);
    };
    const near: FakeLink = new FakeLink(from, to, close, (message) => {
      to.receive(far, message);
      return true;
    });
    const far: FakeLink = new FakeLink(to, from, close, (message) => {
      from.receive(near, message);
      return true;
    });
    const pair: Pair = { from, to, near, far };
    this.#pairs.push(pair);
    from.opened(near);
    to.opened(far);
    return near;
  }

  #changed(): void {
    for (const changed of this.#listeners) changed();
  }
}

function nameOf(one: FakeNode, other: FakeNode): string {
  return [one.run.nodeId, other.run.nodeId].sort().join(' ');
}

function infoOf({ nodeId, runId }: NodeRun): ClusterNodeInfo {
  return {
    nodeId,
    runId,
    address: '127.0.0.1:1',
    version: '1',
    isDraining: false,
    load: { ownedCameras: 0, openStreams: 0, viewers: 0, busyShare: 0 },
  };
}
