/** Who handles which kind of message and request. */

import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { LINK_ERRORS } from './errors.ts';
import type { LinkAnswer, MessageHandler, ReceivedMessage, RequestHandler } from './node-link.ts';

/** A peer can make up as many kinds as it likes. */
const MAX_LOGGED_KINDS = 100;

export class LinkHandlers {
  readonly #log: Log;
  readonly #messages = new Map<string, MessageHandler>();
  readonly #requests = new Map<string, RequestHandler>();
  readonly #loggedKinds = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  onMessage(kind: string, handler: MessageHandler): void {
    this.#messages.set(kind, handler);
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

  async request(request: ReceivedMessage): Promise<LinkAnswer> {
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
