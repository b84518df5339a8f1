/** The connections of a listener on which requests may be answered without Node's HTTP server (plain-connection.ts). */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, connectionOf } from './connection.ts';
import { interceptHttp1 } from './http-listener.ts';
import {
  PlainConnection,
  type PlainHost,
  type PlainResponses,
  type PlainTimeouts,
} from './plain-connection.ts';

export interface PlainConnectionsOptions {
  readonly responses: PlainResponses;
  readonly timeouts: PlainTimeouts;
  readonly onRequest: (connection: Connection) => void;
}

/** `server`: its table has each connection before this hears of it. */
export function respondPlainly(server: Server, options: PlainConnectionsOptions): void {
  const open = new Set<PlainConnection>();
  let host: PlainHost | null = null;
  let isClosing = false;
  interceptHttp1(server, (socket: Socket, serve) => {
    const connection = connectionOf(socket);
    if (connection === undefined || socket.destroyed) return;
    host ??= { ...options, serve, onLeft: (left) => void open.delete(left) };
    const opened = new PlainConnection(socket, connection, host);
    open.add(opened);
    // It has just been accepted, and may have a request on its way.
    if (isClosing) opened.leave();
  });
  closeWith(server, open, () => {
    isClosing = true;
  });
}

/** Extends Node's closing of a server to these connections. */
function closeWith(server: Server, open: ReadonlySet<PlainConnection>, onClosing: () => void): void {
  const closeAll = server.closeAllConnections.bind(server);
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    for (const connection of open) connection.destroy();
  };
  server.closeIdleConnections = () => {
    onClosing();
    closeIdle();
    for (const connection of open) connection.close();
  };
}
