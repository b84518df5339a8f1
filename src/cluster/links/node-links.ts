/**
 * All links of one node: at most one that it opened to each other node, and at most one from each that opened one here. Users ask
 * for a link whenever they need it (docs/design/mirrors.md#node-links).
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { LINK_ERRORS } from './errors.ts';
import type { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, type Greeting, LINK_VERSION } from './frame-header.ts';
import type { NodeIdentity } from './greeting.ts';
import { LinkHandlers } from './link-handlers.ts';
import { type LinkAcceptor, type LinkTransport, tlsTransport } from './link-transport.ts';
import type {
  LinkAddress,
  LinkTarget,
  MessageHandler,
  NodeLink,
  RecordHandler,
  RequestHandler,
} from './node-link.ts';
import { OpenLink } from './open-link.ts';
import { OutgoingLink, REGULAR_ENDS } from './outgoing-link.ts';

/** Entries of nodes: beyond this, idle ones are forgotten. */
const MAX_IDLE_ENTRIES = 100;

export interface NodeLinksOptions {
  readonly identity: NodeIdentity;
  /** As `linkKeyOf` derives it. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: TLS. */
  readonly transport?: LinkTransport;
}

type LinkListenerFunction = (link: NodeLink) => void;
type ClosedFunction = (link: NodeLink, reason: GatewayError) => void;

export class NodeLinks {
  readonly #options: NodeLinksOptions;
  readonly #own: Greeting;
  readonly #handlers: LinkHandlers;
  readonly #listener: LinkAcceptor;
  readonly #transport: LinkTransport;
  /** By nodeId. */
  readonly #outgoing = new Map<string, OutgoingLink>();
  readonly #incoming = new Map<string, OpenLink>();
  readonly #onLink: LinkListenerFunction[] = [];
  readonly #onClosed: ClosedFunction[] = [];
  #isClosed = false;

  constructor(options: NodeLinksOptions) {
    const { identity, key, clock, log, transport = tlsTransport } = options;
    this.#options = options;
    this.#transport = transport;
    this.#own = { version: LINK_VERSION, ...identity };
    this.#handlers = new LinkHandlers(log);
    this.#listener = transport.acceptor({
      own: this.#own,
      key,
      clock,
      log,
      onAccepted: (channel, peer, remoteAddress) => this.#accepted(channel, peer, remoteAddress),
    });
  }

  /** The port, chosen by the system for 0. Fails LINK_LISTEN_FAILED. */
  listen(address: LinkAddress): Promise<number> {
    return this.#listener.listen(address);
  }

  /** One handler per kind; the last one counts. */
  onMessage(kind: string, handler: MessageHandler): void {
    this.#handlers.onMessage(kind, handler);
  }

  /** The last handler counts. */
  onRecord(handler: RecordHandler): void {
    this.#handlers.onRecord(handler);
  }

  onRequest(kind: string, handler: RequestHandler): void {
    this.#handlers.onRequest(kind, handler);
  }

  /** Called for links of both directions, before their first message. */
  onLink(listener: LinkListenerFunction): void {
    this.#onLink.push(listener);
  }

  onClosed(listener: ClosedFunction): void {
    this.#onClosed.push(listener);
  }

  /**
   * The open link to this run of a node, or a new one. After a failure it rejects with LINK_PAUSED until the pause is over, which
   * grows with each. Rejects with what went wrong, after at most OPEN_MS.
   */
  async linkTo(target: LinkTarget): Promise<NodeLink> {
    if (this.#isClosed) throw new GatewayError(LINK_ERRORS.LINK_CLOSED);
    let outgoing = this.#outgoing.get(target.nodeId);
    if (outgoing === undefined || !outgoing.isTo(target)) {
      outgoing?.replace();
      this.#forgetIdle();
      outgoing = this.#newOutgoing(target);
      this.#outgoing.set(target.nodeId, outgoing);
    }
    return outgoing.link();
  }

  /** Whether a link that this node opened to that run is open: one of the other direction does not say that it can be reached. */
  hasOpened({ nodeId, runId }: Pick<LinkTarget, 'nodeId' | 'runId'>): boolean {
    return this.#outgoing.get(nodeId)?.open?.peer.runId === runId;
  }

  /** Counts of both directions. */
  counts(): { readonly links: number; readonly waitingBytes: number } {
    const outgoing = Array.from(this.#outgoing.values(), ({ open }) => open).filter((link) => link !== null);
    const links = [...outgoing, ...this.#incoming.values()];
    return { links: links.length, waitingBytes: links.reduce((sum, link) => sum + link.waitingBytes, 0) };
  }

  /** Ends all links and notifies the other nodes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const outgoing of this.#outgoing.values()) outgoing.close();
    for (const link of this.#incoming.values()) link.close();
    await this.#listener.close();
  }

  #newOutgoing(target: LinkTarget): OutgoingLink {
    const { key, clock, log } = this.#options;
    return new OutgoingLink({
      target,
      own: this.#own,
      key,
      clock,
      log,
      transport: this.#transport,
      opened: (channel, closed) =>
        this.#open(channel, target, true, log.child(shown(target)), (_, reason) => closed(reason)),
    });
  }

  #accepted(channel: FrameChannel, peer: ExpectedNode, remoteAddress: string): void {
    const { nodeId, runId } = peer;
    const log = this.#options.log.child({ nodeId, runId, remoteAddress });
    if (this.#isClosed) {
      channel.endTelling(new GatewayError(LINK_ERRORS.LINK_CLOSED));
      return;
    }
    this.#incoming.get(nodeId)?.endWith(new GatewayError(LINK_ERRORS.LINK_REPLACED, { nodeId }));
    const link = this.#open(channel, peer, false, log, (ended) => {
      if (this.#incoming.get(nodeId) === ended) this.#incoming.delete(nodeId);
    });
    // A listener can have closed it already.
    if (link.ended === null) this.#incoming.set(nodeId, link);
  }

  #open(
    channel: FrameChannel,
    { nodeId, runId }: ExpectedNode,
    isOpener: boolean,
    log: Log,
    closed: (link: OpenLink, reason: GatewayError) => void,
  ): OpenLink {
    const link = new OpenLink({
      channel,
      clock: this.#options.clock,
      peer: { nodeId, runId },
      handlers: this.#handlers,
      isOpener,
      onClosed: (ended, reason) => {
        logEnd(log, reason);
        closed(ended, reason);
        for (const listener of this.#onClosed) listener(ended, reason);
      },
    });
    log.info({ isOpener }, 'cluster link opened');
    for (const listener of this.#onLink) listener(link);
    return link;
  }

  #forgetIdle(): void {
    if (this.#outgoing.size < MAX_IDLE_ENTRIES) return;
    for (const [nodeId, outgoing] of this.#outgoing) {
      if (outgoing.isIdle()) this.#outgoing.delete(nodeId);
    }
  }
}

function shown({ nodeId, runId, address }: LinkTarget): object {
  return { nodeId, runId, address: `${address.host}:${address.port}` };
}

function logEnd(log: Log, reason: GatewayError): void {
  const { code, context } = reason;
  if (REGULAR_ENDS.has(code)) log.info({ code, ...context }, 'cluster link ended');
  else log.warn({ err: reason }, 'cluster link ended');
}
