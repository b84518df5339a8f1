/**
 * The gateway's request to its own public URL. It requests only the URL that the operator configured, follows no redirect, and reads only
 * enough of the response to recognize its own page.
 */

import { promises as dns } from 'node:dns';
import { systemClock } from '../core/clock.ts';
import { untilAborted, withDeadline } from '../core/deadline.ts';
import { parseAddress } from '../core/ip-address.ts';
import { hostOf, openResponse, readStart } from '../network/http-call.ts';

/** In the page that the media listener sends for a check. */
export const PUBLIC_URL_MARK = 'data-sluice-check="works"';
const DEFAULT_TIMEOUT_MS = 8_000;
const MAX_BODY_BYTES = 16_384;
const MAX_TEXT_CHARS = 200;

/** The reach of an address: this machine, its own network, everyone. `unknown`: a name that was not looked up. */
export type AddressReach = 'this-machine' | 'own-network' | 'everyone' | 'unknown';

export type PublicUrlFault =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'tls-name'
  | 'tls-certificate'
  | 'tls'
  | 'closed'
  | 'redirected'
  | 'other-page'
  | 'failed';

export type PublicUrlOutcome =
  /** Our page came. */
  | { readonly kind: 'page' }
  | {
      readonly kind: 'fault';
      readonly fault: PublicUrlFault;
      /** The code of the system's error, the address of a redirect, a server's name; empty: nothing more is known. */
      readonly detail: string;
      /** null: no response came. */
      readonly status: number | null;
    };

export interface PublicUrlResponse {
  /** The addresses of the name, as resolved here. */
  readonly addresses: readonly string[];
  readonly reach: AddressReach;
  readonly outcome: PublicUrlOutcome;
}

/** `url`: with the check's ID, below the configured public URL. Never rejects. */
export function requestPublicUrl(
  url: URL,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<PublicUrlResponse> {
  return withDeadline(systemClock, timeoutMs, async (signal) => {
    try {
      const addresses = await untilAborted(addressesOf(hostOf(url)), signal);
      const outcome = await outcomeOf(url, signal).catch((error: unknown) => faultOf(error, signal));
      return { addresses, reach: reachOfAll(addresses), outcome };
    } catch (error) {
      return { addresses: [], reach: 'unknown', outcome: faultOf(error, signal) };
    }
  });
}

/** The reach of a numeric address. */
export function addressReach(text: string): AddressReach {
  const range = parseAddress(text)?.range();
  if (range === undefined) return 'unknown';
  if (range === 'loopback' || range === 'unspecified') return 'this-machine';
  return range === 'unicast' ? 'everyone' : 'own-network';
}

/** That of the address that reaches furthest. */
function reachOfAll(addresses: readonly string[]): AddressReach {
  const reaches = addresses.map(addressReach);
  return (
    (['everyone', 'own-network', 'this-machine'] as const).find((reach) => reaches.includes(reach)) ??
    'unknown'
  );
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await dns.lookup(host, { all: true })).map(({ address }) => address);
}

async function outcomeOf(url: URL, signal: AbortSignal): Promise<PublicUrlOutcome> {
  const headers = { 'user-agent': 'Sluice', accept: 'text/html', 'accept-encoding': 'identity' };
  // On a connection of its own: an existing one would prove nothing.
  const message = await openResponse({ url, headers, signal });
  const { statusCode: status = 0, headers: got } = message;
  if (status >= 300 && status < 400) {
    message.destroy();
    return { kind: 'fault', fault: 'redirected', detail: short(got.location ?? ''), status };
  }
  const { bytes } = await readStart(message, MAX_BODY_BYTES);
  if (status === 200 && bytes.includes(PUBLIC_URL_MARK)) return { kind: 'page' };
  return { kind: 'fault', fault: 'other-page', detail: short(String(got.server ?? '')), status };
}

const FAULTS: Readonly<Record<string, PublicUrlFault>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-name',
  EPROTO: 'tls',
};
const CERTIFICATE_CODE = /CERT|SIGNATURE|ISSUER|CRL/;

function faultOf(error: unknown, signal: AbortSignal): PublicUrlOutcome {
  const fault = (name: PublicUrlFault, detail: string): PublicUrlOutcome => ({
    kind: 'fault',
    fault: name,
    detail: short(detail),
    status: null,
  });
  if (signal.aborted) return fault('timeout', '');
  const code = codeOf(error);
  const known = FAULTS[code];
  if (known !== undefined) return fault(known, code);
  if (CERTIFICATE_CODE.test(code)) return fault('tls-certificate', code);
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return fault('tls', code);
  return fault(code.startsWith('HPE_') ? 'other-page' : 'failed', code);
}

/** With several addresses, Node reports all failures together; the first one is enough. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return errors?.[0] === undefined ? 'unknown' : codeOf(errors[0]);
}

/** Text of others, as one line. */
function short(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_TEXT_CHARS);
}
