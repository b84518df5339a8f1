import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApiFixture } from '../api/api-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LongList } from '../core/long-list.ts';
import { nextTurn, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { sampleShare } from '../store/sample-entities-fixture.ts';
import { successEnvelope } from './envelope.ts';
import { pipedConnection } from './piped-connection-fixture.ts';
import { sendResponse } from './send-response.ts';

const RESPONSE = {
  type: 'object',
  properties: {
    error: { type: 'boolean' },
    errorMsg: { type: ['string', 'null'] },
    warningMsg: { type: ['string', 'null'] },
    first: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } },
    },
    total: { type: 'integer' },
    second: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
  },
};

/** Text between the response's items, so that one item exceeds the buffer of any socket. */
const FILLER = 'x'.repeat(1_000);
const MANY = 100_000;

const STALL_TIMEOUT_MS = 30_000;

let api: FastifyInstance;
let clock: FakeClock;
/** The route's result, next to the envelope. */
let result: object;
beforeEach(async () => {
  result = {};
  clock = new FakeClock();
  api = Fastify({ logger: false });
  api.setErrorHandler((error, _request, reply) =>
    reply
      .code(500)
      .serializer(JSON.stringify)
      .send({ failed: (error as Error).message }),
  );
  api.get('/', { schema: { response: { 200: RESPONSE } } }, (_request, reply) =>
    sendResponse(
      reply,
      { ...successEnvelope('Look out.'), ...result },
      { clock, stallTimeoutMs: STALL_TIMEOUT_MS },
    ),
  );
});
afterEach(() => api.close());

const numbered = (length: number) => Array.from({ length }, (_, id) => ({ id }));
const responded = async () => (await api.inject('/')).json();

/** Sends a request and does not read the response. */
async function silentClient(): Promise<Duplex> {
  await api.ready();
  const client = pipedConnection(api.server).pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return client;
}

/** Waits until no more items are created. */
async function untilStalled(maker: Maker): Promise<void> {
  for (let before = -1; maker.made === 0 || maker.made !== before; ) {
    before = maker.made;
    for (let turn = 0; turn < 500; turn++) await nextTurn();
  }
}

/** Counts items as they are created, and the largest number between two turns of the event loop. */
class Maker {
  made = 0;
  mostPerTurn = 0;
  turns = 0;
  #ofTurn = 0;
  #next: NodeJS.Immediate;

  constructor() {
    this.#next = setImmediate(() => this.#turn());
  }

  list(length: number, text?: string): LongList<object> {
    return LongList.of(numbered(length)).map(({ id }) => {
      this.made += 1;
      this.#ofTurn += 1;
      this.mostPerTurn = Math.max(this.mostPerTurn, this.#ofTurn);
      return text === undefined ? { id, hidden: 1 } : { id, text };
    });
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #turn(): void {
    this.turns += 1;
    this.#ofTurn = 0;
    this.#next = setImmediate(() => this.#turn());
  }
}

describe('a response with a long list', () => {
  const envelope = successEnvelope('Look out.');

  it.each([0, 1, STEPS_PER_SLICE, STEPS_PER_SLICE + 1, 1_000])(
    'is the same with and without slices, with %i items',
    async (length) => {
      const expected = { ...envelope, first: numbered(length), total: 7, second: numbered(length) };
      result = { first: LongList.of(numbered(length)), total: 7, second: numbered(length) };
      expect(await responded()).toEqual(expected);
    },
  );

  it('leaves out what the list leaves out, including the first and the last', async () => {
    const odd = LongList.of(numbered(501)).map(({ id }) => (id % 2 === 1 ? { id } : undefined));
    result = { first: odd, second: odd.map(() => undefined) };
    const first = numbered(501).filter(({ id }) => id % 2 === 1);
    expect(await responded()).toEqual({ ...envelope, first, second: [] });
  });

  it('is created in slices, with turns of the event loop between them', async () => {
    const maker = new Maker();
    result = { first: maker.list(1_000) };
    const { first } = await responded();
    maker.stop();
    expect(first).toEqual(numbered(1_000));
    expect(maker.mostPerTurn).toBeLessThanOrEqual(STEPS_PER_SLICE);
    expect(maker.turns).toBeGreaterThanOrEqual(Math.floor(1_000 / STEPS_PER_SLICE));
  });

  it('is a failure when the list fails before anything is sent', async () => {
    result = {
      first: LongList.of(numbered(1_000)).map(() => {
        throw new Error('no items');
      }),
    };
    const response = await api.inject('/');
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({ failed: 'no items' });
  });

  it('is cut off when the list fails later, and never ends as a success', async () => {
    result = {
      first: LongList.of(numbered(1_000)).map(({ id }) => {
        if (id === 900) throw new Error('no more items');
        return { id };
      }),
    };
    const client = await silentClient();
    const text = (await client.toArray()).join('');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    // The last chunk of a complete response.
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  it('stops when the client leaves', async () => {
    const maker = new Maker();
    result = { first: maker.list(MANY, FILLER) };
    const left = new Promise((resolve) => {
      api.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', resolve));
    });
    const client = await silentClient();
    client.resume();
    await once(client, 'data');
    client.destroy();
    await left;
    const madeByThen = maker.made;
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    maker.stop();
    expect(maker.made - madeByThen).toBeLessThanOrEqual(STEPS_PER_SLICE);
    expect(maker.made).toBeLessThan(MANY);
  });

  it('is created only as fast as the client reads', async () => {
    const maker = new Maker();
    result = { first: maker.list(MANY, FILLER) };
    const client = await silentClient();
    await untilStalled(maker);
    expect(maker.made).toBeLessThan(MANY);
    clock.advance(STALL_TIMEOUT_MS - 1);
    let bytes = 0;
    client.on('data', (chunk) => {
      bytes += chunk.length;
    });
    client.resume();
    await once(client, 'end');
    maker.stop();
    expect(maker.made).toBe(MANY);
    expect(bytes).toBeGreaterThan(MANY * FILLER.length);
  });

  it('is cut off when the client reads nothing for too long', async () => {
    const maker = new Maker();
    result = { first: maker.list(MANY, FILLER) };
    const cutOff = new Promise((resolve) => {
      api.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', resolve));
    });
    const client = await silentClient();
    await untilStalled(maker);
    clock.advance(STALL_TIMEOUT_MS);
    await cutOff;
    maker.stop();
    expect(maker.made).toBeLessThan(MANY);
    client.destroy();
  });
});

describe('/api/camera/findAllSharedLiveVideoStreams', () => {
  it('lists many shares the same way as few, newest first', async () => {
    const fixture = await openApiFixture();
    try {
      const { organization, camera } = fixture.own;
      const shares = numbered(300).map(({ id }) =>
        sampleShare(organization.uuid, {
          cameraUuid: camera.uuid,
          scheduleUuid: null,
          createdAtMs: 1_000 + id,
        }),
      );
      for (const share of shares) await fixture.store.shares.save(share);
      const all = await fixture.call('/api/camera/findAllSharedLiveVideoStreams');
      const listed = all.sharedLiveVideoStreams as { uuid: string }[];
      expect(listed.map(({ uuid }) => uuid)).toEqual(shares.toReversed().map(({ uuid }) => uuid));
      const ofCamera = await fixture.call('/api/camera/findSharedLiveVideoStreams', {
        cameraUuid: camera.uuid,
      });
      expect(ofCamera.sharedLiveVideoStreams).toEqual(listed);
      expect(all).toMatchObject({ error: false });
    } finally {
      await fixture.close();
    }
  });
});
