/**
 * The OAuth routes that are not endpoints of the usual form: authorization, token, revocation and the discovery
 * documents. Token and revocation report failures as in RFC 6749 §5.2, where `error` is a word, not a flag.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import { actAs } from '../../audit/acting-principal.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { RateVerdict } from '../../counters/rate-limiter.ts';
import { ADDRESS_POLICY, admit } from '../../http/admission.ts';
import { auditedUserAgent, principalOf } from '../../http/audit-principal.ts';
import { countFailure, rateLimited } from '../../http/authentication.ts';
import { API_ERRORS } from '../../http/errors.ts';
import { setQuotaHeaders } from '../../http/quota-headers.ts';
import type { AuditPrincipal } from '../../store/audit.ts';
import type { OAuthApplication } from '../../store/oauth.ts';
import { type AuthorizationParts, authorize, type Query } from './authorization-request.ts';
import { AUTHORIZATION_RESPONSE_SCHEMA, authorizationResponse } from './authorization-response.ts';
import {
  AUTHORIZE_PATH,
  type OAuthAddresses,
  REVOKE_PATH,
  resourceMetadata,
  serverMetadata,
  TOKEN_PATH,
  withShortPath,
} from './discovery.ts';
import { OAUTH_PROTOCOL_NAMES } from './errors.ts';
import { type RegistrationRouteOptions, registrationRoute } from './registration-route.ts';
import {
  authenticateClient,
  issueTokens,
  parseTokenParameters,
  requiredParameter,
  type TokenParameters,
} from './token-request.ts';

/** Token requests are a handful of short values. */
const TOKEN_BODY_BYTES = 32 * 1024;

/** The documents only change with a release. */
const DISCOVERY_CACHE_CONTROL = 'public, max-age=3600';

export interface OAuthRoutesOptions extends AuthorizationParts, RegistrationRouteOptions {
  readonly addresses: OAuthAddresses;
  readonly clock: Clock;
}

/** Registers in an encapsulated scope: its body parser and error names apply to these routes only. */
export async function oauthRoutes(api: FastifyInstance, options: OAuthRoutesOptions): Promise<void> {
  discoveryRoutes(api, options.addresses);
  for (const path of withShortPath(AUTHORIZE_PATH)) authorizeRoute(api, path, options);
  await api.register(async (scope) => tokenRoutes(scope, options));
  await api.register(registrationRoute, options);
}

function authorizeRoute(api: FastifyInstance, path: string, options: OAuthRoutesOptions): void {
  api.get(
    path,
    {
      // A HEAD request would create a code that does not reach the client.
      exposeHeadRoute: false,
      schema: { response: { 200: AUTHORIZATION_RESPONSE_SCHEMA } },
      onRequest: async (request, reply) => {
        await admit(request, reply, { access: 'api', role: 'admin', limited: 'refused' }, options.admission);
      },
    },
    async (request) => {
      const { caller } = request;
      if (caller === null) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
      const principal = principalOf(caller, request.ip, request.headers['user-agent']);
      const outcome = await actAs(principal, () => authorize(request.query as Query, caller, options));
      return authorizationResponse(outcome, options.clock.epochMs());
    },
  );
}

function discoveryRoutes(api: FastifyInstance, addresses: OAuthAddresses): void {
  const documents = [
    [addresses.serverDocumentPaths, serverMetadata(addresses)],
    [addresses.resourceDocumentPaths, resourceMetadata(addresses)],
  ] as const;
  for (const [paths, document] of documents) {
    for (const path of paths) {
      api.get(path, async (_request, reply) => {
        return reply.header('cache-control', DISCOVERY_CACHE_CONTROL).send(document);
      });
    }
  }
}

function tokenRoutes(api: FastifyInstance, options: OAuthRoutesOptions): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'string', bodyLimit: TOKEN_BODY_BYTES }, (request, body, done) => {
    try {
      done(null, parseTokenParameters(String(body), request.headers['content-type']));
    } catch (failure) {
      done(failure as Error);
    }
  });
  api.setErrorHandler((error, request, reply) => respondProtocolError(error, request, reply));
  const issue = async (request: FastifyRequest, reply: FastifyReply) => {
    const { application, parameters } = await admitClient(request, reply, options);
    return actAs(principalOfClient(application, request), () =>
      issueTokens(application, parameters, options),
    );
  };
  const revoke = async (request: FastifyRequest, reply: FastifyReply) => {
    const { application, parameters } = await admitClient(request, reply, options);
    const token = requiredParameter(parameters, 'token');
    await actAs(principalOfClient(application, request), () =>
      options.grants.revokeToken(application, token),
    );
    return {};
  };
  for (const path of withShortPath(TOKEN_PATH)) api.post(path, issue);
  for (const path of withShortPath(REVOKE_PATH)) api.post(path, revoke);
}

/** Identifies and admits the client: like `admit`, for an application that sends its secret, if it has one. */
async function admitClient(
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, applications }: OAuthRoutesOptions,
): Promise<{ readonly application: OAuthApplication; readonly parameters: TokenParameters }> {
  const parameters = (request.body as TokenParameters | undefined) ?? new Map<string, string>();
  let application: OAuthApplication;
  try {
    application = await authenticateClient(request.headers.authorization, parameters, applications);
  } catch (failure) {
    if (isProtocolError(failure)) {
      const showQuota = (verdict: RateVerdict) => setQuotaHeaders(reply, ADDRESS_POLICY, verdict);
      await countFailure(request.ip, admission.authentication.failures, showQuota);
    }
    throw failure;
  }
  if (application.secretHash === null) {
    // Anyone can name a public client: the requests count as an unknown caller's do, not against its organization.
    await countFailure(request.ip, admission.authentication.failures, (verdict) =>
      setQuotaHeaders(reply, ADDRESS_POLICY, verdict),
    );
    return { application, parameters };
  }
  const { policy, verdict } = await admission.requestLimits.takeForApplication(
    application.orgUuid,
    application.uuid,
  );
  setQuotaHeaders(reply, policy, verdict);
  if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  return { application, parameters };
}

/** The principal who ends grants with this request, as recorded in the audit trail. */
function principalOfClient(application: OAuthApplication, request: FastifyRequest): AuditPrincipal {
  const userAgent = auditedUserAgent(request.headers['user-agent']);
  return {
    type: 'API_OAUTH_TOKEN',
    uuid: application.uuid,
    name: application.name,
    sourceIp: request.ip,
    userAgent,
  };
}

/** Failures that OAuth has a name for. All others are reported as usual. */
function respondProtocolError(failure: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isProtocolError(failure)) throw failure;
  const { sentence } = failure.context;
  const description = typeof sentence === 'string' ? sentence : failure.message;
  const isClientUnknown = failure.code === ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT.code;
  if (isClientUnknown && request.headers.authorization !== undefined) {
    reply.header('www-authenticate', 'Basic realm="oauth"');
  }
  return reply.code(isClientUnknown ? 401 : 400).send({
    error: OAUTH_PROTOCOL_NAMES[failure.code],
    error_description: description,
    errorMsg: description,
  });
}

function isProtocolError(
  failure: unknown,
): failure is GatewayError & { readonly code: keyof typeof OAUTH_PROTOCOL_NAMES } {
  return failure instanceof GatewayError && Object.hasOwn(OAUTH_PROTOCOL_NAMES, failure.code);
}
