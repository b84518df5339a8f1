import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { acceptForwarded, newForwardingSecret, preambleOf } from './forwarded-connections.ts';

const REQUEST = 'POST /a HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\nabc';

let clock: FakeClock;
let server: Server;
let secret: string;
let requests: string[];
let clients: Socket[];
beforeEach(async () => {
  clock = new FakeClock();
  secret = newForwardingSecret();
  [requests, clients] = [[], []];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push(`${request.socket.remoteAddress} ${request.method} ${request.url} ${body}`);
      response.end('done');
    });
  });
  acceptForwarded(server, secret, clock);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function open(): Promise<Socket> {
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true });
  client.on('error', () => undefined);
  clients.push(client);
  await once(client, 'connect');
  return client;
}

describe('a forwarded connection', () => {
  it('has the address of the client for all its requests, whether or not they come with the preamble', async () => {
    const together = await open();
    together.write(Buffer.concat([preambleOf(secret, '2001:db8::7'), Buffer.from(REQUEST)]));
    await expect.poll(() => requests).toEqual(['2001:db8::7 POST /a abc']);
    together.write(REQUEST);
    await expect.poll(() => requests).toHaveLength(2);
    const apart = await open();
    for (const byte of preambleOf(secret, '192.0.2.7')) apart.write(Buffer.of(byte));
    apart.write(REQUEST);
    await expect.poll(() => requests.at(-1)).toBe('192.0.2.7 POST /a abc');
  });

  it('is closed if it does not know the secret, and nothing of it is read', async () => {
    const client = await open();
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.write(Buffer.concat([preambleOf(newForwardingSecret(), '192.0.2.7'), Buffer.from(REQUEST)]));
    await closed;
    expect(requests).toEqual([]);
  });

  it('is closed if it says nothing for a while', async () => {
    const client = await open();
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.write(preambleOf(secret, '192.0.2.7').subarray(0, 60));
    await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0);
    clock.advance(5_000);
    await closed;
    expect(requests).toEqual([]);
  });
});
