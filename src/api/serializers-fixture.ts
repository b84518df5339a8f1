/**
 * Response serializers that many instances of the API share, for tests: compiling those of all endpoints takes most of
 * the time needed to build an instance. They are Fastify's own, and each is compiled once.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify';

type Serialize = (response: unknown) => string;
type SerializerFactory = (externalSchemas: object, options: object) => (route: RouteSchema) => Serialize;

interface RouteSchema {
  readonly schema: object;
}

/** Fastify announces an instance while it is created (its documentation on diagnostics channels). */
const INITIALIZATION = 'fastify.initialization';

const requireFromFastify = createRequire(import.meta.resolve('fastify'));
const { SerializerSelector } = requireFromFastify('@fastify/fast-json-stringify-compiler') as {
  SerializerSelector: () => SerializerFactory;
};
const compile = SerializerSelector()({}, {});
const known = new WeakMap<object, Serialize>();

function serializerOf(route: RouteSchema): Serialize {
  const serialize = known.get(route.schema) ?? compile(route);
  known.set(route.schema, serialize);
  return serialize;
}

/** Calls `build` and makes the Fastify instance that it creates before its first wait use the shared serializers. */
export function withSharedSerializers<T>(build: () => T): T {
  const share = (message: unknown) => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    fastify.setSerializerCompiler(serializerOf as unknown as FastifySerializerCompiler<unknown>);
  };
  subscribe(INITIALIZATION, share);
  try {
    return build();
  } finally {
    unsubscribe(INITIALIZATION, share);
  }
}
