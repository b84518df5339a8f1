/**
 * Turns responses into JSON by their schemas, as Fastify does by itself, but compiles a schema with the first response that has it: a start
 * would otherwise compile several hundred. Instances of the API share what is compiled.
 */

import build from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

type Serialize = (response: unknown) => string;

const compiled = new WeakMap<object, Serialize>();

export const responseSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  return (response) => {
    let serialize = compiled.get(schema);
    if (serialize === undefined) {
      serialize = build(schema) as Serialize;
      compiled.set(schema, serialize);
    }
    return serialize(response);
  };
};
