/**
 * One HTTP call to a host that someone else named. The name is resolved once, all its addresses are checked, and the connection goes to one
 * of them: a second response of the name server changes nothing. Redirects are not followed, and the response is read up to a limit.
 */

import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { isLate, untilAborted, withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { machineNameResolver } from '../names/machine-names.ts';
import { checkedLookup, type FoundAddress } from '../network/checked-lookup.ts';
import { BodyTooLong, callHttp, hostOf } from '../network/http-call.ts';
import { isPublicAddress } from './address-policy.ts';
import { WEBHOOK_ERRORS } from './errors.ts';

/** Longest response that is read, by default. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Every address of a name. */
export type ResolveHost = (hostname: string) => Promise<readonly FoundAddress[]>;

export interface OutboundCallOptions {
  readonly clock: Clock;
  /** Whether hosts in private and reserved networks can be called. */
  readonly allowPrivateNetworks: boolean;
  readonly timeoutMs: number;
  /** Longest response that is read. Default: 64 KiB. */
  readonly maxBytes?: number;
  /** Default: the resolver of the machine. */
  readonly resolveHost?: ResolveHost;
  /** Default: TCP to one of the addresses. */
  readonly connect?: () => Duplex;
}

export interface OutboundRequest {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

/** A request that only reads. */
export interface OutboundRead extends Omit<OutboundRequest, 'body'> {
  readonly method: 'GET';
}

export interface OutboundResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly contentType: string | null;
  readonly body: string;
}

export type PostOutbound = (request: OutboundRequest) => Promise<OutboundResponse>;
export type CallOutbound = (request: OutboundRequest | OutboundRead) => Promise<OutboundResponse>;

/** Apart from names of cameras, whose servers may be silent. Organizations share what calls (webhook-deliveries.ts). */
const NAMES = machineNameResolver();
const resolveWithMachine: ResolveHost = (hostname) => NAMES.addressesOf(hostname, hostname);

/**
 * Creates the function that posts, or reads. It fails WEBHOOK_HOST_UNKNOWN, WEBHOOK_ADDRESS_REFUSED,
 * WEBHOOK_CONNECTION_FAILED, WEBHOOK_TIMED_OUT, WEBHOOK_ANSWER_TOO_LARGE; any status is a response.
 */
export function outboundCaller(options: OutboundCallOptions): CallOutbound {
  const { clock, allowPrivateNetworks, timeoutMs, resolveHost = resolveWithMachine } = options;
  return (request) => {
    const call = async (signal: AbortSignal): Promise<OutboundResponse> => {
      try {
        const host = hostOf(request.url);
        const addresses = await untilAborted(addressesOf(host, resolveHost), signal);
        if (!allowPrivateNetworks && !addresses.every(({ address }) => isPublicAddress(address))) {
          throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_ADDRESS_REFUSED, { host });
        }
        return await untilAborted(send(request, addresses, signal, options), signal);
      } catch (thrown) {
        throw isLate(signal) ? new GatewayError(WEBHOOK_ERRORS.WEBHOOK_TIMED_OUT) : thrown;
      }
    };
    return withDeadline(clock, timeoutMs, call, request.signal);
  };
}

async function addressesOf(hostname: string, resolveHost: ResolveHost): Promise<readonly FoundAddress[]> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  const addresses = await resolveHost(hostname).catch((cause: unknown) => {
    throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_HOST_UNKNOWN, { host: hostname }, cause);
  });
  if (addresses.length === 0) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_HOST_UNKNOWN, { host: hostname });
  return addresses;
}

async function send(
  request: OutboundRequest | OutboundRead,
  addresses: readonly FoundAddress[],
  signal: AbortSignal,
  { connect, maxBytes = MAX_RESPONSE_BYTES }: Pick<OutboundCallOptions, 'connect' | 'maxBytes'>,
): Promise<OutboundResponse> {
  const { url, headers } = request;
  const body = 'method' in request ? null : Buffer.from(request.body);
  const pinned = { agent: false, lookup: checkedLookup(async () => addresses) } as const;
  const length = body === null ? {} : { 'content-length': String(body.length) };
  try {
    const response = await callHttp(
      {
        url,
        ...(body === null ? {} : { method: 'POST', body }),
        signal,
        headers: { ...headers, ...length, connection: 'close' },
        connection: connect === undefined ? pinned : { createConnection: connect },
      },
      maxBytes,
    );
    const { status, message } = response;
    const { 'retry-after': retryAfter = null, 'content-type': contentType = null } = message.headers;
    return { status, retryAfter, contentType, body: response.body.toString() };
  } catch (cause) {
    if (cause instanceof BodyTooLong) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_ANSWER_TOO_LARGE);
    throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_CONNECTION_FAILED, { host: url.hostname }, cause);
  }
}
