/** The transport of links: TLS over TCP, or the network of a simulation. */

import type { FrameChannel } from './frame-channel.ts';
import { type ConnectOptions, openChannel } from './link-connector.ts';
import { LinkListener, type LinkListenerOptions } from './link-listener.ts';
import type { LinkAddress } from './node-link.ts';

/** Accepts connections of other nodes. */
export interface LinkAcceptor {
  /** The port, chosen by the system for 0. Fails LINK_LISTEN_FAILED. */
  listen(address: LinkAddress): Promise<number>;
  /** Accepts no more; resolves once all connections, of open links as well, have ended. */
  close(): Promise<void>;
}

export interface LinkTransport {
  /**
   * Connects and greets. Resolves with what `opened` makes of the channel, whose sink it sets. Rejects with LINK_UNREACHABLE,
   * LINK_NOT_AUTHENTICATED, LINK_OPEN_TIMEOUT, or the mismatch of the greetings.
   */
  openChannel<T>(options: ConnectOptions, opened: (channel: FrameChannel) => T): Promise<T>;
  acceptor(options: LinkListenerOptions): LinkAcceptor;
}

export const tlsTransport: LinkTransport = {
  openChannel,
  acceptor: (options) => new LinkListener(options),
};
