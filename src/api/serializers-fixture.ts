/**
 * Serializers of answers that many instances of the API share, for tests: compiling those of all endpoints takes most
 * of the time in which an instance is built. They are Fastify's own, each compiled once.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify';

type Serialize = (answer: unknown) => string;
type SerializerFactory = (externalSchemas: object, options: object) => (route: RouteSchema) => Serialize;

interface RouteSchema {
  readonly schema: object;
}

/** Fastify tells of an instance while it is made (its documentation on diagnostics channels). */
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

/** Calls `build`, and has the instance of Fastify that it makes before it waits for anything use them. */
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
