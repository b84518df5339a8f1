/** A network that breaks connections on their way to a server, after as many bytes as the test says. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingNetwork {
  /** Connections that were cut. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes that each connection in turn lets through to the server. */
  readonly #plan: number[];

  private constructor(targetPort: number, plan: readonly number[]) {
    this.#plan = [...plan];
    this.#server = createServer((client) => this.#join(client, connect(targetPort, '127.0.0.1')));
  }

  /** To the server at `targetUrl`. Connections after those of the plan are whole. */
  static async to(targetUrl: string, plan: readonly number[]): Promise<CuttingNetwork> {
    const network = new CuttingNetwork(Number(new URL(targetUrl).port), plan);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  /** `url` as it is reached through this network. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String((this.#server.address() as AddressInfo).port);
    return changed.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    let left: number | null = null;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        this.#sockets.delete(socket);
      });
    }
    server.pipe(client);
    client.on('data', (chunk: Buffer) => {
      if (left !== null && left <= 0) return;
      // Counted from the first connection that sends a body: short requests are let through.
      left ??= chunk.includes('PATCH ') ? (this.#plan.shift() ?? Number.POSITIVE_INFINITY) : null;
      const passed = left === null ? chunk : chunk.subarray(0, left);
      if (left !== null) left -= passed.length;
      const isCut = left !== null && left <= 0;
      const isFull = !server.write(passed, () => {
        if (!isCut) return;
        this.cuts++;
        client.resetAndDestroy();
      });
      if (isFull && !isCut) {
        client.pause();
        server.once('drain', () => client.resume());
      }
    });
  }
}
