import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PUBLIC_URL_MARK, requestPublicUrl } from './public-url-request.ts';

const PAGE = `<body ${PUBLIC_URL_MARK}>`;
const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    (server as { closeAllConnections?(): void }).closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(server: Server, protocol = 'http'): Promise<URL> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/reach/some-check`);
}

const responding = (listener: RequestListener) => listening(createServer(listener));

describe('a request of the public URL', () => {
  it('recognizes our page, at the path that was asked for', async () => {
    const paths: unknown[] = [];
    const url = await responding((request, response) => {
      paths.push(request.url);
      response.end(PAGE);
    });
    expect(await requestPublicUrl(url)).toEqual({
      addresses: ['127.0.0.1'],
      reach: 'this-machine',
      outcome: { kind: 'page' },
    });
    expect(paths).toEqual(['/reach/some-check']);
  });

  it('names another page, with its status and server', async () => {
    const url = await responding((_request, response) => {
      response.writeHead(404, { server: 'other/1.0' }).end('<h1>Not here</h1>');
    });
    expect((await requestPublicUrl(url)).outcome).toEqual({
      kind: 'fault',
      fault: 'other-page',
      detail: 'other/1.0',
      status: 404,
    });
  });

  it('follows no redirect', async () => {
    let followed = 0;
    const inside = await responding((_request, response) => {
      followed++;
      response.end(PAGE);
    });
    const url = await responding((_request, response) => {
      response.writeHead(302, { location: inside.href }).end();
    });
    expect((await requestPublicUrl(url)).outcome).toEqual({
      kind: 'fault',
      fault: 'redirected',
      detail: inside.href,
      status: 302,
    });
    expect(followed).toBe(0);
  });

  it('reads no endless page', async () => {
    const url = await responding((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', write);
      write();
    });
    expect((await requestPublicUrl(url)).outcome).toMatchObject({ fault: 'other-page', status: 200 });
  });

  it('names a port where nothing listens', async () => {
    const url = await listening(createTcpServer());
    await new Promise((resolve) => running.pop()!.close(resolve));
    expect((await requestPublicUrl(url)).outcome).toMatchObject({ fault: 'refused', detail: 'ECONNREFUSED' });
  });

  it('names an answer that never comes, and one that breaks off', async () => {
    const silent = await responding(() => undefined);
    expect((await requestPublicUrl(silent, { timeoutMs: 50 })).outcome).toMatchObject({ fault: 'timeout' });
    const closing = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.destroy())),
    );
    expect((await requestPublicUrl(closing)).outcome).toMatchObject({ fault: 'closed' });
  });

  it('names a server that changes the protocol', async () => {
    const url = await responding(() => undefined);
    running
      .at(-1)!
      .removeAllListeners('request')
      .on('request', ({ socket }: IncomingMessage) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      });
    expect((await requestPublicUrl(url, { timeoutMs: 1_000 })).outcome).toMatchObject({
      fault: 'other-page',
    });
  });

  it('names a host that DNS does not know', async () => {
    const response = await requestPublicUrl(new URL('http://no-such-host.invalid/reach/x'));
    expect(response).toMatchObject({ addresses: [], reach: 'unknown', outcome: { fault: 'dns' } });
  });

  it('names a certificate that is not trusted, and TLS where there is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=other.example',
    ];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(folder, { recursive: true });
    const url = await listening(
      createTlsServer(options, (_request, response) => response.end(PAGE)),
      'https',
    );
    expect((await requestPublicUrl(url)).outcome).toMatchObject({ fault: 'tls-certificate' });
    const plain = await responding((_request, response) => response.end(PAGE));
    plain.protocol = 'https:';
    expect((await requestPublicUrl(plain)).outcome).toMatchObject({ fault: 'tls' });
  });
});
