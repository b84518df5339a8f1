/** Two nodes with one link between them. Messages arrive immediately, as copies, within the limits of a frame. */

import { blockCopyOf } from '../../cmaf/block-copy.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import { GatewayError } from '../../core/errors.ts';
import { LINK_ERRORS } from '../links/errors.ts';
import { encodeHead } from '../links/frame-header.ts';
import type {
  LinkMessage,
  MessageHandler,
  NodeLink,
  RecordHandler,
  RequestHandler,
} from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';

class FakeNode {
  readonly messages = new Map<string, MessageHandler>();
  readonly requests = new Map<string, RequestHandler>();
  record: RecordHandler = (_link, _record, media) => media.release();
  readonly closed: ((link: NodeLink, reason: GatewayError) => void)[] = [];

  onMessage(kind: string, handler: MessageHandler): void {
    this.messages.set(kind, handler);
  }

  onRecord(handler: RecordHandler): void {
    this.record = handler;
  }

  onRequest(kind: string, handler: RequestHandler): void {
    this.requests.set(kind, handler);
  }

  onClosed(listener: (link: NodeLink, reason: GatewayError) => void): void {
    this.closed.push(listener);
  }
}

class FakeEnd implements NodeLink {
  readonly peer: NodeLink['peer'];
  ended: GatewayError | null = null;
  waitingBytes = 0;
  holds = 0;
  readonly #own: FakeNode;
  readonly #other: FakeNode;
  end!: FakeEnd;

  constructor(nodeId: string, own: FakeNode, other: FakeNode) {
    this.peer = { nodeId, runId: nodeId };
    this.#own = own;
    this.#other = other;
  }

  send(message: LinkMessage, released?: () => void): boolean {
    const { kind, body, bytes = [] } = message;
    encodeHead({ type: 'message', kind, body }, bytes);
    if (this.ended === null) this.#other.messages.get(kind)?.({ ...copied(message), link: this.end });
    released?.();
    return this.ended === null;
  }

  sendRecord(record: Uint8Array, media: PackedBytes): boolean {
    const copy = blockCopyOf(media.join());
    media.release();
    if (this.ended === null) this.#other.record(this.end, Buffer.from(record), copy);
    else copy.release();
    return this.ended === null;
  }

  async request(kind: string, body: unknown): Promise<{ body: unknown; bytes: readonly Uint8Array[] }> {
    const handler = this.#other.requests.get(kind);
    if (this.ended !== null || handler === undefined) throw this.ended ?? new Error(`no handler for ${kind}`);
    const response = await handler({ ...copied({ kind, body }), link: this.end });
    return { bytes: [], ...response };
  }

  hold(): () => void {
    this.holds++;
    return () => void this.holds--;
  }

  close(): void {
    for (const end of [this, this.end]) {
      const reason = new GatewayError(LINK_ERRORS.LINK_CLOSED);
      end.ended = reason;
      for (const listener of end.#own.closed) listener(end, reason);
    }
  }
}

function copied({ kind, body, bytes = [] }: LinkMessage): Required<LinkMessage> {
  return {
    kind,
    body: JSON.parse(JSON.stringify(body)) as unknown,
    bytes: bytes.map((one) => Uint8Array.from(one)),
  };
}

export interface FakePair {
  /** Both nodes. `link`: the node's end of the link. */
  readonly owner: { readonly links: NodeLinks; readonly link: FakeEnd };
  readonly mirror: { readonly links: NodeLinks; readonly link: FakeEnd };
}

export function fakeLinkPair(): FakePair {
  const [owner, mirror] = [new FakeNode(), new FakeNode()];
  const [atOwner, atMirror] = [new FakeEnd('mirror', owner, mirror), new FakeEnd('owner', mirror, owner)];
  atOwner.end = atMirror;
  atMirror.end = atOwner;
  return {
    owner: { links: owner as unknown as NodeLinks, link: atOwner },
    mirror: { links: mirror as unknown as NodeLinks, link: atMirror },
  };
}
