import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CertificateFolder, type MadeCertificate } from '../../../test/support/certificates.ts';
import { MAX_BODY_BYTES, sendToAcmeServer } from './acme-transport.ts';

let folder: CertificateFolder;
let made: MadeCertificate;
let server: Server;
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let ending: AbortController;

beforeAll(async () => {
  folder = new CertificateFolder();
  made = folder.make('acme');
  const files = { cert: readFileSync(made.cert), key: readFileSync(made.key) };
  server = createServer(files, (request, response) => respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});
beforeEach(() => {
  ending = new AbortController();
});

const urlOf = (path = '/') => `https://localhost:${(server.address() as AddressInfo).port}${path}`;
const send = (url = urlOf(), caPem: string | null = readFileSync(made.cert, 'utf8')) => {
  const headers = { 'Content-Type': 'application/jose+json', Cookie: 'no' };
  return sendToAcmeServer(
    { url, method: 'post', data: '{"a":1}', headers },
    { directory: urlOf('/dir'), caPem, signal: ending.signal },
  );
};

it('sends what the library says, and returns what the server says', async () => {
  respond = async (request, response) => {
    const [body] = (await request.toArray()) as Buffer[];
    const { 'content-type': type, cookie, 'content-length': length } = request.headers;
    response
      .writeHead(201, { 'replay-nonce': 'n1' })
      .end(`${request.method} ${type} ${cookie} ${length} ${body}`);
  };
  expect(await send()).toMatchObject({
    status: 201,
    headers: { 'replay-nonce': 'n1' },
    data: 'POST application/jose+json undefined 7 {"a":1}',
  });
});

it.each<[string, number, Record<string, string>, string, object]>([
  [
    'refusal',
    403,
    {},
    '{"type":"urn:ietf:params:acme:error:unauthorized","detail":"no\\nway"}',
    { code: 'ACME_REFUSED', retryAfter: null, context: { detail: 'no way', status: 403 } },
  ],
  ['limit', 429, { 'retry-after': '3600' }, '{}', { code: 'ACME_RATE_LIMITED', retryAfter: '3600' }],
  ['pause', 503, { 'retry-after': '60' }, '<html>', { code: 'ACME_RATE_LIMITED', retryAfter: '60' }],
  ['failure', 500, {}, 'x'.repeat(999), { code: 'ACME_REFUSED', context: { detail: '', status: 500 } }],
])('a %s keeps what the server says about it', async (_what, status, headers, body, failure) => {
  respond = (_request, response) => void response.writeHead(status, headers).end(body);
  await expect(send()).rejects.toMatchObject(failure);
});

it('leaves a bad nonce to the library, which asks again', async () => {
  const problem = '{"type":"urn:ietf:params:acme:error:badNonce"}';
  respond = (_request, response) => void response.writeHead(400).end(problem);
  expect(await send()).toMatchObject({ status: 400, data: problem });
});

it('does not read a response without end', async () => {
  respond = (request, response) => {
    const more = (): void => {
      if (!request.socket.destroyed) response.write(Buffer.alloc(65_536), more);
    };
    more();
  };
  await expect(send()).rejects.toMatchObject({
    code: 'ACME_ANSWER_INVALID',
    context: { reason: `more than ${MAX_BODY_BYTES} bytes` },
  });
});

it('does not follow a redirect', async () => {
  const requested: (string | undefined)[] = [];
  respond = (request, response) => {
    requested.push(request.url);
    response.writeHead(302, { location: urlOf('/elsewhere') }).end();
  };
  await expect(send()).rejects.toMatchObject({
    code: 'ACME_ANSWER_INVALID',
    context: { reason: 'a redirect' },
  });
  expect(requested).toEqual(['/']);
});

it('fails if the connection ends within the response', async () => {
  respond = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{', () => request.socket.destroy());
  };
  await expect(send()).rejects.toMatchObject({ code: 'ACME_UNREACHABLE', context: { reason: 'ECONNRESET' } });
});

it('fails if the server changes the protocol', async () => {
  respond = (request) => {
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  };
  await expect(send()).rejects.toMatchObject({ code: 'ACME_UNREACHABLE' });
});

it('ends with the gateway', async () => {
  respond = () => ending.abort();
  await expect(send()).rejects.toMatchObject({ code: 'ACME_UNREACHABLE', context: { reason: 'ABORT_ERR' } });
});

it('wants HTTPS, from the host of the directory, which proves who it is', async () => {
  respond = (_request, response) => void response.end('{}');
  await expect(send(urlOf(), null)).rejects.toMatchObject({
    code: 'ACME_UNREACHABLE',
    context: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  const { port } = new URL(urlOf());
  const others = [`https://127.0.0.1:${port}/`, 'https://169.254.169.254/', `https://localhost.:${port}/`];
  for (const url of ['http://localhost/', 'file:///etc/passwd', 'nothing', ...others]) {
    await expect(send(url)).rejects.toMatchObject({ code: 'ACME_ANSWER_INVALID' });
  }
});
