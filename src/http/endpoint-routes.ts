/** Registers the endpoints on a Fastify instance: authentication, rate limit, body, handler, envelope. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/caller.ts';
import { actAs } from '../audit/acting-principal.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { ApiServices } from '../services/api-services.ts';
import { type ActingView, actWithin } from '../store/acting-view.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import { type AdmissionParts, admit, admitAnyone } from './admission.ts';
import { principalOf } from './audit-principal.ts';
import {
  browserProofIn,
  consoleCookie,
  consoleTokenIn,
  knownBrowserCookie,
  passkeyCookie,
  passkeyTokenIn,
} from './console-cookie.ts';
import { departureOf } from './departure.ts';
import { CallContext, type Endpoint } from './endpoint.ts';
import { API_ERRORS } from './errors.ts';
import { hashOfBody, IDEMPOTENCY_KEY_HEADER, respondOnce } from './idempotency-key.ts';
import { parseJsonBody } from './request-body.ts';
import { sendFile, sendResponse } from './send-response.ts';

/**
 * 2026-01-01T00:00Z, in the format of RFC 9745 §2.1. The specification (docs/spec/conventions.md#versioning) deprecated
 * these from the start.
 */
const DEPRECATED_SINCE = '@1767225600';

/** Endpoints that do not accept sessions accept the credentials of their scheme. */
const ACCESS_BY_SESSIONS = { any: 'viewing-device', 'all-devices': 'viewing', none: undefined } as const;

export interface EndpointRoutesOptions {
  readonly endpoints: readonly Endpoint[];
  readonly services: ApiServices;
  readonly views: ScopeViews;
  readonly admission: AdmissionParts;
  readonly clock: Clock;
  readonly log: Log;
  /** The base address of the API: decides whether the console's cookie is for https alone. */
  readonly consoleUrl: string;
  /** A client that reads nothing of a long response for this long is cut off. */
  readonly stallTimeoutMs: number;
}

/** Registers in an encapsulated scope: its body parser and hooks apply to the endpoints only. */
export async function endpointRoutes(api: FastifyInstance, options: EndpointRoutesOptions): Promise<void> {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'string' }, (request: FastifyRequest, body: string) => {
    if (request.headers[IDEMPOTENCY_KEY_HEADER] !== undefined) request.bodyHash = hashOfBody(body);
    return parseJsonBody(body);
  });
  const sending = { clock: options.clock, stallTimeoutMs: options.stallTimeoutMs };
  for (const endpoint of options.endpoints) {
    api.route({
      method: 'POST',
      url: endpoint.path,
      schema: { response: { 200: endpoint.responseSchema } },
      onRequest: async (request, reply) => {
        const access = ACCESS_BY_SESSIONS[endpoint.sessions] ?? endpoint.scheme;
        if (endpoint.isOpen) await admitAnyone(request, reply, options.admission);
        else await admit(request, reply, { ...endpoint, access }, options.admission);
        if (endpoint.isDeprecated) reply.header('deprecation', DEPRECATED_SINCE);
        expectJson(request);
      },
      handler: async (request, reply) => {
        const { caller, headers, ip } = request;
        if (caller === null && !endpoint.isOpen) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
        const context = new CallContext(caller, options.services, clientOf(request, options.consoleUrl), () =>
          departureOf(reply),
        );
        const principal = principalOf(caller, ip, headers['user-agent']);
        try {
          const once = { endpoint, request, reply, log: options.log };
          const view = await viewOf(caller, endpoint, options.views);
          const response = await actWithin(view, () =>
            actAs(principal, () => respondOnce(context, once, () => endpoint.respond(context, request.body))),
          );
          const { changedSession, browserToken, browserProof } = context;
          if (changedSession !== undefined) {
            reply.header('set-cookie', consoleCookie(changedSession, options.consoleUrl));
          }
          if (browserToken !== null) {
            reply.header('set-cookie', passkeyCookie(browserToken, options.consoleUrl));
          }
          if (browserProof !== null) {
            reply.header('set-cookie', knownBrowserCookie(browserProof, options.consoleUrl));
          }
          if (endpoint.file !== null) return sendFile(reply, endpoint.file, response);
          return await actWithin(view, () => sendResponse(reply, response, sending));
        } catch (failure) {
          request.warning = context.warning;
          throw failure;
        }
      },
    });
  }
}

/** null: the call sees everything. A limited caller sees nothing else than this. */
async function viewOf(
  caller: Caller | null,
  { limited }: Endpoint,
  views: ScopeViews,
): Promise<ActingView | null> {
  if (caller === null || caller.scope === null || limited === 'organization') return null;
  return views.viewOf(caller.orgUuid, caller.scope);
}

function clientOf({ headers, ip }: FastifyRequest, consoleUrl: string): CallContext['client'] {
  return {
    address: ip,
    userAgent: headers['user-agent'] ?? null,
    sessionToken: consoleTokenIn(headers, consoleUrl),
    browserToken: passkeyTokenIn(headers, consoleUrl),
    browserProof: browserProofIn(headers, consoleUrl),
  };
}

/**
 * The specification's clients (docs/spec/conventions.md#requests) send JSON with any content type or none, and some send
 * one that is not a media type. The body is always read as JSON.
 */
function expectJson(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new GatewayError(API_ERRORS.UNSUPPORTED_BODY_ENCODING);
  }
  request.raw.headers['content-type'] = 'application/json';
}
