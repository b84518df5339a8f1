/** The way to one node of a cluster, which can stop to let anything through without ending a connection: a partition. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Partition {
  /** `host:port`, where other nodes reach the node. */
  readonly address: string;
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.#targetPort = targetPort;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (client) => this.#join(client));
  }

  static async before(targetPort: number): Promise<Partition> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Partition(server, targetPort);
  }

  /** Bytes get lost from now on, including those of new connections. */
  begin(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** New connections work. */
  heal(): void {
    this.#isClosed = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.heal();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    this.#add(client, client);
    if (this.#isClosed) {
      client.pause();
      return;
    }
    const server = connect(this.#targetPort, '127.0.0.1');
    this.#add(server, client);
    client.on('close', () => server.destroy());
    client.pipe(server);
    server.pipe(client);
  }

  /** `client` ends with it. */
  #add(socket: Socket, client: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      client.destroy();
      this.#sockets.delete(socket);
    });
  }
}
