/** The management API as a Fastify instance, ready to listen or to be called through `inject`. */

import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { grantOf, keyOf } from '../accounts/caller.ts';
import { Callers } from '../accounts/callers.ts';
import type { MapTiles } from '../accounts/console-services.ts';
import type { EndedCredentials } from '../accounts/ended-credentials.ts';
import { OidcSignIn } from '../accounts/oidc-sign-in.ts';
import type { SignInAudit } from '../accounts/sign-in.ts';
import { actAs } from '../audit/acting-principal.ts';
import { ConnectionTable } from '../connections/connection-table.ts';
import type { HttpListener } from '../connections/http-listener.ts';
import { consoleRoutes } from '../console/console-routes.ts';
import { mailRoutes } from '../console/mail-routes.ts';
import { oidcProviderRoutes } from '../console/oidc-provider-routes.ts';
import { type ConsoleSso, OIDC_CALLBACK_PATH, oidcRoutes } from '../console/oidc-routes.ts';
import { samlRoutes } from '../console/saml-routes.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { MetricsText, Readiness } from '../core/readiness.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { type CreateRateLimiter, memoryRateLimiters } from '../counters/rate-limiter.ts';
import { ADDRESS_POLICY, type AdmissionParts } from '../http/admission.ts';
import { auditedUserAgent } from '../http/audit-principal.ts';
import { createSuspectLookUps } from '../http/authentication.ts';
import { changeTopicRoute } from '../http/change-topic-route.ts';
import { respondClientError } from '../http/client-error.ts';
import { endpointRoutes } from '../http/endpoint-routes.ts';
import { API_ERRORS } from '../http/errors.ts';
import { refuseUnderPressure } from '../http/event-loop-pressure.ts';
import { failureResponse } from '../http/failure-response.ts';
import { type ApiLimits, DEFAULT_API_LIMITS } from '../http/limits.ts';
import { openApiDocument } from '../http/openapi/openapi.ts';
import { openApiPage } from '../http/openapi/openapi-page.ts';
import { operationsRoutes } from '../http/operations-routes.ts';
import { RequestLimits } from '../http/request-limits.ts';
import { responseSerializer } from '../http/response-serializer.ts';
import { SECURITY_TEXT_PATH, type SecurityText, sendSecurityText } from '../http/security-text.ts';
import { refuseWhileClosing } from '../http/shutdown.ts';
import { methodNotAllowed, UnknownPaths } from '../http/unknown-path.ts';
import { OidcClient } from '../oidc/oidc-client.ts';
import { ProviderSchedule } from '../oidc/provider-schedule.ts';
import type { ChangeTopics } from '../realtime/change-topics.ts';
import { type ApiServiceParts, type ApiServices, createApiServices } from '../services/api-services.ts';
import { ScopeViews } from '../store/scope-views.ts';
import { ENDPOINTS } from './endpoints.ts';
import { bearerChallenge, oauthAddresses } from './oauth/discovery.ts';
import { OAUTH_OPERATIONS } from './oauth/oauth-operations.ts';
import { oauthRoutes } from './oauth/oauth-routes.ts';
import { REGISTRATION_POLICY } from './oauth/registration-route.ts';
import { scimRoutes } from './scim/scim-routes.ts';

export interface ApiOptions
  extends Omit<ApiServiceParts, 'signInLimiters' | 'signInAudit' | 'consoleAddresses' | 'ssoLabel'> {
  /** Where failed sign-ins are recorded. */
  readonly signInFailed: SignInAudit['signInFailed'];
  readonly log: Log;
  readonly limits?: Partial<ApiLimits>;
  /** Listener of its server for features besides HTTP/1.1; absent: none. */
  readonly listener?: HttpListener;
  /** The base address at which callers reach this API. */
  readonly publicApiUrl: string;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: () => Promise<MetricsText>;
  /** The token that readers of the metrics must send; undefined: none. */
  readonly metricsToken?: Secret | undefined;
  /** What /.well-known/security.txt contains; absent or null: it does not exist. */
  readonly securityText?: SecurityText | null;
  /** Tiles of the console's street map; null or absent: it has none. */
  readonly mapTiles?: MapTiles | null;
  /** The sign-in provider, and whose console it opens; null or absent: none is configured. */
  readonly sso?: ConsoleSso | null;
  /** As in Callers. */
  readonly endedCredentials?: EndedCredentials | undefined;
  /** Subscribers to changes; absent: no real-time stream. */
  readonly changeTopics?: ChangeTopics;
  /** What callers with limited rights see; absent: its own. Closed with the API. */
  readonly views?: ScopeViews;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[];
  /** Where rate limits keep their buckets, by policy. Default: in this process. */
  readonly createRateLimiter?: CreateRateLimiter;
  /** Origins whose pages may call the API, `*` for all. Keys are sent in headers, so credentials mode is not needed. */
  readonly corsOrigins?: readonly string[];
}

/** The names of the limits on attempts to sign in, where limits are stored. */
const SIGN_IN_POLICY = 'sign-in';
const SIGN_IN_STRANGERS_POLICY = 'sign-in-strangers';
const PROVIDER_VISITS_POLICY = 'oidc';
const SIGN_IN_ADDRESS_POLICY = 'sign-in-address';

/** The response headers that a page needs to read. */
const EXPOSED_HEADERS = [
  'Retry-After',
  'X-Request-Id',
  'X-Error-Code',
  'X-Error-Fields',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Idempotency-Replayed',
];
const PREFLIGHT_MAX_AGE_SEC = 86_400;

/** How often Node checks for late requests. */
const LATENESS_CHECK_MS = 5_000;

/** By base address: making one takes some 20 ms. */
const documents = new Map<string, object>();

function documentAt(publicApiUrl: string): object {
  const document = documents.get(publicApiUrl) ?? openApiDocument(ENDPOINTS, OAUTH_OPERATIONS, publicApiUrl);
  documents.set(publicApiUrl, document);
  return document;
}

/** Everything is decided here, once; the instance does not listen yet. Closing it ends its subscriptions. */
export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  const limits: ApiLimits = { ...DEFAULT_API_LIMITS, ...options.limits };
  const api = createServer(limits, options);
  await guard(api, limits, options.clock);
  await allowOrigins(api, options.corsOrigins ?? []);
  const addresses = oauthAddresses(options.publicApiUrl);
  const admission = admissionParts(api, limits, options, bearerChallenge(addresses));
  const createRateLimiter = rateLimiterOf(options);
  const perPerson = createRateLimiter(SIGN_IN_POLICY, limits.signInsPerPerson);
  const strangers = createRateLimiter(SIGN_IN_STRANGERS_POLICY, limits.signInsOfStrangers);
  const perAddress = createRateLimiter(SIGN_IN_ADDRESS_POLICY, limits.failedSignInsPerAddress);
  const oidcClient = openOidcClient(options);
  const views = options.views ?? new ScopeViews(options.store);
  api.addHook('onClose', async () => views.close());
  const { mapTiles = null } = options;
  const services = createApiServices(
    {
      ...options,
      ssoLabel: options.sso?.settings.label ?? null,
      signInLimiters: { perAddress, perPerson, strangers },
      signInAudit: { signInFailed: options.signInFailed, as: actAsPerson },
      consoleAddresses: {
        publicApiUrl: withoutTrailingSlashes(options.publicApiUrl),
        publicMediaUrl: withoutTrailingSlashes(options.mediaAddresses.mediaUrl),
        mapTiles,
      },
    },
    limits.requestsPerOrg.perSec,
  );
  await api.register(operationsRoutes, {
    readiness: options.readiness,
    metrics: options.metrics,
    metricsToken: options.metricsToken,
  });
  api.get(SECURITY_TEXT_PATH, async (_request, reply) => {
    if (sendSecurityText(reply, options.securityText ?? null, options.clock.epochMs())) return reply;
    throw new GatewayError(API_ERRORS.UNKNOWN_PATH, { path: SECURITY_TEXT_PATH });
  });
  await api.register(openApiPage, { document: documentAt(options.publicApiUrl) });
  await api.register(consoleRoutes, {
    publicApiUrl: options.publicApiUrl,
    publicMediaUrl: options.mediaAddresses.mediaUrl,
    mapTilesUrl: mapTiles?.url ?? null,
    mediaUrls: () => [...options.mediaAddresses.lanMediaUrls, ...options.system.mediaUrls()],
  });
  await api.register(mailRoutes, {
    links: services.mail.links,
    settings: services.notificationSettings,
    store: options.store,
    log: options.log,
  });
  await signInsAtProviders(api, options, services, oidcClient);
  await api.register(scimRoutes, {
    scim: services.scim,
    admission,
    log: options.log,
    bodyBytes: limits.bodyBytes,
  });
  const { changeTopics, clock } = options;
  if (changeTopics !== undefined) {
    await changeTopicRoute(api, { topics: changeTopics, authentication: admission.authentication, clock });
  }
  await api.register(endpointRoutes, {
    endpoints: ENDPOINTS,
    services,
    views,
    admission,
    clock,
    log: options.log,
    consoleUrl: options.publicApiUrl,
    stallTimeoutMs: limits.responseTimeoutMs,
  });
  await api.register(oauthRoutes, {
    addresses,
    admission,
    clock,
    grants: services.oauthGrants,
    applications: services.oauthApplications,
    registrations: rateLimiterOf(options)(REGISTRATION_POLICY, limits.registrationsPerOrg),
    issuer: addresses.issuer,
  });
  await api.ready();
  return api;
}

/** The navigations to and from providers, and the schedule by which they are looked at. */
async function signInsAtProviders(
  api: FastifyInstance,
  options: ApiOptions,
  services: ApiServices,
  client: OidcClient | null,
): Promise<void> {
  const { clock, log, publicApiUrl } = options;
  const { knownBrowsers: browsers, consoleSessions: sessions } = services;
  const { providerSignIn, providerSignOut, samlClient, samlSignIn, samlProviders } = services;
  const limit = LIMITS.failedProviderVisits.levels.address;
  const failures = rateLimiterOf(options)(PROVIDER_VISITS_POLICY, limit);
  const common = { publicApiUrl, log, failures, browsers };
  if (client !== null) {
    const { orgUuid } = options.sso!;
    const signIn = new OidcSignIn({ signIn: providerSignIn, settings: client.settings, orgUuid });
    await api.register(oidcRoutes, { ...common, client, signIn, signOut: providerSignOut, orgUuid });
  }
  await api.register(oidcProviderRoutes, {
    ...common,
    providers: services.oidcProviders,
    clients: services.oidcClients,
    signIn: services.storedOidcSignIn,
    signOut: providerSignOut,
    sessions,
  });
  await api.register(samlRoutes, { ...common, client: samlClient, signIn: samlSignIn, sessions });
  const looks = [() => samlProviders.refreshDue(), () => services.signInDomains.checkDue()];
  const schedule = new ProviderSchedule(looks, { clock, log });
  api.addHook('onClose', async () => schedule.close());
}

const actAsPerson: SignInAudit['as'] = ({ uuid, name }, { address, userAgent }, work) => {
  const client = { sourceIp: address, userAgent: auditedUserAgent(userAgent ?? undefined) };
  return actAs({ type: 'USER', uuid, name, ...client }, work);
};

function openOidcClient({ sso, publicApiUrl, clock, log }: ApiOptions): OidcClient | null {
  if (sso === null || sso === undefined) return null;
  const redirectUri = `${withoutTrailingSlashes(publicApiUrl)}${OIDC_CALLBACK_PATH}`;
  const { settings, sealingKey } = sso;
  return new OidcClient({ settings, sealingKey, purpose: 'console', redirectUri, clock, log });
}

function rateLimiterOf({ clock, createRateLimiter }: ApiOptions): CreateRateLimiter {
  return createRateLimiter ?? memoryRateLimiters(clock);
}

function admissionParts(
  api: FastifyInstance,
  limits: ApiLimits,
  options: ApiOptions,
  challenge: string,
): AdmissionParts {
  const { store, clock } = options;
  const createRateLimiter = rateLimiterOf(options);
  const callers = new Callers(store, clock, options.endedCredentials);
  api.addHook('onClose', () => callers.close());
  const failures = createRateLimiter(ADDRESS_POLICY, limits.failedAuthenticationsPerAddress);
  return {
    authentication: {
      callers,
      failures,
      suspectLookUps: createSuspectLookUps(),
      consoleUrl: options.publicApiUrl,
    },
    requestLimits: new RequestLimits(createRateLimiter, limits.requestsPerOrg),
    challenge,
  };
}

function createServer(
  limits: ApiLimits,
  { clock, log, changeTopics, listener, trustProxy = [] }: ApiOptions,
): FastifyInstance {
  const api = Fastify({
    ...listener?.serverOptions,
    logger: false,
    // Node applies the longer of the two to the whole request.
    http: { connectionsCheckingInterval: LATENESS_CHECK_MS, headersTimeout: limits.requestTimeoutMs },
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    return503OnClosing: false,
    handlerTimeout: limits.responseTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    genReqId: () => newRuuid(),
    clientErrorHandler: respondClientError,
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      respondFailure(error, request as FastifyRequest, reply as FastifyReply, log);
    },
  });
  const connections = new ConnectionTable({
    listener: 'api',
    limits: limits.connections,
    trustProxy,
    clock,
    log,
  });
  connections.guard(api.server);
  api.setSerializerCompiler(responseSerializer);
  api.decorate('connectionTable', connections);
  if (changeTopics !== undefined) connections.guardUpgrades(api.server);
  api.decorateRequest('caller', null);
  api.decorateRequest('warning', null);
  api.decorateRequest('scim', null);
  api.decorateRequest('bodyHash', '');
  api.setErrorHandler((error, request, reply) => respondFailure(error, request, reply, log));
  const methodsByPath = new Map<string, Set<string>>();
  api.addHook('onRoute', ({ url, method }) => {
    const path = withoutTrailingSlashes(url);
    methodsByPath.set(path, new Set([...(methodsByPath.get(path) ?? []), ...[method].flat()]));
  });
  const unknownPaths = new UnknownPaths([...ENDPOINTS, ...OAUTH_OPERATIONS].map(({ path }) => path));
  // Runs before Fastify looks at the body: its requirements for a body do not apply to an unknown path or method.
  api.addHook('preParsing', async (request) => {
    if (!request.is404) return;
    const path = withoutTrailingSlashes(request.url.split('?', 1)[0]!);
    const allowed = methodsByPath.get(path);
    throw allowed === undefined ? unknownPaths.failure(path) : methodNotAllowed([...allowed]);
  });
  api.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  });
  api.addHook('onResponse', async (request, reply) => logResponse(request, reply, log));
  return api;
}

async function guard(api: FastifyInstance, limits: ApiLimits, clock: Clock): Promise<void> {
  await api.register(helmet, {
    // Whether the name is served over TLS only is up to the proxy that terminates TLS.
    hsts: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
  refuseWhileClosing(api);
  refuseUnderPressure(api, clock, limits.maxEventLoopDelayMs);
}

/** Without origins, browsers let no other page read anything. */
async function allowOrigins(api: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await api.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['POST', 'GET'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SEC,
  });
}

function respondFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const { status, body, headers, error } = failureResponse(thrown, request.id, request.warning);
  const fields = { requestId: request.id, path: request.routeOptions.url ?? null, code: error.code };
  if (error.kind === 'internal') {
    log.error({ ...fields, err: error, cause: error.cause }, 'a request failed internally');
  } else {
    log.debug({ ...fields, context: error.context }, 'a request was refused');
  }
  // Sent as text, because a route's serializer describes success.
  return reply
    .code(status)
    .headers(headers)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body);
}

/** No headers and no bodies: they carry keys and passwords. The path is the route's, not the caller's text. */
function logResponse(request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const { caller } = request;
  const fields = {
    requestId: request.id,
    method: request.method,
    path: request.routeOptions.url ?? null,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
    orgUuid: caller?.orgUuid ?? null,
    keyUuid: caller === null ? null : (keyOf(caller)?.uuid ?? null),
    personUuid: caller?.principal.kind === 'person' ? caller.actor.uuid : null,
    clientUuid: caller === null ? null : (grantOf(caller)?.clientUuid ?? null),
  };
  if (reply.statusCode === 401 || reply.statusCode === 429) log.info(fields, 'API request turned away');
  else log.debug(fields, 'API request answered');
}
