/** A link as its users see it. */

import type { PackedBytes, PartBytes } from '../../cmaf/part-bytes.ts';
import type { GatewayError } from '../../core/errors.ts';

/** Where a node listens. */
export interface LinkAddress {
  readonly host: string;
  readonly port: number;
}

/** One run of a node, and where it listens. */
export interface LinkTarget {
  readonly nodeId: string;
  readonly runId: string;
  readonly address: LinkAddress;
}

export interface LinkMessage {
  /** Says what the message is about: 1 to 100 characters. */
  readonly kind: string;
  /** JSON: what it cannot express is lost. */
  readonly body: unknown;
  /**
   * Attachments. Those that are sent are borrowed until `released` is called; those that arrive are the receiver's own.
   */
  readonly bytes?: readonly Uint8Array[];
}

/** The answer to a request. */
export type LinkResponse = Omit<LinkMessage, 'kind'>;

export interface ReceivedMessage extends Required<LinkMessage> {
  readonly link: NodeLink;
}

export interface RequestOptions {
  readonly bytes?: readonly Uint8Array[];
  /** 5 s by default. */
  readonly timeoutMs?: number;
}

/** One connection to another node, of either direction. It is never repaired: after its end, ask for a new one. */
export interface NodeLink {
  readonly peer: { readonly nodeId: string; readonly runId: string };
  /** Why it ended, null while it is open. */
  readonly ended: GatewayError | null;
  /** Not yet with the kernel. The link ends with LINK_BACKLOG when it is more than MAX_WAITING_BYTES. */
  readonly waitingBytes: number;
  /**
   * False: the link is over, perhaps because too much waits. `released` is called in any case, once the attachments are no
   * longer read. Fails LINK_FRAME_LIMIT for a message that is too large; nothing is sent or called then.
   */
  send(message: LinkMessage, released?: () => void): boolean;
  /**
   * Sends what comes often: bytes that the receiver's handler of records understands, and media. As `send`; `record` is copied, and
   * `media` are taken over.
   */
  sendRecord(record: Uint8Array, media: PackedBytes): boolean;
  /**
   * Rejects with the error that the other node's handler failed with, LINK_UNKNOWN_KIND, LINK_REQUEST_TIMEOUT,
   * LINK_TOO_MANY_REQUESTS, LINK_FRAME_LIMIT, or what ended the link. Attachments must not change anymore.
   */
  request(kind: string, body: unknown, options?: RequestOptions): Promise<Required<LinkResponse>>;
  /** Keeps the link from being closed as idle until the returned function is called. For the node that opened it. */
  hold(): () => void;
  close(): void;
}

/** `record` is borrowed until it returns, and may be anything. Takes over `media`. */
export type RecordHandler = (link: NodeLink, record: Buffer, media: PartBytes) => void;
export type MessageHandler = (message: ReceivedMessage) => void;
/** An error that it throws is the answer. */
export type RequestHandler = (request: ReceivedMessage) => LinkResponse | Promise<LinkResponse>;
