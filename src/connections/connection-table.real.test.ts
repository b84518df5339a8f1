import { once } from 'node:events';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { ACCEPT_MS, type ConnectionLimits, ConnectionTable } from './connection-table.ts';

const ROOMY: ConnectionLimits = {
  maxConnections: 1_000,
  maxPerAddress: 1_000,
  maxDescriptor: Number.POSITIVE_INFINITY,
};
const LARGE_BYTES = 32 * 1_048_576;

let bench: Bench;
afterEach(() => bench.close());

/** A server whose responses the test controls, and clients that connect to it from chosen addresses. */
class Bench {
  readonly clock = new FakeClock();
  readonly logged: object[] = [];
  readonly table: ConnectionTable;
  readonly server = createServer((request, response) => this.#respond(request, response));
  /** Requests for /wait, in order. */
  readonly waiting: ServerResponse[] = [];
  readonly #clients: Client[] = [];

  private constructor(limits: Partial<ConnectionLimits>, trustProxy: readonly string[]) {
    const log: Log = { ...silentLog, warn: (fields) => void this.logged.push(fields) };
    this.table = new ConnectionTable({
      listener: 'test',
      limits: { ...ROOMY, ...limits },
      trustProxy,
      clock: this.clock,
      log,
    });
    this.table.guard(this.server);
  }

  static async open(limits: Partial<ConnectionLimits>, trustProxy: readonly string[] = []): Promise<Bench> {
    const opened = new Bench(limits, trustProxy);
    await new Promise<void>((resolve) => opened.server.listen(0, '127.0.0.1', resolve));
    return opened;
  }

  /** Resolves when the server knows about it. */
  async client(localAddress = '127.0.0.1'): Promise<Client> {
    const { madeRoom, refused, open } = this.table.counts();
    const { port } = this.server.address() as AddressInfo;
    const client = new Client(connect({ port, host: '127.0.0.1', localAddress }));
    this.#clients.push(client);
    const known = () => {
      const now = this.table.counts();
      return now.open + now.madeRoom + now.refused > open + madeRoom + refused;
    };
    await until(known);
    return client;
  }

  async clients(count: number, localAddress?: string): Promise<Client[]> {
    const clients: Client[] = [];
    for (let i = 0; i < count; i++) clients.push(await this.client(localAddress));
    return clients;
  }

  /** How many of them are still connected, once the closed ones know it. */
  async open(clients: readonly Client[]): Promise<boolean[]> {
    const { open } = this.table.counts();
    await until(() => this.#clients.filter((client) => client.isOpen).length === open);
    return clients.map((client) => client.isOpen);
  }

  async close(): Promise<void> {
    for (const { socket } of this.#clients) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #respond({ url }: IncomingMessage, response: ServerResponse): void {
    if (url === '/wait') this.waiting.push(response);
    else if (url === '/large') response.end(Buffer.alloc(LARGE_BYTES));
    else response.end('done');
  }
}

class Client {
  readonly socket: Socket;
  isOpen = true;
  text = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.text = chunk.toString('latin1').slice(-100);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isOpen = false;
    });
  }

  send(path: string): void {
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }

  async ask(path: string): Promise<void> {
    this.text = '';
    this.send(path);
    await until(() => this.text.endsWith('done'));
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

describe('a listener at its connection limit', () => {
  beforeEach(async () => {
    bench = await Bench.open({ maxConnections: 3 });
  });

  it('closes the one that was idle longest, whether or not it made a request', async () => {
    const [first, second, third] = await bench.clients(3);
    bench.clock.advance(5_000);
    await first!.ask('/');
    bench.clock.advance(5_000);
    await third!.ask('/');
    const fourth = await bench.client();
    const clients = [first!, second!, third!, fourth];
    expect(await bench.open(clients)).toEqual([true, false, true, true]);
    await fourth.ask('/');
    bench.clock.advance(5_000);
    const fifth = await bench.client();
    expect(await bench.open([...clients, fifth])).toEqual([false, false, true, true, true]);
    expect(bench.table.counts()).toEqual({ open: 3, madeRoom: 2, refused: 0 });
  });

  it('turns newcomers away while everyone waits for a response', async () => {
    const clients = await bench.clients(3);
    for (const client of clients) client.send('/wait');
    await until(() => bench.waiting.length === 3);
    bench.clock.advance(60_000);
    const refused = await bench.client();
    expect(await bench.open([...clients, refused])).toEqual([true, true, true, false]);
    bench.waiting[1]!.end('done');
    await until(() => clients[1]!.text.endsWith('done'));
    bench.clock.advance(5_000);
    const next = await bench.client();
    expect(await bench.open([...clients, next])).toEqual([true, false, true, true]);
    expect(bench.table.counts()).toEqual({ open: 3, madeRoom: 1, refused: 1 });
  });

  it('keeps one that has just got a response for which it waited long', async () => {
    const clients = await bench.clients(3);
    for (const client of clients) client.send('/wait');
    await until(() => bench.waiting.length === 3);
    for (let sec = 0; sec < 20; sec++) bench.clock.advance(1_000);
    for (const response of bench.waiting) response.end('done');
    await until(() => clients.every((client) => client.text.endsWith('done')));
    const newcomer = await bench.client();
    expect(await bench.open([...clients, newcomer])).toEqual([true, true, true, false]);
    for (let sec = 0; sec < 5; sec++) bench.clock.advance(1_000);
    const later = await bench.client();
    expect(await bench.open([...clients, later])).toEqual([false, true, true, true]);
  });

  it('turns newcomers away while everyone keeps making requests', async () => {
    const clients = await bench.clients(3);
    for (const client of clients) await client.ask('/');
    bench.clock.advance(4_999);
    const refused = await bench.client();
    expect(await bench.open([...clients, refused])).toEqual([true, true, true, false]);
    for (const client of clients.slice(1)) await client.ask('/');
    bench.clock.advance(1);
    const next = await bench.client();
    expect(await bench.open([...clients, next])).toEqual([false, true, true, true]);
  });

  it('closes one that does not read its response, after a while', async () => {
    const clients = await bench.clients(3);
    for (const client of clients) {
      client.socket.pause();
      client.send('/large');
    }
    const responding = () => bench.server.listenerCount('request') > 0 && requested() === 3;
    const requested = () => clients.filter((client) => client.socket.bytesWritten > 0).length;
    await until(responding);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    const early = await bench.client();
    bench.clock.advance(10_000);
    const late = await bench.client();
    for (const client of clients) client.socket.resume();
    expect(await bench.open([...clients, early, late])).toEqual([false, true, true, false, true]);
  });

  it('closes those whose request never completes', async () => {
    const [slow] = await bench.clients(3);
    slow!.socket.write('GET / HTTP/1.1\r\nHost: ');
    await bench.clients(1);
    expect(await bench.open([slow!])).toEqual([false]);
  });

  it('says so once a minute, with what happened', async () => {
    await bench.clients(10);
    expect(bench.logged).toEqual([
      { listener: 'test', ...ROOMY, maxConnections: 3, open: 3, madeRoom: 1, refused: 0 },
    ]);
    bench.clock.advance(60_000);
    await bench.clients(1);
    expect(bench.logged).toHaveLength(2);
    expect(bench.logged[1]).toMatchObject({ madeRoom: 8 });
  });
});

describe('an address at its connection limit', () => {
  it('loses its own connections, and no one else’s', async () => {
    bench = await Bench.open({ maxPerAddress: 2 });
    const [other] = await bench.clients(1, '127.0.0.2');
    bench.clock.advance(5_000);
    const [first, second, third] = await bench.clients(3);
    expect(await bench.open([other!, first!, second!, third!])).toEqual([true, false, true, true]);
    for (const client of [second!, third!]) client.send('/wait');
    await until(() => bench.waiting.length === 2);
    const refused = await bench.client();
    expect(await bench.open([other!, second!, third!, refused])).toEqual([true, true, true, false]);
  });

  it('can have any number if it is a trusted proxy’s', async () => {
    bench = await Bench.open({ maxPerAddress: 2 }, ['127.0.0.0/30', '::1']);
    expect(await bench.open(await bench.clients(5, '127.0.0.2'))).toEqual(Array(5).fill(true));
    expect(await bench.open(await bench.clients(3, '127.0.0.9'))).toEqual([false, true, true]);
  });
});

describe('a process that is short of descriptors', () => {
  it('keeps those above the listener’s own free', async () => {
    // Which numbers are free is known only when nothing below is: whatever else runs in this process may have left gaps.
    const taken = descriptorsUpToTheHighest();
    try {
      const maxDescriptor = taken.at(-1)! + 40;
      bench = await Bench.open({ maxDescriptor });
      const accepted: Socket[] = [];
      bench.server.on('connection', (socket: Socket) => accepted.push(socket));
      // The clients' descriptors are in this process, too.
      await bench.clients(100);
      const { open, refused, madeRoom } = bench.table.counts();
      expect([refused > 0, madeRoom > 0, open > 0]).toEqual([true, true, true]);
      const kept = accepted.filter((socket) => !socket.destroyed).map(descriptorOf);
      expect(kept.length).toBe(open);
      expect(Math.max(...kept)).toBeLessThan(maxDescriptor);
    } finally {
      for (const descriptor of taken) closeSync(descriptor);
    }
  });
});

/** Opens /dev/null until no number below the newest one is free. */
function descriptorsUpToTheHighest(): number[] {
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  const taken: number[] = [];
  do taken.push(openSync('/dev/null', 'r'));
  while (taken.at(-1)! < highest);
  return taken;
}

function descriptorOf(socket: Socket): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd;
}

describe('a listener that will close in a moment', () => {
  /** The client's last response, with the head. */
  async function lastResponse(client: Client): Promise<string> {
    await until(() => !client.isOpen);
    return client.text;
  }

  beforeEach(async () => {
    bench = await Bench.open({});
  });

  it('ends connections with their next response, whether the request came before or after', async () => {
    const [waiting, idle] = (await bench.clients(2)) as [Client, Client];
    await idle.ask('/');
    expect(idle.text).toContain('keep-alive');
    waiting.send('/wait');
    await until(() => bench.waiting.length === 1);
    bench.table.leave();
    bench.waiting[0]!.end('done');
    expect(await lastResponse(waiting)).toMatch(/Connection: close.*done$/s);
    expect(idle.isOpen).toBe(true);
    await idle.ask('/');
    expect(await lastResponse(idle)).toMatch(/Connection: close.*done$/s);
    const newcomer = await bench.client();
    await newcomer.ask('/');
    expect(await lastResponse(newcomer)).toMatch(/Connection: close.*done$/s);
  });

  it('accepts no new ones after a while, and answers on those that are open', async () => {
    const [silent, waiting] = (await bench.clients(2)) as [Client, Client];
    waiting.send('/wait');
    await until(() => bench.waiting.length === 1);
    const { port } = bench.server.address() as AddressInfo;
    bench.table.leave();
    bench.clock.advance(ACCEPT_MS);
    await until(() => !bench.server.listening);
    const [refused] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
    bench.waiting[0]!.end('done');
    expect(await lastResponse(waiting)).toMatch(/Connection: close.*done$/s);
    await silent.ask('/');
    expect(await lastResponse(silent)).toMatch(/Connection: close.*done$/s);
  });

  it('leaves a response alone that has begun', async () => {
    const client = await bench.client();
    client.send('/wait');
    await until(() => bench.waiting.length === 1);
    const [response] = bench.waiting;
    response!.writeHead(200, { 'content-length': 8 });
    response!.write('half');
    await until(() => client.text.endsWith('half'));
    bench.table.leave();
    response!.end('done');
    await until(() => client.text.endsWith('done'));
    await client.ask('/');
    await until(() => !client.isOpen);
  });
});
