/** Opens a connection to another node, up to the greeting. */

import type { OnReadOpts } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { LINK_ERRORS } from './errors.ts';
import { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, GREETING_LIMITS, type Greeting } from './frame-header.ts';
import { greet, OPEN_MS } from './greeting.ts';
import { connectingTls } from './link-tls.ts';
import type { LinkAddress } from './node-link.ts';

/** The most that TLS passes on at a time (RFC 8446 §5.1). */
const TLS_RECORD_BYTES = 16_384;

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
  let channel: FrameChannel | null = null;
  // The same memory for all that arrives: nothing is kept of it.
  const buffer = Buffer.allocUnsafeSlow(TLS_RECORD_BYTES);
  const onread: OnReadOpts = {
    buffer,
    callback: (bytes) => {
      channel?.read(bytes === buffer.length ? buffer : buffer.subarray(0, bytes));
      return true;
    },
  };
  const connection: ConnectionOptions & { onread: OnReadOpts } = {
    ...connectingTls(key),
    ...address,
    onread,
  };
  const socket = connect(connection);
  socket.setNoDelay(true);
  const abort = (): void => void socket.destroy(new GatewayError(LINK_ERRORS.LINK_CLOSED));
  signal.addEventListener('abort', abort);
  const deadline = clock.after(OPEN_MS, () => {
    socket.destroy(new GatewayError(LINK_ERRORS.LINK_OPEN_TIMEOUT, { ...address }));
  });
  try {
    return await new Promise<T>((resolve, reject) => {
      // Immediately: a message that arrives must find it.
      socket.once('secureConnect', () => {
        channel = new FrameChannel(socket, clock, GREETING_LIMITS);
        greet(channel, own, expected, { opened: () => resolve(opened(channel!)), failed: reject });
      });
      rejectWhenBroken(socket, address, reject);
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    deadline.cancel();
    signal.removeEventListener('abort', abort);
  }
}

function rejectWhenBroken(
  socket: TLSSocket,
  address: LinkAddress,
  reject: (error: GatewayError) => void,
): void {
  let hasConnected = false;
  socket.once('connect', () => {
    hasConnected = true;
  });
  socket.on('error', (error) => reject(failureOf(error, hasConnected, address)));
  socket.once('close', () => reject(failureOf(undefined, hasConnected, address)));
}

function failureOf(error: Error | undefined, hasConnected: boolean, address: LinkAddress): GatewayError {
  if (error instanceof GatewayError) return error;
  const definition = hasConnected ? LINK_ERRORS.LINK_NOT_AUTHENTICATED : LINK_ERRORS.LINK_UNREACHABLE;
  return new GatewayError(definition, { ...address }, error);
}
