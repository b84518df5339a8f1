import { expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeWebhookHost } from './fake-webhook-host.ts';
import { outboundCaller, type ResolveHost } from './outbound-call.ts';

it('looks a host up once, calls the address that was checked, and says when no one listens', async () => {
  const host = await FakeWebhookHost.open();
  let lookups = 0;
  const resolveHost: ResolveHost = async () => {
    lookups += 1;
    return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }];
  };
  const post = outboundCaller({
    clock: systemClock,
    allowPrivateNetworks: true,
    timeoutMs: 60_000,
    resolveHost,
  });
  const url = new URL(host.url('/hook?key=1', 'hook.example'));
  const call = { url, headers: { 'x-site': 'Pier 4' }, body: '{}', signal: new AbortController().signal };
  expect(await post(call)).toEqual({ status: 204, retryAfter: null, contentType: null, body: '' });
  expect(lookups).toBe(1);
  expect(host.calls).toMatchObject([
    { path: '/hook?key=1', headers: { host: `hook.example:${host.port}`, 'x-site': 'Pier 4' }, body: '{}' },
  ]);
  await host.close();
  lookups = 0;
  await expect(post(call)).rejects.toMatchObject({ code: 'WEBHOOK_CONNECTION_FAILED' });
});
