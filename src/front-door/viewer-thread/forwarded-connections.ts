/**
 * Connections that a viewer thread opens to the gateway's thread on behalf of a client. They begin with a preamble: a
 * secret, and the client's address. Afterwards they are the client's: limits and logs see its address.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';

const SECRET_BYTES = 16;
/** The secret, the length of the address, and the address, filled up. */
const PREAMBLE_BYTES = 64;
const ADDRESS_AT = SECRET_BYTES + 1;
const MAX_WAIT_MS = 5_000;

/** Hexadecimal. New for each start. */
export function newForwardingSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** `address`: an IP address. */
export function preambleOf(secret: string, address: string): Buffer {
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.write(secret, 0, 'hex');
  preamble[SECRET_BYTES] = preamble.write(address, ADDRESS_AT, 'latin1');
  return preamble;
}

/** From now on, `server` accepts only connections with this secret. Call it after all others that watch its connections. */
export function acceptForwarded(server: Server, secret: string, clock: Clock): void {
  const expected = Buffer.from(secret, 'hex');
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const timer = clock.after(MAX_WAIT_MS, () => socket.destroy());
    const onError = () => socket.destroy();
    socket.on('error', onError);
    socket.once('close', () => timer.cancel());
    readPreamble(socket, (preamble) => {
      timer.cancel();
      if (!timingSafeEqual(preamble.subarray(0, SECRET_BYTES), expected)) {
        socket.destroy();
        return;
      }
      const addressBytes = preamble[SECRET_BYTES]!;
      const value = preamble.toString('latin1', ADDRESS_AT, ADDRESS_AT + addressBytes);
      Object.defineProperty(socket, 'remoteAddress', { value, configurable: true });
      for (const accept of listeners) accept.call(server, socket);
      socket.off('error', onError);
    });
  });
}

function readPreamble(socket: Socket, onRead: (preamble: Buffer) => void): void {
  let read = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk]);
    if (read.length < PREAMBLE_BYTES) return;
    socket.off('data', onData);
    socket.pause();
    if (read.length > PREAMBLE_BYTES) socket.unshift(read.subarray(PREAMBLE_BYTES));
    onRead(read.subarray(0, PREAMBLE_BYTES));
    // The parser has its listener now, and first gets the bytes that were read too early.
    process.nextTick(() => socket.resume());
  };
  socket.on('data', onData);
}
