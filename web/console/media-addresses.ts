/** At which addresses devices in the same network can open links: what the gateway offers, and what this browser can reach. */

import { type Answer, call } from './api.ts';
import type { Edit } from './setup-edits.ts';

export type MediaAddresses = Answer<'console/getMediaAddresses'>;

/** The part of the page of a check that shows that it is ours. */
const MARK = 'data-sluice-check="works"';
const TRY_MS = 5_000;
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\..*|\[::1\]|0\.0\.0\.0)$/;
const PRIVATE =
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd]|\[fe80)|(?:\.local|\.lan|\.internal|\.home\.arpa)$/i;

/** Where a link opens. `elsewhere`: its host name or address may be anyone's. */
export type LinkReach = 'this-machine' | 'own-network' | 'elsewhere';

export function linkReach(url: string): LinkReach {
  const hostname = URL.parse(url)?.hostname ?? '';
  if (LOOPBACK.test(hostname)) return 'this-machine';
  return PRIVATE.test(hostname) ? 'own-network' : 'elsewhere';
}

export function readMediaAddresses(signal: AbortSignal): Promise<MediaAddresses> {
  return call('console/getMediaAddresses', {}, signal);
}

/** By URL: whether the page of a check opened there in this browser. */
export async function tryAddresses(
  urls: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, boolean>> {
  const { checkId } = await call('console/createPublicUrlCheck', {}, signal);
  const results = await Promise.all(
    urls.map(
      async (url) => [url, await opens(`${url.replace(/\/$/, '')}/reach/${checkId}`, signal)] as const,
    ),
  );
  return new Map(results);
}

/** The page's policy allows the addresses that the gateway had when the page was loaded. */
async function opens(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]);
    const response = await fetch(url, { cache: 'no-store', credentials: 'omit', signal: limit });
    return response.ok && (await response.text()).includes(MARK);
  } catch {
    // Refused, silent, another certificate, or forbidden by the browser: it does not open.
    return false;
  }
}

/** The edits with which links begin with an address of this machine, and open there. */
export function editsFor(url: string, { isLoopbackOnly, port }: MediaAddresses): readonly Edit[] {
  return [
    ...(isLoopbackOnly ? [{ path: 'listen.media', action: 'SET', value: `0.0.0.0:${port}` } as const] : []),
    { path: 'public.mediaUrl', action: 'SET', value: url },
  ];
}
