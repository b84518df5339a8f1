import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChallengeResponder } from './challenge-responder.ts';

let responder: ChallengeResponder;
beforeEach(async () => {
  responder = await ChallengeResponder.open({ host: '127.0.0.1', port: 0 });
});
afterEach(() => responder.close());

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(`http://127.0.0.1:${responder.port}${path}`, { method });
  return [response.status, await response.text()];
};

it('a pending token has its response, until it is removed', async () => {
  const path = '/.well-known/acme-challenge/token-1_A';
  expect(await ask(path)).toEqual([404, '']);
  expect(responder.add('token-1_A', 'token-1_A.thumbprint')).toBe(true);
  expect(await ask(path)).toEqual([200, 'token-1_A.thumbprint']);
  expect(await ask(path, 'HEAD')).toEqual([200, '']);
  expect(await ask(path, 'POST')).toEqual([404, '']);
  responder.remove('token-1_A');
  expect(await ask(path)).toEqual([404, '']);
});

it.each([
  '/',
  '/.well-known/acme-challenge/',
  '/.well-known/acme-challenge/other',
  '/.well-known/acme-challenge/token/',
  '/.well-known/acme-challenge/token?x',
  '/.well-known/acme-challenge/..%2ftoken',
  '/.well-known/acme-challenge/__proto__',
  '/token',
])('there is nothing at %s', async (path) => {
  responder.add('token', 'secret');
  expect(await ask(path)).toEqual([404, '']);
});

it('takes tokens alone, and no more than a certificate has domains', () => {
  for (const token of ['', 'a/b', '../x', 'a b', 'é', 'x'.repeat(257)]) {
    expect(responder.add(token, 'x')).toBe(false);
  }
  for (let i = 0; i < 100; i++) expect(responder.add(`t${i}`, 'x')).toBe(true);
  expect([responder.add('one-more', 'x'), responder.pending]).toEqual([false, 100]);
});

it('closes a connection on which no request comes', async () => {
  const socket = connect(responder.port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write('GET / HTTP/1.1\r\n');
  await once(socket, 'close');
});

it('takes no headers without end', async () => {
  const socket = connect(responder.port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined).on('data', (chunk) => (text += chunk));
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(16_384)}`);
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
});

it('serves others while someone holds more connections than it has', async () => {
  const sockets = Array.from({ length: 300 }, () =>
    connect(responder.port, '127.0.0.1')
      .on('error', () => undefined)
      .resume(),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  responder.add('token', 'response');
  expect(await ask('/.well-known/acme-challenge/token')).toEqual([200, 'response']);
  // The newest ones were not closed for it.
  expect(sockets.at(-1)!.readyState).toBe('open');
  for (const socket of sockets) socket.destroy();
});
