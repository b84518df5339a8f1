/** One connection of an HTTP listener, as the listener's table knows it (connection-table.ts). */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An answer that is still being sent after this time does not keep its connection when another one needs the room. */
const SLOW_ANSWER_MS = 10_000;
/** Players ask again within a target duration: whoever has been quiet for longer than this opens a new one. */
const IDLE_MS = 5_000;

const CONNECTION = Symbol('connection');

/** What Node keeps at a server's socket: the response whose turn it is, and the descriptor. */
interface ServerSocket extends Socket {
  [CONNECTION]?: Connection;
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly fd?: number } | null;
}

/** The connections of one address; an IPv6 address counts as its /64. */
export class Origin {
  readonly key: string;
  /** In the order in which they were last asked for something. */
  readonly connections = new Set<Connection>();

  constructor(key: string) {
    this.key = key;
  }
}

export class Connection {
  readonly socket: Socket;
  /** null: a trusted proxy, behind which are many. */
  readonly origin: Origin | null;
  /** Requests so far. */
  requests = 0;
  /** When the newest request began, or the connection; precise to a second. */
  seenMonoMs: number;
  /** It became something else than HTTP: a WebSocket. */
  isUpgraded = false;
  /** After the socket's `close` event: libuv has let go of everything that was to be written. */
  isClosed = false;

  constructor(socket: Socket, origin: Origin | null, nowMonoMs: number) {
    this.socket = socket;
    this.origin = origin;
    this.seenMonoMs = nowMonoMs;
    (socket as ServerSocket)[CONNECTION] = this;
  }

  /** The number of its descriptor; -1 where there is none. The lowest free one when the connection was accepted. */
  get descriptor(): number {
    return (this.socket as ServerSocket)._handle?.fd ?? -1;
  }

  /**
   * Whether it can make room for a newcomer: nothing was ever asked, nothing was asked lately, or the answer is not
   * being taken. Who is being served and asks again and again keeps it.
   */
  canBeClosed(nowMonoMs: number): boolean {
    if (this.isUpgraded) return false;
    const response = (this.socket as ServerSocket)._httpMessage ?? null;
    const quietMs = nowMonoMs - this.seenMonoMs;
    if (response === null) return this.requests === 0 || quietMs >= IDLE_MS;
    return response.writableEnded && quietMs >= SLOW_ANSWER_MS;
  }
}

/** undefined for a socket that no table knows, as requests have that tests inject. Hot. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ServerSocket)[CONNECTION];
}
