/** A web server for tests, with an answer per path. It records the requests. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type Answer = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export class FakeOrigin {
  readonly answers = new Map<string, Answer>();
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[] = [];
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();
  readonly #scheme: string;

  private constructor(pem: string | null) {
    const respond: RequestListener = (request, response) => this.#respond(request, response);
    this.#scheme = pem === null ? 'http' : 'https';
    this.#server = pem === null ? createServer(respond) : createTlsServer({ key: pem, cert: pem }, respond);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** `pem`: for https, a certificate and its key. */
  static async start(pem: string | null = null): Promise<FakeOrigin> {
    const origin = new FakeOrigin(pem);
    await new Promise<void>((resolve) => origin.#server.listen(0, '127.0.0.1', resolve));
    return origin;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  url(path: string, login = ''): string {
    return `${this.#scheme}://${login}127.0.0.1:${this.port}${path}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.requests.push({ path, authorization: request.headers.authorization });
    const result = this.answers.get(path);
    if (typeof result === 'function') result(request, response);
    else if (result === undefined) response.writeHead(404).end();
    else response.end(result);
  }
}
