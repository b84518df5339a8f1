/**
 * `/websocket`: the real-time stream as a WebSocket that carries STOMP 1.2. Clients send credentials in the headers of the CONNECT frame,
 * because pages cannot set the headers of a WebSocket handshake; clients that can may also send them there. The console's pages send their
 * cookie with the handshake, and need not name a scheme: then the handshake must show that a page of the API itself opened the WebSocket,
 * because browsers open them for pages of any origin.
 */

import type { IncomingHttpHeaders } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { grantOf, keyOf } from '../accounts/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RateLimiter, RateVerdict } from '../counters/rate-limiter.ts';
import type { ChangeListener, ChangeTopics } from '../realtime/change-topics.ts';
import { REALTIME_ERRORS } from '../realtime/errors.ts';
import { MAX_STOMP_BODY_BYTES, MAX_STOMP_HEAD_BYTES } from '../realtime/stomp-parser.ts';
import type { StompTransport } from '../realtime/stomp-session.ts';
import { isSameScope } from '../store/access-scope.ts';
import {
  ACCESS_TOKEN_HEADER,
  API_KEY_HEADER,
  type AuthenticationParts,
  authenticate,
  CLIENT_ORG_HEADER,
  CONSOLE_SCHEME,
  SCHEME_HEADER,
} from './authentication.ts';
import { consoleTokenIn } from './console-cookie.ts';

export const CHANGE_STREAM_PATH = '/websocket';

const SUBPROTOCOL = 'v12.stomp';
const CREDENTIAL_HEADERS = [
  API_KEY_HEADER,
  SCHEME_HEADER,
  CLIENT_ORG_HEADER,
  ACCESS_TOKEN_HEADER,
  'authorization',
] as const;
/** Secrets never: addresses end up in logs. */
const ADDRESSED_HEADERS = [SCHEME_HEADER, CLIENT_ORG_HEADER] as const;
/** How long a client has to respond to a close frame with its own. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Rechecking an admitted caller does not count as one of their attempts. */
const ALLOWED: RateVerdict = {
  isAllowed: true,
  limit: 1,
  remaining: 1,
  windowSec: 0,
  resetSec: 0,
  retryAfterSec: 0,
};
const UNCOUNTED: RateLimiter = { take: async () => ALLOWED, peek: async () => ALLOWED };

/** The part of the `ws` package's WebSocket that is used. */
interface ServerSocket {
  readonly bufferedAmount: number;
  send(data: string | Buffer, options: { binary: boolean }): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'pong' | 'close' | 'error', listener: () => void): void;
}

export interface ChangeTopicRouteOptions {
  readonly topics: ChangeTopics;
  readonly authentication: AuthenticationParts;
  readonly clock: Clock;
}

/** Registers in the root scope. Open connections end before the listener closes. */
export async function changeTopicRoute(
  api: FastifyInstance,
  options: ChangeTopicRouteOptions,
): Promise<void> {
  const { topics, authentication, clock } = options;
  await api.register(websocket, {
    options: {
      maxPayload: MAX_STOMP_HEAD_BYTES + MAX_STOMP_BODY_BYTES,
      perMessageDeflate: false,
      handleProtocols: (offered: ReadonlySet<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    },
    preClose: (done) => {
      topics.close();
      api.websocketServer.close();
      done();
    },
  });
  // In a scope of its own: the plugin watches the routes that are registered after it.
  await api.register(async (scope) => {
    const wsHandler = (socket: ServerSocket, request: FastifyRequest) => {
      const { ip } = request;
      const headers = withAddressedNames(request);
      const session = topics.open(transportOf(socket, clock), ip, (connect) =>
        listenerOf(credentialsOf(headers, connect, authentication), ip, authentication),
      );
      socket.on('message', (data) => session.receive(data));
      socket.on('pong', () => session.noteAlive());
      socket.on('close', () => session.lost());
    };
    const handler = async () => {
      throw new GatewayError(REALTIME_ERRORS.WEBSOCKET_EXPECTED);
    };
    scope.route({ method: 'GET', url: CHANGE_STREAM_PATH, handler, wsHandler });
  });
}

function transportOf(socket: ServerSocket, clock: Clock): StompTransport {
  return {
    send: (bytes) => socket.send(bytes, { binary: false }),
    bufferedBytes: () => socket.bufferedAmount,
    ping: () => socket.ping(),
    close: (code, reason) => {
      socket.close(code, reason);
      const timer = clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
      socket.on('close', () => timer.cancel());
    },
    terminate: () => socket.terminate(),
  };
}

/** The handshake's headers. Some clients name the scheme and the organization in the query, and send a key in a header. */
function withAddressedNames({ headers, query }: FastifyRequest): IncomingHttpHeaders {
  const named = ADDRESSED_HEADERS.flatMap((name): [string, string][] => {
    const value = (query as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(named), ...headers };
}

/** A frame that names any credential counts alone: credentials of two callers are never combined. */
function credentialsOf(
  handshake: IncomingHttpHeaders,
  connect: ReadonlyMap<string, string>,
  { consoleUrl }: Pick<AuthenticationParts, 'consoleUrl'>,
): IncomingHttpHeaders {
  const named = CREDENTIAL_HEADERS.filter((name) => connect.has(name));
  if (named.length === 0) return isOfConsole(handshake, consoleUrl) ? asConsole(handshake) : handshake;
  // Only the handshake can have the cookie.
  const isConsole = named.length === 1 && connect.get(SCHEME_HEADER) === CONSOLE_SCHEME;
  if (isConsole) return asConsole(handshake);
  return Object.fromEntries(named.map((name) => [name, connect.get(name)]));
}

/** A page that has only the cookie. Without `Origin`, nothing shows whose page it is. */
function isOfConsole(handshake: IncomingHttpHeaders, consoleUrl: string | null): boolean {
  if (consoleUrl === null) return false;
  const isBare = CREDENTIAL_HEADERS.every((name) => (handshake[name] ?? '') === '');
  return isBare && handshake.origin !== undefined && consoleTokenIn(handshake, consoleUrl) !== null;
}

function asConsole(handshake: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...handshake, [SCHEME_HEADER]: CONSOLE_SCHEME };
}

/** Fails AUTHENTICATION_FAILED, API_TOKEN_EXPIRED or API_RATE_LIMITED. */
async function listenerOf(
  headers: IncomingHttpHeaders,
  address: string,
  parts: AuthenticationParts,
): Promise<ChangeListener> {
  const caller = await authenticate(headers, address, 'api', parts, () => undefined);
  let keyEndsAtMs = keyOf(caller)?.expiresAtMs ?? null;
  return {
    orgUuid: caller.orgUuid,
    actorUuid: caller.actor.uuid,
    actorOrgUuid: caller.actor.orgUuid,
    scope: caller.scope,
    consoleSessionUuid: caller.principal.kind === 'person' ? caller.principal.session.uuid : null,
    grantUuid: grantOf(caller)?.uuid ?? null,
    endsAtMs: () => keyEndsAtMs,
    isStillAllowed: async () => {
      try {
        const uncounted = { ...parts, failures: UNCOUNTED, isRecheck: true };
        const now = await authenticate(headers, address, 'api', uncounted, () => undefined);
        keyEndsAtMs = keyOf(now)?.expiresAtMs ?? null;
        // With other rights, clients must read everything again.
        return now.orgUuid === caller.orgUuid && isSameScope(now.scope, caller.scope);
      } catch (thrown) {
        if (thrown instanceof GatewayError && thrown.kind === 'unauthenticated') return false;
        throw thrown;
      }
    },
  };
}
