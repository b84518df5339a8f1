import Fastify from 'fastify';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { responseSerializer } from './response-serializer.ts';

const SCHEMA = Type.Object({ name: Type.String(), count: Type.Integer() });

it('writes the fields of the schema alone', () => {
  const serialize = responseSerializer({ schema: SCHEMA, method: 'POST', url: '/' });
  expect(serialize({ name: 'Dock', count: 2, secret: 'x' })).toBe('{"name":"Dock","count":2}');
});

it('compiles a schema with the first response that has it', async () => {
  const broken = { type: 'object', properties: { name: { $ref: '#/nowhere' } } };
  const app = Fastify();
  app.setSerializerCompiler(responseSerializer);
  app.get('/broken', { schema: { response: { 200: broken } } }, async () => ({ name: 'Dock' }));
  app.get('/', { schema: { response: { 200: SCHEMA } } }, async () => ({ name: 'Dock', count: 2 }));
  await app.ready();
  expect((await app.inject('/')).json()).toEqual({ name: 'Dock', count: 2 });
  expect((await app.inject('/broken')).statusCode).toBe(500);
});
