/** Viewers that request their playlist at a steady pace, and how long each response takes. */

import { setTimeout as delay } from 'node:timers/promises';
import { hrtimeMs } from '../../support/child-module.ts';
import { HttpLink } from '../../support/http-link.ts';
import { requestText } from '../../support/http-load.ts';

/** Rate of all viewers together: far below the gateway's limit, so that only disturbances show. */
const REQUESTS_PER_SEC = 400;

interface Client {
  readonly link: HttpLink;
  readonly request: string;
  sentMs: number;
  isWaiting: boolean;
}

export class Steady {
  readonly #clients: Client[];
  #latencies: number[] = [];
  #failure: string | null = null;

  constructor(playlistUrls: readonly string[]) {
    this.#clients = playlistUrls.map((url) => {
      const client: Client = {
        request: requestText(url),
        sentMs: 0,
        isWaiting: false,
        link: new HttpLink(Number(new URL(url).port), 0, {
          onResponse: (status) => {
            client.isWaiting = false;
            if (status !== 200) this.#failure = `status ${status}`;
            this.#latencies.push(hrtimeMs() - client.sentMs);
          },
          onBroken: (reason) => {
            this.#failure = reason;
          },
        }),
      };
      return client;
    });
  }

  /** Milliseconds that each response took, over `forMs`, while `meanwhile` runs. */
  async measure(forMs: number, meanwhile: () => Promise<void> = async () => undefined): Promise<number[]> {
    this.#latencies = [];
    const other = meanwhile();
    const startMs = hrtimeMs();
    for (let sent = 0; hrtimeMs() - startMs < forMs; sent++) {
      const dueMs = startMs + (sent * 1_000) / REQUESTS_PER_SEC;
      const leftMs = dueMs - hrtimeMs();
      if (leftMs > 0) await delay(leftMs);
      const client = this.#clients[sent % this.#clients.length]!;
      if (client.isWaiting) continue;
      client.isWaiting = true;
      client.sentMs = hrtimeMs();
      client.link.send(client.request);
    }
    await other;
    if (this.#failure !== null) throw new Error(this.#failure);
    return this.#latencies;
  }

  close(): void {
    for (const { link } of this.#clients) link.close();
  }
}
