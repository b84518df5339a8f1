/**
 * Load for large responses: connections that stay open between measurements, make the next request as soon as they
 * have the whole response, and ignore its content. Each goes through requests of its own, again and again.
 */

import { hrtimeMs } from './child-module.ts';
import { HttpLink } from './http-link.ts';

export interface LoadResult {
  readonly answers: number;
  /** Including heads. */
  readonly bytes: number;
  readonly elapsedSec: number;
}

/** Requests of one connection, in turn. */
export type Requests = readonly string[];

interface Client {
  readonly link: HttpLink;
  readonly requests: Requests;
  next: number;
}

/** `GET` as it goes over the wire. `headers`: whole lines. */
export function requestText(url: string, ...headers: readonly string[]): string {
  const { pathname, search, host } = new URL(url);
  return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
}

export class HttpLoad {
  readonly #name: string;
  readonly #status: number;
  readonly #clients: Client[] = [];
  #run: { readonly endMs: number; readonly idle: PromiseWithResolvers<void> } | null = null;
  #busyLinks = 0;
  #responses = 0;
  #failure: string | null = null;

  /** One connection to `port` for each list of requests. `name`: for errors. */
  constructor(name: string, port: number, requests: readonly Requests[], status = 200) {
    this.#name = name;
    this.#status = status;
    for (const ofLink of requests) {
      const link = new HttpLink(port, 0, {
        onResponse: (responded) => this.#onResponse(client, responded),
        onBroken: (reason) => this.#onBroken(reason),
      });
      const client: Client = { link, requests: ofLink, next: 0 };
      this.#clients.push(client);
    }
  }

  /** All connections request the same. */
  static of(url: string, connections: number): HttpLoad {
    const request = requestText(url);
    return new HttpLoad(
      url,
      Number(new URL(url).port),
      Array.from({ length: connections }, () => [request]),
    );
  }

  /**
   * No new requests after `seconds`; ends with the last response, so that no work is left to whatever is measured
   * next. Fails if a response has another status or a connection breaks.
   */
  async run(seconds: number): Promise<LoadResult> {
    this.#check();
    const startMs = hrtimeMs();
    const bytesBefore = this.#bytesRead();
    const idle = Promise.withResolvers<void>();
    this.#run = { endMs: startMs + seconds * 1_000, idle };
    this.#responses = 0;
    this.#busyLinks = this.#clients.length;
    for (const client of this.#clients) send(client);
    await idle.promise;
    this.#run = null;
    this.#check();
    return {
      answers: this.#responses,
      bytes: this.#bytesRead() - bytesBefore,
      elapsedSec: (hrtimeMs() - startMs) / 1_000,
    };
  }

  close(): void {
    for (const { link } of this.#clients) link.close();
  }

  /** A connection that broke between two runs would never be idle again. */
  #check(): void {
    if (this.#failure !== null) throw new Error(`${this.#name}: ${this.#failure}`);
  }

  #onResponse(client: Client, status: number): void {
    const run = this.#run;
    if (run === null) return;
    if (status === this.#status) this.#responses++;
    else this.#failure = `status ${status}`;
    if (this.#failure === null && hrtimeMs() < run.endMs) send(client);
    else if (--this.#busyLinks === 0) run.idle.resolve();
  }

  #onBroken(reason: string): void {
    this.#failure = reason;
    this.#run?.idle.resolve();
  }

  #bytesRead(): number {
    return this.#clients.reduce((sum, { link }) => sum + link.bytesRead, 0);
  }
}

function send(client: Client): void {
  client.link.send(client.requests[client.next]!);
  client.next = (client.next + 1) % client.requests.length;
}
