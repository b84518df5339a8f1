/** The handlers of each kind of message and request. */

import type { PartBytes } from '../../cmaf/part-bytes.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { LINK_ERRORS } from './errors.ts';
import type {
  LinkResponse,
  MessageHandler,
  NodeLink,
  ReceivedMessage,
  RecordHandler,
  RequestHandler,
} from './node-link.ts';

/** A peer can make up as many kinds as it likes. */
const MAX_LOGGED_KINDS = 100;

export class LinkHandlers {
  readonly #log: Log;
  readonly #messages = new Map<string, MessageHandler>();
  #record: RecordHandler | null = null;
  readonly #requests = new Map<string, RequestHandler>();
  readonly #loggedKinds = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  onMessage(kind: string, handler: MessageHandler): void {
    this.#messages.set(kind, handler);
  }

  onRecord(handler: RecordHandler): void {
    this.#record = handler;
  }

  onRequest(kind: string, handler: RequestHandler): void {
    this.#requests.set(kind, handler);
  }

  /** Never throws. */
  message(message: ReceivedMessage): void {
    const { kind } = message;
    const handler = this.#messages.get(kind);
    try {
      if (handler === undefined) this.#unknown(message);
      else handler(message);
    } catch (error) {
      this.#log.error({ err: error, kind, nodeId: message.link.peer.nodeId }, 'cluster message not handled');
    }
  }

  /** Never throws. */
  record(link: NodeLink, record: Buffer, media: PartBytes): void {
    if (this.#record === null) {
      media.release();
      return;
    }
    try {
      this.#record(link, record, media);
    } catch (error) {
      media.release();
      this.#log.error({ err: error, nodeId: link.peer.nodeId }, 'cluster record not handled');
    }
  }

  async request(request: ReceivedMessage): Promise<LinkResponse> {
    const handler = this.#requests.get(request.kind);
    if (handler === undefined) {
      throw new GatewayError(LINK_ERRORS.LINK_UNKNOWN_KIND, { kind: request.kind });
    }
    return handler(request);
  }

  #unknown({ kind, link }: ReceivedMessage): void {
    if (this.#loggedKinds.has(kind) || this.#loggedKinds.size >= MAX_LOGGED_KINDS) return;
    this.#loggedKinds.add(kind);
    this.#log.warn({ kind, nodeId: link.peer.nodeId }, 'cluster message of unknown kind ignored');
  }
}
