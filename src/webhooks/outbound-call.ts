/**
 * One HTTP call to a host that someone else named. The name is resolved once, every address it has is checked, and
 * the connection goes to one of those addresses: a second name server response changes nothing. Redirects are not
 * followed, and the response is read up to a limit.
 */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { machineNameResolver } from '../names/machine-names.ts';
import { isPublicAddress } from './address-policy.ts';
import { WEBHOOK_ERRORS } from './errors.ts';

/** Longest response that is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_ANSWER_HEADER_BYTES = 16 * 1024;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface OutboundCallOptions {
  readonly clock: Clock;
  /** Whether hosts in private and reserved networks can be called. */
  readonly allowPrivateNetworks: boolean;
  readonly timeoutMs: number;
  /** Default: asks what the machine asks. */
  readonly resolveHost?: ResolveHost;
  /** Default: TCP to one of the addresses. */
  readonly connect?: () => Duplex;
}

export interface OutboundRequest {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

export type PostOutbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

/** Apart from names of cameras, whose servers may be silent. Organizations share what calls (webhook-deliveries.ts). */
const NAMES = machineNameResolver();
const resolveWithMachine: ResolveHost = (hostname) => NAMES.addressesOf(hostname, hostname);

/**
 * Creates the function that posts. It fails WEBHOOK_HOST_UNKNOWN, WEBHOOK_ADDRESS_REFUSED,
 * WEBHOOK_CONNECTION_FAILED, WEBHOOK_TIMED_OUT, WEBHOOK_ANSWER_TOO_LARGE; any status is a response.
 */
export function outboundCaller(options: OutboundCallOptions): PostOutbound {
  const { clock, allowPrivateNetworks, timeoutMs, resolveHost = resolveWithMachine, connect } = options;
  return async (request) => {
    const deadline = new AbortController();
    const timer = clock.after(timeoutMs, () => deadline.abort(timedOut()));
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    try {
      const hostname = request.url.hostname.replace(/^\[|\]$/g, '');
      const addresses = await untilAborted(addressesOf(hostname, resolveHost), signal);
      if (!allowPrivateNetworks && !addresses.every(({ address }) => isPublicAddress(address))) {
        throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_ADDRESS_REFUSED, { host: hostname });
      }
      return await untilAborted(post(request, addresses, signal, connect), signal);
    } catch (thrown) {
      if (deadline.signal.aborted) throw timedOut();
      throw thrown;
    } finally {
      timer.cancel();
    }
  };
}

async function addressesOf(hostname: string, resolveHost: ResolveHost): Promise<readonly ResolvedAddress[]> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  const addresses = await resolveHost(hostname).catch((cause: unknown) => {
    throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_HOST_UNKNOWN, { host: hostname }, cause);
  });
  if (addresses.length === 0) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_HOST_UNKNOWN, { host: hostname });
  return addresses;
}

/** Anything slow, or that never ends, must not outlast the call. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

function post(
  { url, headers, body }: OutboundRequest,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
  connect: OutboundCallOptions['connect'],
): Promise<OutboundAnswer> {
  const bytes = Buffer.from(body);
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const call: ClientRequest = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(bytes.length), connection: 'close' },
    ...(connect === undefined ? { agent: false } : { createConnection: connect }),
    signal,
    lookup: fixedLookup(addresses),
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
  });
  call.on('error', (cause) => reject(connectionFailed(url, cause)));
  // No one expects a protocol change: without a listener, the call would end silently (RFC 9110 §15.2.2).
  call.on('upgrade', (_answer, socket) => {
    socket.destroy();
    reject(connectionFailed(url, new Error('the host changes the protocol')));
  });
  call.on('response', (answer) => {
    readAnswer(answer).then(resolve, (thrown: unknown) => {
      call.destroy();
      reject(thrown instanceof GatewayError ? thrown : connectionFailed(url, thrown));
    });
  });
  call.end(bytes);
  return promise;
}

/** Returns the checked addresses, whatever is requested. */
function fixedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

async function readAnswer(answer: IncomingMessage): Promise<OutboundAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_ANSWER_TOO_LARGE);
    chunks.push(chunk);
  }
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'] ?? null,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function connectionFailed(url: URL, cause: unknown): GatewayError {
  return new GatewayError(WEBHOOK_ERRORS.WEBHOOK_CONNECTION_FAILED, { host: url.hostname }, cause);
}

function timedOut(): GatewayError {
  return new GatewayError(WEBHOOK_ERRORS.WEBHOOK_TIMED_OUT);
}
