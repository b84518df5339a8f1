/** Opens a connection to another node, up to the greeting. */

import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { LINK_ERRORS } from './errors.ts';
import { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, GREETING_LIMITS, type Greeting } from './frame-header.ts';
import { greet, OPEN_MS } from './greeting.ts';
import { connectingTls } from './link-tls.ts';
import type { LinkAddress } from './node-link.ts';

export interface ConnectOptions {
  readonly own: Greeting;
  readonly key: Buffer;
  readonly clock: Clock;
  readonly expected: ExpectedNode;
  readonly address: LinkAddress;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/**
 * Resolves with what `opened` makes of the channel, whose sink it sets. Rejects with LINK_UNREACHABLE, LINK_NOT_AUTHENTICATED,
 * LINK_OPEN_TIMEOUT, or what the greetings had against each other.
 */
export async function openChannel<T>(
  options: ConnectOptions,
  opened: (channel: FrameChannel) => T,
): Promise<T> {
  const { own, key, clock, expected, address, signal } = options;
  const socket = connect({ ...connectingTls(key), ...address });
  socket.setNoDelay(true);
  const abort = (): void => void socket.destroy(new GatewayError(LINK_ERRORS.LINK_CLOSED));
  signal.addEventListener('abort', abort);
  const deadline = clock.after(OPEN_MS, () => {
    socket.destroy(new GatewayError(LINK_ERRORS.LINK_OPEN_TIMEOUT, { ...address }));
  });
  try {
    await secured(socket, address);
    const channel = new FrameChannel(socket, clock, GREETING_LIMITS);
    return await new Promise<T>((resolve, reject) => {
      greet(channel, own, expected, { opened: () => resolve(opened(channel)), failed: reject });
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    deadline.cancel();
    signal.removeEventListener('abort', abort);
  }
}

function secured(socket: TLSSocket, address: LinkAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasConnected = false;
    socket.once('connect', () => {
      hasConnected = true;
    });
    socket.once('secureConnect', () => resolve());
    // It stays: the channel has its own, but an error may come between the two.
    socket.on('error', (error) => reject(failureOf(error, hasConnected, address)));
    socket.once('close', () => reject(failureOf(undefined, hasConnected, address)));
  });
}

function failureOf(error: Error | undefined, hasConnected: boolean, address: LinkAddress): GatewayError {
  if (error instanceof GatewayError) return error;
  const definition = hasConnected ? LINK_ERRORS.LINK_NOT_AUTHENTICATED : LINK_ERRORS.LINK_UNREACHABLE;
  return new GatewayError(definition, { ...address }, error);
}
