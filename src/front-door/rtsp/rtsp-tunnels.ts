/**
 * RTSP over HTTP: a client reads from the response to a GET and writes into the body of a POST. Both have the same cookie, and come from one
 * address. A client may end its POST and continue with another one.
 */

import type { RtspConnection } from './rtsp-connection.ts';

interface Tunnel {
  readonly connection: RtspConnection;
  /** Ends the POST that is read now; null: there is none. */
  endPost: (() => void) | null;
}

export class RtspTunnels {
  readonly #tunnels = new Map<string, Tunnel>();

  /** False: the client has a tunnel with this cookie. */
  begin(address: string, cookie: string, connection: RtspConnection): boolean {
    const key = keyOf(address, cookie);
    if (this.#tunnels.has(key)) return false;
    this.#tunnels.set(key, { connection, endPost: null });
    return true;
  }

  /** The GET is over. */
  end(address: string, cookie: string): void {
    const key = keyOf(address, cookie);
    this.#tunnels.get(key)?.endPost?.();
    this.#tunnels.delete(key);
  }

  /** The connection that the body of a POST belongs to, which replaces an earlier POST; null: there is none. */
  join(address: string, cookie: string, endPost: () => void): RtspConnection | null {
    const tunnel = this.#tunnels.get(keyOf(address, cookie));
    if (tunnel === undefined) return null;
    tunnel.endPost?.();
    tunnel.endPost = endPost;
    return tunnel.connection;
  }
}

function keyOf(address: string, cookie: string): string {
  return `${address} ${cookie}`;
}
