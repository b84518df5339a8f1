import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { LeaseRepository } from '../store/lease.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { FakeWebhookHost } from './fake-webhook-host.ts';
import { outboundCaller } from './outbound-call.ts';
import {
  CALL_TIMEOUT_MS,
  MAX_DELIVERY_ATTEMPTS,
  WebhookDeliveries,
  type WebhookDeliveriesOptions,
} from './webhook-deliveries.ts';
import { DELIVERIES, type Delivery, type NewDelivery } from './webhook-delivery.ts';

let store: Store;
let clock: FakeClock;
let host: FakeWebhookHost;
let deliveries: WebhookDeliveries;
let orgUuid: Ruuid;
const opened: WebhookDeliveries[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  host = FakeWebhookHost.inMemory();
  deliveries = open();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await store.close();
});

function open(options: Partial<WebhookDeliveriesOptions> = {}): WebhookDeliveries {
  const { allowPrivateNetworks = true, resolveHost } = options;
  const post = outboundCaller({
    clock,
    allowPrivateNetworks,
    timeoutMs: CALL_TIMEOUT_MS,
    connect: () => host.connect(),
    ...(resolveHost === undefined ? {} : { resolveHost }),
  });
  const made = new WebhookDeliveries({
    store,
    clock,
    log: silentLog,
    allowPrivateNetworks,
    random: () => 1,
    post,
    ...options,
  });
  opened.push(made);
  return made;
}

function delivery(fields: Partial<NewDelivery> = {}): NewDelivery {
  return {
    orgUuid,
    causeUuid: newRuuid(),
    event: 'lockdown',
    url: host.url('/hook?key=1'),
    headers: { 'x-site': 'Pier 4' },
    payload: '{"a":1}',
    signingSecret: 'shared',
    oauthClient: null,
    ...fields,
  };
}

async function logged(uuid: Ruuid): Promise<Delivery> {
  return (await store.resources.of(DELIVERIES).find(orgUuid, uuid))!;
}

async function sent(fields: Partial<NewDelivery> = {}, by = deliveries): Promise<Delivery> {
  const uuid = await by.send(delivery(fields));
  await by.idle();
  return logged(uuid);
}

const oauthClient = () => ({
  tokenUrl: host.url('/token'),
  clientId: 'cli ent:1',
  clientSecret: 's/cret',
  scope: 'door',
});

describe('a delivery', () => {
  it('has the payload, the given headers and a signature that can be verified', async () => {
    const { uuid, body, secret } = await sent();
    expect(host.calls).toHaveLength(1);
    const { path, headers, body: payload } = host.calls[0]!;
    expect({ path, payload }).toEqual({ path: '/hook?key=1', payload: '{"a":1}' });
    expect(headers).toMatchObject({
      'x-site': 'Pier 4',
      'content-type': 'application/json; charset=utf-8',
      'x-sluice-delivery': uuid,
    });
    const time = clock.epochMs() / 1_000;
    const digest = createHmac('sha256', 'shared').update(`${time}.{"a":1}`).digest('hex');
    expect(headers['x-sluice-signature']).toBe(`t=${time},v1=${digest}`);
    expect(body).toEqual({
      event: 'lockdown',
      url: host.url(),
      state: 'DELIVERED',
      attempts: [{ atMs: clock.epochMs(), durationMs: 0, httpStatus: 204, errorCode: null }],
      nextAttemptAtMs: null,
    });
    expect(secret).toBeNull();
  });

  it('is retried after growing pauses, up to the limit', async () => {
    host.answer = () => ({ status: 503 });
    const { uuid } = await sent();
    const pausesMs: number[] = [];
    for (;;) {
      const { body } = await logged(uuid);
      if (body.nextAttemptAtMs === null) break;
      pausesMs.push(body.nextAttemptAtMs - clock.epochMs());
      clock.advance(pausesMs.at(-1)!);
      await deliveries.idle();
    }
    expect(pausesMs).toEqual([1_000, 4_000, 16_000, 64_000, 256_000]);
    expect(host.calls).toHaveLength(MAX_DELIVERY_ATTEMPTS);
    expect(new Set(host.calls.map(({ headers }) => headers['x-sluice-delivery']))).toEqual(new Set([uuid]));
    const { body, secret } = await logged(uuid);
    expect(body).toMatchObject({ state: 'FAILED' });
    expect(body.attempts.map(({ errorCode }) => errorCode)).toEqual(
      new Array(MAX_DELIVERY_ATTEMPTS).fill('WEBHOOK_ANSWER_REFUSED'),
    );
    expect(secret).toBeNull();
  });

  it('succeeds with a later attempt', async () => {
    host.answer = () => ({ status: host.calls.length === 1 ? 500 : 200 });
    const { uuid } = await sent();
    clock.advance(1_000);
    await deliveries.idle();
    expect((await logged(uuid)).body).toMatchObject({
      state: 'DELIVERED',
      attempts: [{ httpStatus: 500 }, { httpStatus: 200, errorCode: null }],
    });
  });

  it('draws half of each pause', async () => {
    host.answer = () => ({ status: 500 });
    const { body } = await sent({}, open({ random: () => 0 }));
    expect(body.nextAttemptAtMs! - clock.epochMs()).toBe(500);
  });

  it.each([
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['86400', 300_000],
    ['soon', 1_000],
  ])('waits as long as Retry-After: %s says, within limits', async (value, pauseMs) => {
    host.answer = () => ({ status: 429, headers: { 'retry-after': value } });
    const { body } = await sent();
    expect(body.nextAttemptAtMs! - clock.epochMs()).toBe(pauseMs);
  });

  it.each([
    [{ status: 404 }, 'WEBHOOK_ANSWER_REFUSED'],
    [{ status: 302, headers: { location: '/elsewhere' } }, 'WEBHOOK_REDIRECTED'],
  ])('is abandoned right away if another attempt would not help: %j', async (response, errorCode) => {
    host.answer = () => response;
    const { body } = await sent();
    expect(body).toMatchObject({ state: 'FAILED', attempts: [{ errorCode }], nextAttemptAtMs: null });
    expect(host.calls).toHaveLength(1);
  });

  it('is retried if no one listens and if the response never arrives', async () => {
    host.isListening = false;
    const first = await sent();
    expect(first.body).toMatchObject({
      state: 'PENDING',
      attempts: [{ errorCode: 'WEBHOOK_CONNECTION_FAILED' }],
    });
    host.isListening = true;
    await deliveries.close();
    deliveries = open();
    host.answer = () => {
      queueMicrotask(() => clock.advance(CALL_TIMEOUT_MS));
      return new Promise(() => undefined);
    };
    const { body } = await sent();
    expect(body).toMatchObject({ state: 'PENDING', attempts: [{ errorCode: 'WEBHOOK_TIMED_OUT' }] });
  });

  it('ends when the host changes the protocol', async () => {
    host.answer = () => ({ status: 101, headers: { connection: 'upgrade', upgrade: 'other' } });
    const { body } = await sent();
    expect(body.attempts).toMatchObject([{ httpStatus: null, errorCode: 'WEBHOOK_CONNECTION_FAILED' }]);
    expect(body.state).toBe('PENDING');
  });

  it('is sent once if it is requested again under its ID', async () => {
    const uuid = newRuuid();
    await sent({ uuid });
    await sent({ uuid });
    expect(host.calls).toHaveLength(1);
  });

  it('does not read an endless response', async () => {
    host.answer = () => ({ status: 200, body: 'x'.repeat(70_000) });
    expect((await sent()).body).toMatchObject({
      state: 'FAILED',
      attempts: [{ errorCode: 'WEBHOOK_ANSWER_TOO_LARGE' }],
    });
  });

  it('is sent again if the store could not record its result', async () => {
    const repository = store.resources.of(DELIVERIES);
    let isDown = false;
    const resources = {
      of: () => ({
        find: repository.find.bind(repository),
        count: repository.count.bind(repository),
        change: async (...args: Parameters<typeof repository.change>) => {
          if (isDown) throw new GatewayError(STORE_ERRORS.STORE_LOCKED);
          return repository.change(...args);
        },
      }),
    } as unknown as Store['resources'];
    host.answer = () => {
      isDown = host.calls.length === 1;
      return { status: 200 };
    };
    const by = open({ store: { resources, leases: store.leases } });
    const { uuid, body } = await sent({}, by);
    expect(body).toMatchObject({ state: 'PENDING', attempts: [] });
    clock.advance(5 * 60_000);
    await by.idle();
    expect((await logged(uuid)).body).toMatchObject({ state: 'DELIVERED' });
    expect(host.calls).toHaveLength(2);
  });

  it('continues after a restart', async () => {
    host.answer = () => ({ status: 500 });
    const { uuid } = await sent();
    await deliveries.close();
    host.answer = () => ({ status: 200 });
    const next = open();
    await next.resume();
    clock.advance(1_000);
    await next.idle();
    expect((await logged(uuid)).body).toMatchObject({ state: 'DELIVERED' });
    expect(host.calls).toHaveLength(2);
  });

  it('that another gateway makes while this one starts is not made again', async () => {
    host.answer = () => ({ status: 500 });
    const { uuid } = await sent();
    const { leases } = store;
    const take: LeaseRepository['take'] = async (...lease) => {
      // After this gateway has read that it is pending, and before its lease.
      await store.resources.of(DELIVERIES).change(orgUuid, uuid, (known) => ({
        ...known!,
        body: { ...known!.body, state: 'DELIVERED', nextAttemptAtMs: null },
        secret: null,
      }));
      return leases.take(...lease);
    };
    const release = vi.fn<LeaseRepository['release']>((lease) => leases.release(lease));
    const shared: Partial<LeaseRepository> = { isShared: true, take, release, releaseAll: async () => {} };
    const next = open({ store: { resources: store.resources, leases: shared as LeaseRepository } });
    await next.resume();
    clock.advance(1_000);
    await next.idle();
    expect(host.calls).toHaveLength(1);
    expect(release).toHaveBeenCalledOnce();
  });
});

describe('an address', () => {
  const refusing = (addresses: readonly string[]) =>
    open({
      allowPrivateNetworks: false,
      resolveHost: async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });

  it.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:127.0.0.1']], [['169.254.169.254']]])(
    'in a private network is not called: %j',
    async (addresses) => {
      const { body } = await sent({ url: host.url('/hook', 'hook.example') }, refusing(addresses));
      expect(body).toMatchObject({ state: 'FAILED', attempts: [{ errorCode: 'WEBHOOK_ADDRESS_REFUSED' }] });
      expect(host.calls).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'])(
    'written as %s is not called',
    async (hostname) => {
      const { body } = await sent(
        { url: host.url('/hook', hostname) },
        open({ allowPrivateNetworks: false }),
      );
      expect(body.attempts).toMatchObject([{ errorCode: 'WEBHOOK_ADDRESS_REFUSED' }]);
      expect(host.calls).toEqual([]);
    },
  );

  it('is looked up once and called as checked', async () => {
    let lookups = 0;
    const resolveHost = async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }];
    };
    const { body } = await sent({ url: host.url('/hook', 'hook.example') }, open({ resolveHost }));
    expect(body).toMatchObject({ state: 'DELIVERED' });
    expect(lookups).toBe(1);
    expect(host.calls[0]!.headers.host).toBe(`hook.example:${host.port}`);
  });

  it('that cannot be resolved is retried', async () => {
    const resolveHost = () => Promise.reject(new Error('ENOTFOUND'));
    const { body } = await sent({ url: 'https://hook.example/' }, open({ resolveHost }));
    expect(body).toMatchObject({ state: 'PENDING', attempts: [{ errorCode: 'WEBHOOK_HOST_UNKNOWN' }] });
  });
});

describe('client credentials', () => {
  const token = { access_token: 'abc', token_type: 'Bearer', expires_in: 3_600 };
  const tokenCalls = () => host.calls.filter(({ path }) => path === '/token');

  it('fetch a token once and send it', async () => {
    host.answer = ({ path }) =>
      path === '/token' ? { status: 200, body: JSON.stringify(token) } : { status: 200 };
    for (let index = 0; index < 2; index++) {
      expect((await sent({ oauthClient: oauthClient() })).body.state).toBe('DELIVERED');
    }
    expect(tokenCalls()).toHaveLength(1);
    const { headers, body } = tokenCalls()[0]!;
    expect(Buffer.from(headers.authorization!.slice(6), 'base64').toString()).toBe('cli+ent%3A1:s%2Fcret');
    expect(body).toBe('grant_type=client_credentials&scope=door');
    expect(host.calls.at(-1)!.headers.authorization).toBe('Bearer abc');
    clock.advance(3_600_000);
    await sent({ oauthClient: oauthClient() });
    expect(tokenCalls()).toHaveLength(2);
  });

  it('fetch a token once for deliveries that are made at the same time', async () => {
    host.answer = ({ path }) =>
      path === '/token' ? { status: 200, body: JSON.stringify(token) } : { status: 200 };
    const oauth = { oauthClient: oauthClient() };
    await Promise.all([deliveries.send(delivery(oauth)), deliveries.send(delivery(oauth))]);
    await deliveries.idle();
    expect(host.calls.map(({ path }) => path)).toEqual(['/token', '/hook?key=1', '/hook?key=1']);
  });

  it('fetch another token when the host refuses theirs', async () => {
    let calls = 0;
    host.answer = ({ path }) => {
      if (path === '/token') return { status: 200, body: JSON.stringify(token) };
      calls += 1;
      return { status: calls === 1 ? 401 : 200 };
    };
    const { uuid } = await sent({ oauthClient: oauthClient() });
    clock.advance(1_000);
    await deliveries.idle();
    expect((await logged(uuid)).body.state).toBe('DELIVERED');
    expect(tokenCalls()).toHaveLength(2);
  });

  it.each([
    [400, '{"error":"invalid_client"}'],
    [200, 'not JSON'],
    [200, '{"access_token":"a\\r\\nx: y","token_type":"Bearer"}'],
    [200, '{"access_token":"abc","token_type":"mac"}'],
  ])('without a token hold back the payload: %i %s', async (status, body) => {
    host.answer = () => ({ status, body });
    const failed = await sent({ oauthClient: oauthClient() });
    expect(failed.body.attempts).toMatchObject([{ errorCode: 'WEBHOOK_TOKEN_REFUSED' }]);
    expect(host.calls).toHaveLength(1);
  });

  it('cannot use a token server in a private network', async () => {
    const { body } = await sent({ oauthClient: oauthClient() }, open({ allowPrivateNetworks: false }));
    expect(body.attempts).toMatchObject([{ errorCode: 'WEBHOOK_ADDRESS_REFUSED' }]);
    expect(host.calls).toEqual([]);
  });
});

describe('many deliveries', () => {
  it('run a few at a time for one organization', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    host.answer = async () => {
      running += 1;
      most = Math.max(most, running);
      if (host.calls.length === 4) gate.resolve();
      await gate.promise;
      running -= 1;
      return { status: 200 };
    };
    for (let index = 0; index < 12; index++) await deliveries.send(delivery());
    await deliveries.idle();
    expect(host.calls).toHaveLength(12);
    expect(most).toBe(4);
  });
});
