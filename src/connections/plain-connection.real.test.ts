import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { ConnectionTable } from './connection-table.ts';
import type { PlainExchange } from './plain-connection.ts';
import { respondPlainly } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';

const LIMITS = { maxConnections: 100, maxPerAddress: 100, maxDescriptor: Number.POSITIVE_INFINITY };
const TIMEOUTS = { firstMs: 10_000, quietMs: 10_000 };

let server: Server;
let table: ConnectionTable;
/** The requests that went to Node's server. */
let nodes: string[];
/** `/wait` is not answered before the test does so. */
let waiting: PlainExchange[];
let left: number;
const clients: Socket[] = [];

function respondByTarget({ target }: PlainRequest, exchange: PlainExchange): boolean {
  if (target.startsWith('/node')) return false;
  if (target.startsWith('/wait')) {
    waiting.push(exchange);
    exchange.onGone = { onClientGone: () => void left++ };
  } else respond(exchange, target);
  return true;
}

function respond(exchange: PlainExchange, text: string): void {
  const end = exchange.isLast ? 'Connection: close\r\n' : '';
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n${end}\r\n`;
  exchange.send(Buffer.from(head), Buffer.from(text), null);
}

async function open(timeouts = TIMEOUTS): Promise<void> {
  server = createServer((request, response) => {
    nodes.push(`${request.method} ${request.url}`);
    request.on('data', (chunk) => nodes.push(`body ${chunk}`));
    request.on('end', () => response.end(`node ${request.url} ${request.socket.remoteAddress}`));
  });
  table = new ConnectionTable({
    listener: 'test',
    limits: LIMITS,
    trustProxy: [],
    clock: new FakeClock(),
    log: silentLog,
  });
  table.guard(server);
  respondPlainly(server, {
    responses: { respond: respondByTarget },
    timeouts,
    onRequest: (connection) => table.note(connection),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

class Client {
  readonly socket: Socket;
  text = '';
  isOver = false;

  constructor() {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.socket.setNoDelay();
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isOver = true;
    });
    clients.push(this.socket);
  }

  ask(...targets: string[]): this {
    this.socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    return this;
  }

  get bodies(): string[] {
    return this.text.split(/HTTP\/1\.1 \d+ [\s\S]*?\r\n\r\n/).slice(1);
  }

  async has(...bodies: string[]): Promise<void> {
    await vi.waitFor(() => expect(this.bodies).toEqual(bodies), 5_000);
  }

  async ends(): Promise<void> {
    await vi.waitFor(() => expect(this.isOver).toBe(true), 5_000);
  }
}

beforeEach(() => {
  [nodes, waiting, left] = [[], [], 0];
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

describe('a connection on which requests are answered without Node’s server', () => {
  beforeEach(() => open());

  it('carries those that Node’s server answers in between, with the client’s address', async () => {
    const client = new Client().ask('/1');
    await client.has('/1');
    client.ask('/node');
    await client.has('/1', 'node /node 127.0.0.1');
    client.ask('/2');
    await client.has('/1', 'node /node 127.0.0.1', '/2');
    client.socket.write('HEAD /3 HTTP/1.1\r\nHost: a\r\n\r\n');
    await vi.waitFor(() => expect(nodes).toEqual(['GET /node', 'HEAD /3']));
    client.ask('/node2');
    await vi.waitFor(() => expect(client.bodies.at(-1)).toBe('node /node2 127.0.0.1'));
    expect(table.counts().open).toBe(1);
  });

  it('is Node’s from a request with a body on, whatever that looks like', async () => {
    const client = new Client().ask('/1');
    await client.has('/1');
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n';
    client.socket.write(`POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n`);
    await vi.waitFor(() => expect(nodes).toEqual(['POST /post']));
    client.socket.write(hidden);
    await client.has('/1', 'node /post 127.0.0.1');
    expect(nodes).toEqual(['POST /post', `body ${hidden}`]);
    client.ask('/2');
    await client.has('/1', 'node /post 127.0.0.1', 'node /2 127.0.0.1');
  });

  it('is Node’s after half a head', async () => {
    const client = new Client();
    client.socket.write('GET /slow HTTP/1.1\r\nHo');
    await vi.waitFor(() => expect(table.counts().open).toBe(1));
    client.socket.write('st: a\r\n\r\n');
    await client.has('node /slow 127.0.0.1');
  });

  it('answers requests that come at once in their order', async () => {
    const client = new Client().ask('/1', '/node', '/2');
    await client.has('node /1 127.0.0.1', 'node /node 127.0.0.1', 'node /2 127.0.0.1');
  });

  it('answers a request that comes before the response to the last one after it', async () => {
    const client = new Client().ask('/wait');
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    client.ask('/2');
    client.ask('/node');
    await new Client().ask('/other').has('/other');
    expect(client.bodies).toEqual([]);
    respond(waiting[0]!, 'waited');
    await vi.waitFor(() => expect(client.bodies.length).toBe(3));
    expect(client.bodies.map((body) => body.replace('node ', ''))).toEqual([
      'waited',
      expect.stringContaining('/2'),
      '/node 127.0.0.1',
    ]);
  });

  it('gives a WebSocket to Node’s server', async () => {
    server.on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nupgraded'),
    );
    const client = new Client().ask('/1');
    await client.has('/1');
    client.socket.write('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await client.has('/1', 'upgraded');
  });

  it('says when the client leaves before its response, once', async () => {
    const client = new Client().ask('/wait');
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    client.socket.destroy();
    await vi.waitFor(() => expect(left).toBe(1));
    respond(waiting[0]!, 'too late');
    const second = new Client().ask('/wait');
    await vi.waitFor(() => expect(waiting.length).toBe(2));
    second.socket.end();
    await second.ends();
    expect(left).toBe(2);
    await vi.waitFor(() => expect(table.counts().open).toBe(0));
  });

  it('refuses nothing that Node’s server would refuse in another way', async () => {
    const client = new Client();
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    await vi.waitFor(() => expect(client.text).toMatch(/^HTTP\/1\.1 400 /));
    await client.ends();
  });

  it('can make room while it waits for nothing, and not while a request waits', async () => {
    const client = new Client().ask('/wait');
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    const { connection } = waiting[0]!;
    expect(connection.canBeClosed(60_000)).toBe(false);
    respond(waiting[0]!, 'waited');
    await client.has('waited');
    await vi.waitFor(() => expect(connection.canBeClosed(60_000)).toBe(true));
  });

  it('ends with the response after the listener begins to leave', async () => {
    const clients = [new Client().ask('/1'), new Client().ask('/wait'), new Client().ask('/1')] as const;
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    await clients[0].has('/1');
    await clients[2].has('/1');
    table.leave();
    respond(waiting[0]!, 'waited');
    clients[0].ask('/2');
    clients[2].ask('/node');
    await clients[0].has('/1', '/2');
    await clients[1].has('waited');
    await clients[2].has('/1', 'node /node 127.0.0.1');
    for (const client of clients) await client.ends();
  });

  it('ends when the listener closes: at once, or after its response', async () => {
    const idle = new Client().ask('/1');
    const unused = new Client();
    const client = new Client().ask('/wait');
    await idle.has('/1');
    await vi.waitFor(() => expect([waiting.length, table.counts().open]).toEqual([1, 3]));
    server.close();
    await idle.ends();
    await unused.ends();
    expect(client.isOver).toBe(false);
    respond(waiting[0]!, 'waited');
    await client.has('waited');
    await client.ends();
  });

  it('ends at once when all connections have to', async () => {
    const client = new Client().ask('/wait');
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    server.closeAllConnections();
    await client.ends();
    expect(left).toBe(1);
  });
});

describe('a connection on which nothing happens', () => {
  it('ends before its first request', async () => {
    await open({ firstMs: 50, quietMs: 60_000 });
    const used = new Client().ask('/1');
    const unused = new Client();
    await unused.ends();
    await used.has('/1');
    used.ask('/2');
    await used.has('/1', '/2');
  });

  it('ends after its last one', async () => {
    await open({ firstMs: 60_000, quietMs: 50 });
    const client = new Client().ask('/1');
    await client.has('/1');
    await client.ends();
  });
});
