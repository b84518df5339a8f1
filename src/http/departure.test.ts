import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { departureOf } from './departure.ts';

it('notices a client that leaves, not one that is answered', async () => {
  const app = Fastify();
  const departures: AbortSignal[] = [];
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  app.post('/answered', async (_request, reply) => {
    departures.push(departureOf(reply));
    return 'ok';
  });
  app.post('/left', (_request, reply) => {
    departures.push(departureOf(reply));
    resolve();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const options = { method: 'POST', headers: { connection: 'close' } };
  expect(await (await fetch(`http://127.0.0.1:${port}/answered`, options)).text()).toBe('ok');
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /left HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  await asked;
  const [answered, left] = departures as [AbortSignal, AbortSignal];
  expect([answered.aborted, left.aborted]).toEqual([false, false]);
  socket.destroy();
  await once(left, 'abort');
  expect(answered.aborted).toBe(false);
  await app.close();
});
