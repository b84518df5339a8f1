/** A second address of the gateway, as in a network with more than one: connections to it end at the gateway's own. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.2';

export class OtherAddress {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: URL | null = null;

  private constructor() {
    this.#server = createServer((socket) => this.#join(socket));
  }

  static async open(): Promise<OtherAddress> {
    const other = new OtherAddress();
    await new Promise<void>((done) => other.#server.listen(0, HOST, done));
    return other;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((done) => this.#server.close(() => done()));
  }

  #join(socket: Socket): void {
    const { hostname, port } = this.#target!;
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
