/** The way to a server, which the test breaks and mends like a cable or Wi-Fi. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class BreakableNetwork {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targetPort = 0;
  #isBroken = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (client) => this.#join(client));
  }

  static async open(): Promise<BreakableNetwork> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BreakableNetwork(server);
  }

  /** Leads to the server at `targetUrl` from now on. */
  lead(targetUrl: string): void {
    this.#targetPort = Number(new URL(targetUrl).port);
  }

  /** Ends all connections, and accepts none. */
  break(): void {
    this.#isBroken = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Lets nothing through on the connections that there are, and ends none of them. New ones work. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  mend(): void {
    this.#isBroken = false;
  }

  async close(): Promise<void> {
    this.break();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    if (this.#isBroken) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#targetPort, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        this.#sockets.delete(socket);
      });
    }
    client.pipe(server);
    server.pipe(client);
  }
}
