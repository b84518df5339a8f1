/** The test's own S3 server, in memory, on a loopback port; the connection to it can be cut. */

import { connect, createServer, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { installS3Server } from '../../scripts/api-tools.mjs';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

const PROGRAM = resolve(import.meta.dirname, '../../.cache/s3-server/bin/moto_server');

export class TestS3Server {
  readonly #child: Child;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #proxy: Server;
  #isCut = false;

  private constructor(child: Child, targetPort: number) {
    this.#child = child;
    this.#targetPort = targetPort;
    this.#proxy = createServer((client) => this.#connected(client));
  }

  static async start(): Promise<TestS3Server> {
    await installS3Server();
    const port = await freePort();
    const child = new Child(PROGRAM, ['-H', '127.0.0.1', '-p', String(port)]);
    await child.line(/Running on/);
    const server = new TestS3Server(child, port);
    await new Promise<void>((done) => server.#proxy.listen(0, '127.0.0.1', done));
    return server;
  }

  get endpoint(): string {
    const address = this.#proxy.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  async createBucket(name: string): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#targetPort}/${name}`, { method: 'PUT' });
    if (!response.ok) throw new Error(`no bucket: ${await response.text()}`);
  }

  /** Breaks all connections, and new ones as soon as they open. */
  cut(isCut: boolean): void {
    this.#isCut = isCut;
    if (isCut) for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut(true);
    await new Promise<void>((done) => this.#proxy.close(() => done()));
    await this.#child.end('SIGKILL');
  }

  #connected(client: Socket): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const target = connect(this.#targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(target).pipe(client);
  }
}
