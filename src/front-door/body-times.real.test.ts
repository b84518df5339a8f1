import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { limitBodyTimes } from './body-times.ts';

const LIMIT_MS = 15_000;

/** A listener whose routes have begun to read, and a client's bytes. */
async function setup() {
  const clock = new FakeClock(0);
  const app = fastify({ logger: false });
  limitBodyTimes(app, clock, LIMIT_MS);
  let begun: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    begun = resolve;
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    begun();
    done();
  });
  app.post('/other', { config: { access: 'public' } }, () => 'done');
  app.post('/upload', { config: { access: 'upload' } }, () => 'done');
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const send = async (path: string, body: string): Promise<Socket> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.setEncoding('utf8');
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n`;
    socket.write(head + body);
    onTestFinished(() => void socket.destroy());
    await arrived;
    return socket;
  };
  return { clock, send };
}

it('drops a request whose body does not come in time', async () => {
  const { clock, send } = await setup();
  const socket = await send('/other', 'ab');
  clock.advance(LIMIT_MS - 1);
  expect(socket.destroyed).toBe(false);
  clock.advance(1);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await once(socket, 'end');
});

it('lets an upload take longer', async () => {
  const { clock, send } = await setup();
  const socket = await send('/upload', 'ab');
  clock.advance(100 * LIMIT_MS);
  socket.write('cd');
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

it('leaves alone what came in time', async () => {
  const { clock, send } = await setup();
  const socket = await send('/other', 'abcd');
  const [answer] = await once(socket, 'data');
  clock.advance(100 * LIMIT_MS);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(socket.readableEnded).toBe(false);
});
