/** Connections to a server that does not listen, for tests: its HTTP without its sockets. */

import type { Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';

/** The client's end of a new connection from 127.0.0.1. */
export function pipedConnection(server: Server): Duplex {
  const [client, accepted] = duplexPair();
  server.emit('connection', Object.assign(accepted, { remoteAddress: '127.0.0.1' }));
  // Like a socket, whose other end notices that this one has closed.
  client.once('close', () => accepted.destroy());
  accepted.once('close', () => client.destroy());
  return client;
}
