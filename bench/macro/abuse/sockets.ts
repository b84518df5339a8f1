/** Many raw connections at a time, for abuse of HTTP. */

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Connections to one listener that end with `close`. */
export class Crowd {
  readonly sockets: Socket[] = [];
  /** Number of connections that the other side has ended or refused. */
  closed = 0;
  readonly #received = new Map<Socket, string>();
  readonly #target: { readonly host: string; readonly port: number };

  constructor(base: string) {
    const { hostname, port } = new URL(base);
    this.#target = { host: hostname, port: Number(port) };
  }

  /** `isRead`: incoming data is kept as text; otherwise nothing is read. */
  open(count: number, bytes: string | Buffer, isRead = true): void {
    for (let index = 0; index < count; index++) {
      const socket = connect(this.#target);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.closed += 1;
      });
      if (isRead)
        socket.on('data', (chunk) => {
          this.#received.set(socket, (this.#received.get(socket) ?? '') + chunk.toString('latin1'));
        });
      if (bytes.length > 0) socket.write(bytes);
      this.sockets.push(socket);
    }
  }

  /** Writes a piece to each, again and again. */
  async drip(piece: string, everyMs: number, times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      for (const socket of this.sockets) if (!socket.destroyed) socket.write(piece);
      await delay(everyMs);
    }
  }

  get texts(): string[] {
    return [...this.#received.values()];
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** `width` workers take the items one after the other. */
export async function abreast<T>(
  items: readonly T[],
  width: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) await act(items[next++]!);
  };
  await Promise.all(Array.from({ length: width }, work));
}
