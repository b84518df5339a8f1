/**
 * An ACME server that sends a test's responses on HTTPS, without looking at the requests. For behavior that Pebble never
 * shows.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { MadeCertificate } from './certificates.ts';

export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is text. */
  readonly body?: unknown;
}

/** `asked`: paths until now. */
export type Script = Record<string, (origin: string, requested: readonly string[]) => ScriptedResponse>;

/** An order of one domain that is proven already, and ready. */
const AS_USUAL: Script = {
  '/dir': (origin) => ({
    body: Object.fromEntries(
      ['newNonce', 'newAccount', 'newOrder'].map((name) => [name, `${origin}/${name}`]),
    ),
  }),
  '/newNonce': () => ({}),
  '/newAccount': (origin) => ({ status: 201, headers: { location: `${origin}/account` }, body: {} }),
  '/newOrder': (origin) => ({
    status: 201,
    headers: { location: `${origin}/order` },
    body: orderOf(origin, 'ready'),
  }),
  '/order': (origin, requested) => ({
    body: orderOf(origin, requested.includes('/finalize') ? 'valid' : 'ready'),
  }),
  '/authorization': () => ({
    body: { status: 'valid', identifier: { type: 'dns', value: 'a.example' }, challenges: [] },
  }),
  '/finalize': (origin) => ({ body: orderOf(origin, 'valid') }),
  '/certificate': () => ({ body: 'no certificate' }),
};

export function orderOf(origin: string, status: string): Record<string, unknown> {
  const urls = { finalize: `${origin}/finalize`, certificate: `${origin}/certificate` };
  return { status, ...urls, authorizations: [`${origin}/authorization`] };
}

export class ScriptedAcmeServer {
  /** Paths that were asked for, in order. */
  readonly requested: string[] = [];
  /** Replaces its usual responses. */
  script: Script = {};
  readonly #server: Server;

  private constructor(certificate: MadeCertificate) {
    const files = { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
    this.#server = createServer(files, (request, response) => this.#respond(request, response));
  }

  static async start(certificate: MadeCertificate): Promise<ScriptedAcmeServer> {
    const server = new ScriptedAcmeServer(certificate);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get directory(): string {
    return `${this.origin}/dir`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #respond({ url = '' }: IncomingMessage, response: ServerResponse): void {
    this.requested.push(url);
    const script = this.script[url] ?? AS_USUAL[url];
    const {
      status = 200,
      headers = {},
      body = '',
    } = script?.(this.origin, this.requested) ?? { status: 404 };
    response.writeHead(status, { 'replay-nonce': `nonce-${this.requested.length}`, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}
