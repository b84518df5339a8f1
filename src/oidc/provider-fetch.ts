/** Reaches providers that organizations chose: like a webhook, at checked addresses, without redirects, and up to a limit. */

import type { Clock } from '../core/clock.ts';
import { type CallOutbound, outboundCaller } from '../webhooks/outbound-call.ts';
import type { ProviderFetch } from './provider-keys.ts';

const TIMEOUT_MS = 10_000;
/** Metadata, keys, tokens: providers with hundreds of keys need less. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Responses that cannot have a body (Fetch, "null body status"). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export interface ProviderFetchOptions {
  readonly clock: Clock;
  /** As for webhooks. */
  readonly allowPrivateNetworks: boolean;
  /** Default: HTTP. */
  readonly call?: CallOutbound | undefined;
}

/** What is fetched fails like a request of Node.js; its cause is the error of the call. */
export function boundedProviderFetch({
  clock,
  allowPrivateNetworks,
  call,
}: ProviderFetchOptions): ProviderFetch {
  const reach =
    call ??
    outboundCaller({ clock, allowPrivateNetworks, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES });
  return async (address, init = {}) => {
    const common = {
      url: new URL(address),
      headers: Object.fromEntries(new Headers(init.headers)),
      signal: init.signal ?? new AbortController().signal,
    };
    const isPost = init.method?.toUpperCase() === 'POST';
    const request = isPost
      ? { ...common, body: String(init.body ?? '') }
      : { ...common, method: 'GET' as const };
    const { status, contentType, body } = await reach(request).catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause });
    });
    return new Response(BODILESS.has(status) ? null : body, {
      status,
      headers: contentType === null ? {} : { 'content-type': contentType },
    });
  };
}
