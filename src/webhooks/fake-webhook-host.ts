/** A host on the loopback interface that accepts webhooks and remembers them, for tests. */

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TakenCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class FakeWebhookHost {
  readonly calls: TakenCall[] = [];
  /** Its response; default 204. */
  answer: (call: TakenCall) => FakeAnswer | Promise<FakeAnswer> = () => ({ status: 204 });
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  static async open(): Promise<FakeWebhookHost> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = new FakeWebhookHost(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const call = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      host.calls.push(call);
      const { status, headers, body } = await host.answer(call);
      response.writeHead(status, headers).end(body);
    });
    return host;
  }

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
