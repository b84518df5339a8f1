import { once } from 'node:events';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { departureOf } from './departure.ts';
import { pipedConnection } from './piped-connection-fixture.ts';

it('notices a client that leaves, not one that is answered', async () => {
  const app = Fastify();
  const departures: AbortSignal[] = [];
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  app.post('/answered', async (_request, reply) => {
    departures.push(departureOf(reply));
    return 'ok';
  });
  app.post('/left', (_request, reply) => {
    departures.push(departureOf(reply));
    resolve();
  });
  await app.ready();
  const fields = 'HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
  const patient = pipedConnection(app.server);
  patient.write(`POST /answered ${fields}`);
  expect((await patient.toArray()).join('')).toMatch(/\r\n\r\nok$/);
  const client = pipedConnection(app.server);
  client.write(`POST /left ${fields}`);
  await requested;
  const [responded, left] = departures as [AbortSignal, AbortSignal];
  expect([responded.aborted, left.aborted]).toEqual([false, false]);
  client.destroy();
  await once(left, 'abort');
  expect(responded.aborted).toBe(false);
  await app.close();
});
