/**
 * Load for large responses: connections that make the next request as soon as they have the whole response, and
 * ignore its content.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { hrtimeMs } from './child-module.ts';
import { HttpLink } from './http-link.ts';

export interface LoadResult {
  readonly answers: number;
  /** Including heads. */
  readonly bytes: number;
  readonly elapsedSec: number;
}

/** Fails if a response is not 200 or a connection breaks. */
export async function loadWith(url: string, connections: number, seconds: number): Promise<LoadResult> {
  const { port, pathname, search, host } = new URL(url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  let answers = 0;
  let failure: string | null = null;
  const links: HttpLink[] = [];
  const startMs = hrtimeMs();
  for (let i = 0; i < connections; i++) {
    const link: HttpLink = new HttpLink(Number(port), 0, {
      onAnswer: (status) => {
        if (status === 200) answers++;
        else failure = `status ${status}`;
        link.send(request);
      },
      onBroken: (reason) => {
        failure = reason;
      },
    });
    link.send(request);
    links.push(link);
  }
  await delay(seconds * 1_000);
  const elapsedSec = (hrtimeMs() - startMs) / 1_000;
  for (const link of links) link.close();
  if (failure !== null) throw new Error(`${url}: ${failure}`);
  const bytes = links.reduce((sum, link) => sum + link.bytesRead, 0);
  return { answers, bytes, elapsedSec };
}
