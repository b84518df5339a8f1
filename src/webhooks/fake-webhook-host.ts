/** A host that accepts webhooks and remembers them, for tests: on the loopback interface, or in memory. */

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';

export interface TakenCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class FakeWebhookHost {
  readonly calls: TakenCall[] = [];
  /** Its response; default 204. */
  answer: (call: TakenCall) => FakeResponse | Promise<FakeResponse> = () => ({ status: 204 });
  /** Whether `connect` succeeds. */
  isListening = true;
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.port = port;
    this.#server = server;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const call = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      this.calls.push(call);
      const { status, headers, body } = await this.answer(call);
      response.writeHead(status, headers).end(body);
    });
  }

  /** Reached with `connect` alone. */
  static inMemory(): FakeWebhookHost {
    return new FakeWebhookHost(createServer(), 8_080);
  }

  /** Listens on the loopback interface. */
  static async open(): Promise<FakeWebhookHost> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeWebhookHost(server, (server.address() as AddressInfo).port);
  }

  /** A connection to it without a socket. */
  readonly connect = (): Duplex => {
    const [client, server] = duplexPair();
    if (this.isListening) this.#server.emit('connection', server);
    else client.destroy(new Error('connection refused'));
    return client;
  };

  url(path = '/hook', hostname = '127.0.0.1'): string {
    return `http://${hostname}:${this.port}${path}`;
  }

  /** How many connections there are. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
