/**
 * Load for large responses: connections that stay open between measurements, make the next request as soon as they
 * have the whole response, and ignore its content.
 */

import { hrtimeMs } from './child-module.ts';
import { HttpLink } from './http-link.ts';

export interface LoadResult {
  readonly answers: number;
  /** Including heads. */
  readonly bytes: number;
  readonly elapsedSec: number;
}

export class HttpLoad {
  readonly #url: string;
  readonly #request: string;
  readonly #links: HttpLink[] = [];
  #run: { readonly endMs: number; readonly idle: PromiseWithResolvers<void> } | null = null;
  #busyLinks = 0;
  #answers = 0;
  #failure: string | null = null;

  constructor(url: string, connections: number) {
    const { port, pathname, search, host } = new URL(url);
    this.#url = url;
    this.#request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    for (let i = 0; i < connections; i++) {
      const link: HttpLink = new HttpLink(Number(port), 0, {
        onAnswer: (status) => this.#onAnswer(link, status),
        onBroken: (reason) => this.#onBroken(reason),
      });
      this.#links.push(link);
    }
  }

  /**
   * No new requests after `seconds`; ends with the last response, so that no work is left to whatever is measured
   * next. Fails if a response is not 200 or a connection breaks.
   */
  async run(seconds: number): Promise<LoadResult> {
    this.#check();
    const startMs = hrtimeMs();
    const bytesBefore = this.#bytesRead();
    const idle = Promise.withResolvers<void>();
    this.#run = { endMs: startMs + seconds * 1_000, idle };
    this.#answers = 0;
    this.#busyLinks = this.#links.length;
    for (const link of this.#links) link.send(this.#request);
    await idle.promise;
    this.#run = null;
    this.#check();
    return {
      answers: this.#answers,
      bytes: this.#bytesRead() - bytesBefore,
      elapsedSec: (hrtimeMs() - startMs) / 1_000,
    };
  }

  close(): void {
    for (const link of this.#links) link.close();
  }

  /** A connection that broke between two runs would never be idle again. */
  #check(): void {
    if (this.#failure !== null) throw new Error(`${this.#url}: ${this.#failure}`);
  }

  #onAnswer(link: HttpLink, status: number): void {
    const run = this.#run;
    if (run === null) return;
    if (status === 200) this.#answers++;
    else this.#failure = `status ${status}`;
    if (this.#failure === null && hrtimeMs() < run.endMs) link.send(this.#request);
    else if (--this.#busyLinks === 0) run.idle.resolve();
  }

  #onBroken(reason: string): void {
    this.#failure = reason;
    this.#run?.idle.resolve();
  }

  #bytesRead(): number {
    return this.#links.reduce((sum, link) => sum + link.bytesRead, 0);
  }
}
