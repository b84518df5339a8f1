/** Puts the endpoints on a Fastify instance: authentication, rate limit, body, handler, envelope. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type AuthenticationParts, authenticate, rateLimited } from './authentication.ts';
import { CallContext, type Endpoint } from './endpoint.ts';
import { API_ERRORS } from './errors.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { parseJsonBody } from './request-body.ts';
import type { ApiServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is known: whose data the request is about, and the key, for the log. */
    callerOrgUuid: Ruuid | null;
    callerKeyUuid: Ruuid | null;
  }
}

export interface EndpointRoutesOptions {
  readonly endpoints: readonly Endpoint[];
  readonly services: ApiServices;
  readonly authentication: AuthenticationParts;
  readonly requestsPerOrg: RateLimiter;
}

/** Registers in an encapsulated scope: its body parser and hooks concern the endpoints alone. */
export async function endpointRoutes(api: FastifyInstance, options: EndpointRoutesOptions): Promise<void> {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(String(body)));
    } catch (failure) {
      done(failure as Error);
    }
  });
  for (const endpoint of options.endpoints) {
    api.route({
      method: 'POST',
      url: endpoint.path,
      schema: { response: { 200: endpoint.responseSchema } },
      onRequest: (request, reply) => admit(request, reply, endpoint, options),
      handler: async (request) => {
        const orgUuid = request.callerOrgUuid;
        if (orgUuid === null) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
        return endpoint.answer(new CallContext(orgUuid, options.services), request.body);
      },
    });
  }
}

/** Everything that is decided before the body is read. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  options: EndpointRoutesOptions,
): Promise<void> {
  const caller = await authenticate(request.headers, request.ip, endpoint.scheme, options.authentication);
  request.callerOrgUuid = caller.orgUuid;
  request.callerKeyUuid = caller.key.uuid;
  const verdict = await options.requestsPerOrg.take(caller.orgUuid);
  reply.header('ratelimit-limit', verdict.limit);
  reply.header('ratelimit-remaining', verdict.remaining);
  reply.header('ratelimit-reset', verdict.resetSec);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new GatewayError(API_ERRORS.UNSUPPORTED_BODY_ENCODING);
  }
  // The specification's clients send JSON under any content type or none, and some send one that is no media type;
  // whatever they say, JSON is what is read.
  request.raw.headers['content-type'] = 'application/json';
}
