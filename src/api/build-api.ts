/** The management API as a Fastify instance, ready to listen or to be asked through `inject`. */

import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { answerClientError } from './base/client-error.ts';
import { endpointRoutes } from './base/endpoint-routes.ts';
import { API_ERRORS } from './base/errors.ts';
import { failureResponse } from './base/failure-response.ts';
import { KeyCache } from './base/key-cache.ts';
import { type ApiLimits, DEFAULT_API_LIMITS } from './base/limits.ts';
import { openApiDocument } from './base/openapi.ts';
import { openApiPage } from './base/openapi-page.ts';
import {
  type MetricsText,
  OPERATIONS_PATHS,
  operationsRoutes,
  type Readiness,
} from './base/operations-routes.ts';
import { MemoryRateLimiter } from './base/rate-limiter.ts';
import type { ApiServices } from './base/services.ts';
import { ENDPOINTS } from './endpoints.ts';

export interface ApiOptions extends ApiServices {
  readonly log: Log;
  readonly limits?: Partial<ApiLimits>;
  /** The base address under which callers reach this API. */
  readonly publicApiUrl: string;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: () => Promise<MetricsText>;
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustProxy?: readonly string[];
  /** Origins whose pages may call the API, `*` for all. Keys go in headers, so no credentials mode is offered. */
  readonly corsOrigins?: readonly string[];
}

/** What a page needs to read of an answer. */
const EXPOSED_HEADERS = ['Retry-After', 'X-Request-Id'];
const PREFLIGHT_MAX_AGE_SEC = 86_400;

const UNDER_PRESSURE_RETRY_AFTER_SEC = 10;

/** Everything is decided here, once; nothing listens yet. Closing the instance ends its subscriptions. */
export async function buildApi(options: ApiOptions): Promise<FastifyInstance> {
  const limits: ApiLimits = { ...DEFAULT_API_LIMITS, ...options.limits };
  const api = createServer(limits, options);
  await guard(api, limits);
  await allowOrigins(api, options.corsOrigins ?? []);
  const keys = new KeyCache(options.store, options.clock);
  api.addHook('onClose', async () => keys.close());
  await api.register(operationsRoutes, { readiness: options.readiness, metrics: options.metrics });
  await api.register(openApiPage, { document: openApiDocument(ENDPOINTS, options.publicApiUrl) });
  await api.register(endpointRoutes, {
    endpoints: ENDPOINTS,
    services: servicesOf(options),
    authentication: {
      keys,
      organisations: options.store.organisations,
      failures: new MemoryRateLimiter(limits.failedAuthenticationsPerAddress, options.clock),
    },
    requestsPerOrg: new MemoryRateLimiter(limits.requestsPerOrg, options.clock),
  });
  await api.ready();
  return api;
}

function createServer(limits: ApiLimits, { log, trustProxy = [] }: ApiOptions): FastifyInstance {
  const api = Fastify({
    logger: false,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    handlerTimeout: limits.answerTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    genReqId: () => newRuuid(),
    clientErrorHandler: answerClientError,
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      answerFailure(error, request as FastifyRequest, reply as FastifyReply, log);
    },
  });
  api.server.maxConnections = limits.connections;
  api.decorateRequest('callerOrgUuid', null);
  api.decorateRequest('callerKeyUuid', null);
  const endpointPaths = new Set(ENDPOINTS.map((endpoint) => endpoint.path));
  api.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, log));
  api.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!.replace(/\/$/, '');
    const definition = endpointPaths.has(path) ? API_ERRORS.METHOD_NOT_ALLOWED : API_ERRORS.UNKNOWN_PATH;
    return answerFailure(new GatewayError(definition), request, reply, log);
  });
  api.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  });
  api.addHook('onResponse', async (request, reply) => logAnswer(request, reply, log));
  return api;
}

async function guard(api: FastifyInstance, limits: ApiLimits): Promise<void> {
  await api.register(helmet, {
    // Whether the name is served over TLS only is for whoever terminates TLS to say.
    hsts: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
  await api.register(underPressure, {
    maxEventLoopDelay: limits.maxEventLoopDelayMs,
    retryAfter: UNDER_PRESSURE_RETRY_AFTER_SEC,
    // Whoever watches the gateway needs its answers most when it is busy.
    pressureHandler: (request) => {
      if (OPERATIONS_PATHS.has(request.routeOptions.url ?? '')) return;
      throw new GatewayError(API_ERRORS.OVERLOADED, { retryAfterSec: UNDER_PRESSURE_RETRY_AFTER_SEC });
    },
  });
}

/** Without origins a browser gets no leave to read anything from elsewhere. */
async function allowOrigins(api: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await api.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['POST', 'GET'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SEC,
  });
}

function servicesOf(options: ApiOptions): ApiServices {
  const { store, shares, schedules, counters, liveCameras, clock } = options;
  return { store, shares, schedules, counters, liveCameras, clock };
}

function answerFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const { status, body, headers, error } = failureResponse(thrown, request.id);
  const fields = { requestId: request.id, path: request.routeOptions.url ?? null, code: error.code };
  if (error.kind === 'internal') {
    log.error({ ...fields, err: error, cause: error.cause }, 'a request failed internally');
  } else {
    log.debug({ ...fields, context: error.context }, 'a request was refused');
  }
  // Sent as text: a route's serializer describes success.
  return reply
    .code(status)
    .headers(headers)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body);
}

/** No headers and no bodies: they carry keys and passwords. The path is the route's, not the caller's text. */
function logAnswer(request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const fields = {
    requestId: request.id,
    method: request.method,
    path: request.routeOptions.url ?? null,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
    orgUuid: request.callerOrgUuid,
    keyUuid: request.callerKeyUuid,
  };
  if (reply.statusCode === 401 || reply.statusCode === 429) log.info(fields, 'API request turned away');
  else log.debug(fields, 'API request answered');
}
