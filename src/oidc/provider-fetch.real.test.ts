/** Providers of organizations are reached like webhooks: at checked addresses, without redirects. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { CLIENT_ID, FakeProvider } from './fake-provider-fixture.ts';
import { OidcClients } from './oidc-clients.ts';
import type { OidcProvider } from './oidc-providers.ts';
import { boundedProviderFetch } from './provider-fetch.ts';

const clock = systemClock;

function clientsWith(allowPrivateNetworks: boolean): OidcClients {
  const fetch = boundedProviderFetch({ clock, allowPrivateNetworks });
  const sealingKey = Buffer.alloc(32);
  return new OidcClients({ fetch, sealingKey, publicApiUrl: 'http://api.example', clock, log: silentLog });
}

function providerAt(issuer: string): OidcProvider {
  const access = { attribute: null, rules: [], defaultAccess: null };
  const settings = {
    isEnabled: true,
    domains: [],
    scopes: ['openid'],
    acceptsUnverifiedEmail: false,
    access,
  };
  return {
    uuid: newRuuid(),
    orgUuid: newRuuid(),
    name: 'Login',
    parentUuid: null,
    secret: new Secret('secret'),
    body: { ...settings, issuer, clientId: CLIENT_ID },
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

it('signs someone in over HTTP, and refuses a provider in a private network unless that is allowed', async () => {
  const peer = await FakeProvider.start();
  const provider = providerAt(peer.issuer);
  const clients = clientsWith(true);
  await clients.discover(provider);
  const identity = await clients.visit(provider, '127.0.0.1', async (client) => {
    const { location, sealed } = await client.begin('/console/');
    const { searchParams } = new URL(location);
    peer.nonce = searchParams.get('nonce')!;
    const query = new URLSearchParams({ code: 'the-code', state: searchParams.get('state')! });
    return (await client.finish(query, sealed, '127.0.0.1')).identity;
  });
  expect(identity.subject).toBe('ada');
  expect(peer.tokenRequests[0]!.get('client_secret') ?? 'in the header').not.toBe('');
  await expect(clientsWith(false).discover(provider)).rejects.toMatchObject({ code: 'OIDC_ISSUER_REFUSED' });
  await peer.close();
  await expect(clients.discover(provider)).rejects.toMatchObject({ code: 'OIDC_DISCOVERY_FAILED' });
});

it('follows no redirect, and reads no endless response', async () => {
  let isEndless = false;
  let visits = 0;
  const server = createServer((_request, response) => {
    visits += 1;
    if (isEndless) response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(300_000));
    else response.writeHead(302, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider = providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const clients = clientsWith(true);
  await expect(clients.discover(provider)).rejects.toMatchObject({ code: 'OIDC_DISCOVERY_FAILED' });
  expect(visits).toBe(1);
  isEndless = true;
  await expect(clients.discover(provider)).rejects.toMatchObject({ code: 'OIDC_DISCOVERY_FAILED' });
  server.close();
});
