/** Orders with an ACME server that violates RFC 8555. */

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CertificateFolder, type MadeCertificate } from '../../../test/support/certificates.ts';
import { orderOf, type Script, ScriptedAcmeServer } from '../../../test/support/scripted-acme-server.ts';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { orderCertificate } from './acme-order.ts';

const HTTP_01 = { type: 'http-01', token: 'token' };

let folder: CertificateFolder;
let made: MadeCertificate;
let server: ScriptedAcmeServer;
let accountKeyPem: string;
let pending: Set<string>;

beforeAll(async () => {
  folder = new CertificateFolder();
  made = folder.make('acme');
  server = await ScriptedAcmeServer.start(made);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  accountKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
});
afterAll(() => {
  server.close();
  folder.remove();
});
beforeEach(() => {
  server.requested.length = 0;
  server.script = {};
  pending = new Set();
});

function order(clock = systemClock) {
  return orderCertificate({
    directory: server.directory,
    domains: ['a.example'],
    email: null,
    accountKeyPem,
    clock,
    caPem: readFileSync(made.cert, 'latin1'),
    signal: new AbortController().signal,
    responder: {
      add: (token) => Boolean(pending.add(token)),
      remove: (token) => void pending.delete(token),
    },
  });
}

const authorizationOf = (challenges: unknown, status = 'pending') => ({
  body: { status, identifier: { type: 'dns', value: 'a.example' }, challenges },
});

it('a server that keeps to it gets an order, in few requests', async () => {
  expect((await order()).certPem).toBe('no certificate');
  expect(server.requested.filter((path) => path !== '/newNonce')).toEqual([
    '/dir',
    '/newAccount',
    '/newOrder',
    '/authorization',
    '/order',
    '/finalize',
    '/order',
    '/certificate',
  ]);
});

it.each<[what: string, script: Script, context: object]>([
  ['a directory that is none', { '/dir': () => ({ body: '<html>' }) }, {}],
  ['a directory without content', { '/dir': () => ({ body: 'null' }) }, {}],
  ['no nonce', { '/newNonce': () => ({ headers: { 'replay-nonce': '' } }) }, {}],
  [
    'a directory of URLs elsewhere',
    {
      '/dir': () => ({ body: { newNonce: 'https://192.0.2.1/', newAccount: 'https://192.0.2.1/' } }),
    },
    { reason: 'a URL of another host' },
  ],
  [
    'an account elsewhere',
    { '/newAccount': () => ({ headers: { location: 'http://localhost/' }, body: {} }) },
    { reason: 'a URL that is not https' },
  ],
  ['an order without a URL', { '/newOrder': () => ({ status: 201, body: {} }) }, {}],
  [
    'an order without authorizations',
    { '/newOrder': (origin) => ({ status: 201, headers: { location: `${origin}/order` }, body: {} }) },
    { reason: 'an order without authorizations' },
  ],
  [
    'authorizations without end',
    {
      '/newOrder': (origin) => ({
        status: 201,
        headers: { location: `${origin}/order` },
        body: { authorizations: Array.from({ length: 10_000 }, () => `${origin}/authorization`) },
      }),
    },
    { reason: 'too many authorizations' },
  ],
  ['no challenges', { '/authorization': () => authorizationOf(undefined) }, {}],
  [
    'no http-01',
    { '/authorization': () => authorizationOf([{ type: 'dns-01', token: 'x' }]) },
    { reason: 'no http-01 for a.example' },
  ],
  [
    'a challenge elsewhere',
    { '/authorization': () => authorizationOf([{ ...HTTP_01, url: 'https://127.0.0.1/' }]) },
    { reason: 'a URL of another host' },
  ],
  [
    'an order that failed',
    { '/finalize': (origin) => ({ body: orderOf(origin, 'invalid') }), '/order': invalidOrder },
    { reason: 'order is invalid' },
  ],
  ['a certificate that is JSON', { '/certificate': () => ({ body: { a: 1 } }) }, {}],
])('%s ends the order', async (_what, script, context) => {
  server.script = script;
  await expect(order()).rejects.toMatchObject({ code: 'ACME_ANSWER_INVALID', context });
  expect(server.requested.length).toBeLessThan(20);
  expect(pending.size).toBe(0);
});

function invalidOrder(origin: string) {
  return { body: orderOf(origin, 'invalid') };
}

it('nonces that are never accepted end the order', async () => {
  const problem = { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' };
  server.script = { '/newOrder': () => ({ status: 400, body: problem }) };
  await expect(order()).rejects.toMatchObject({ code: 'ACME_ANSWER_INVALID' });
  expect(server.requested.filter((path) => path === '/newOrder').length).toBeLessThan(10);
});

it.each<[what: string, script: Script]>([
  ['processing', { '/order': (origin) => ({ body: orderOf(origin, 'processing') }) }],
  [
    'validation',
    {
      '/authorization': () => authorizationOf([{ ...HTTP_01, url: `${server.origin}/challenge` }]),
      '/challenge': () => ({ body: HTTP_01 }),
    },
  ],
])('%s without end ends in time, asks less and less often, and leaves no token', async (_what, script) => {
  const clock = new FakeClock();
  server.script = script;
  const ended = order(clock).catch((thrown: unknown) => thrown);
  let isOver = false;
  void ended.then(() => (isOver = true));
  // Two timers: that of the order, and that of the next look.
  while (!isOver) {
    if (clock.pendingTimers === 2) clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(await ended).toMatchObject({ code: 'ACME_TIMEOUT' });
  expect(server.requested.length).toBeLessThan(80);
  expect(pending.size).toBe(0);
});

it('the library makes no request by itself', async () => {
  // The modules that axios uses for its requests: another module may have loaded it before.
  const library = createRequire(createRequire(import.meta.url).resolve('acme-client'));
  const axios = library('axios');
  const own = createRequire(library.resolve('axios'))('follow-redirects');
  const spies = [vi.spyOn(own.http, 'request'), vi.spyOn(own.https, 'request')];
  try {
    await order();
    expect(server.requested).toContain('/certificate');
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    // The spies see what axios does where nothing is in its place.
    await axios.get(server.directory, { adapter: 'http', proxy: false }).catch(() => undefined);
    expect(spies[1]!.mock.calls.length).toBe(1);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});
