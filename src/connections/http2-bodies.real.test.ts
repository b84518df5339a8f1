import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamRequest } from './http2-response.ts';
import { frame, headerBlock, ListenerFixture, PREFACE, until } from './listener-fixture.ts';

const SWEEP_MS = 1_000;
const BUDGET_SWEEPS = 5;
/** Fits the window of a stream. */
const REFUSED_BYTES = 60_000;
const SETTINGS_ACK = frame(4, 1, 0);
const POST = { ':method': 'POST', ':scheme': 'http', ':authority': 'a', ':path': '/' };

let bench: ListenerFixture;
/** The bytes of all bodies that were read. */
let bodyBytes: number;
let client: ClientHttp2Session | null;
beforeEach(async () => {
  [bodyBytes, client] = [0, null];
  bench = await ListenerFixture.open({
    isHttp2Plain: true,
    answer: (request, response) => {
      if (request.url === '/refused') void refuse(request as unknown as StreamRequest, response);
      else readBody(request, () => response.end());
    },
  });
});
afterEach(async () => {
  client?.destroy();
  await bench.close();
});

function readBody(request: IncomingMessage, onEnd: () => void): void {
  request.on('data', (chunk: Buffer) => {
    bodyBytes += chunk.length;
  });
  request.on('end', onEnd);
}

/** When the body has arrived. */
async function refuse({ stream }: StreamRequest, response: ServerResponse): Promise<void> {
  await until(() => stream.readableLength === REFUSED_BYTES);
  response.writeHead(401).end();
}

async function open(paddingStrategy: number = constants.PADDING_STRATEGY_NONE): Promise<ClientHttp2Session> {
  client = connect(`http://127.0.0.1:${bench.port}`, { paddingStrategy });
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** All bytes since then are judged. */
async function judge(): Promise<void> {
  for (let sweep = 0; sweep < BUDGET_SWEEPS; sweep++) bench.clock.advance(SWEEP_MS);
  await new Promise(setImmediate);
}

async function isResponding(): Promise<boolean> {
  return new Promise((resolve) => client?.ping((error) => resolve(error === null)));
}

/** The server has this many bytes of bodies. */
async function received(bytes: number): Promise<void> {
  await until(() => bodyBytes >= bytes);
}

describe('while the body of a request is open, its connection is closed for', () => {
  const openBody = frame(1, 4, 1, headerBlock(POST));

  const ping = frame(6, 0, 0, Buffer.alloc(8));
  /** Fewer than nghttp2 answers in one batch. */
  const AT_ONCE = 500;

  it.each([
    ['pings', ping, ping.length],
    ['settings', frame(4, 0, 0), SETTINGS_ACK.length],
    ['window updates', frame(8, 0, 0, Buffer.from([0, 0, 0, 1])), 0],
  ])('%s', async (_what, bytes, respondBytes) => {
    const attacker = bench.tcp(
      Buffer.concat([PREFACE, SETTINGS_ACK, openBody, frame(0, 0, 1, Buffer.of(1))]),
    );
    await received(1);
    const flood = Buffer.concat([...Array.from({ length: AT_ONCE }, () => bytes), ping]);
    // Twice as much as is allowed.
    const rounds = Math.ceil((2 * 1_048_576) / flood.length);
    for (let sec = 0; sec < BUDGET_SWEEPS; sec++) {
      for (let round = 0; round < rounds; round++) {
        const responded = attacker.bytesRead + AT_ONCE * respondBytes + ping.length;
        attacker.socket.write(flood);
        await until(() => attacker.bytesRead >= responded || !attacker.isOpen);
      }
      expect(attacker.isOpen).toBe(true);
      bench.clock.advance(SWEEP_MS);
    }
    await expect.poll(() => attacker.isOpen).toBe(false);
  });

  it('padding', async () => {
    const upload = (await open(constants.PADDING_STRATEGY_MAX)).request(POST);
    upload.on('error', () => undefined);
    // Some 260 bytes each.
    for (let sent = 0; sent < 30_000; sent++) {
      if (!upload.write(Buffer.of(1))) await once(upload, 'drain');
      else await new Promise(setImmediate);
    }
    await received(30_000);
    await judge();
    await expect.poll(() => client?.closed).toBe(true);
  });
});

describe('a connection stays open', () => {
  it('with a large body that comes as fast as it can', async () => {
    const upload = (await open()).request(POST);
    const responded = once(upload, 'response');
    const chunk = Buffer.alloc(1_048_576);
    for (let mb = 0; mb < 64; mb++) if (!upload.write(chunk)) await once(upload, 'drain');
    await received(60 * chunk.length);
    await judge();
    upload.end();
    const [headers] = await responded;
    expect([headers[':status'], bodyBytes]).toEqual([200, 64 * chunk.length]);
    await judge();
    expect(await isResponding()).toBe(true);
  });

  it('with a body that comes a few bytes at a time', async () => {
    const upload = (await open()).request(POST);
    for (let sent = 0; sent < 20_000; sent++) {
      upload.write('abc');
      await new Promise(setImmediate);
    }
    await received(60_000);
    await judge();
    expect(await isResponding()).toBe(true);
  });

  it('with bodies that nobody reads', async () => {
    const session = await open();
    const body = Buffer.alloc(REFUSED_BYTES);
    for (let sent = 0; sent < 200; sent++) {
      const refused = session.request({ ...POST, ':path': '/refused' });
      refused.end(body);
      const [headers] = await once(refused, 'response');
      expect(headers[':status']).toBe(401);
      refused.resume();
      await once(refused, 'close');
    }
    await judge();
    expect(await isResponding()).toBe(true);
  });
});
