/** One organization, or one address, cannot use up what all sign-ins at providers of organizations share. */

import { expect, it } from 'vitest';
import type { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { OidcClients } from './oidc-clients.ts';
import type { OidcProvider } from './oidc-providers.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: GatewayError) => thrown.code,
  );
const silent = new Promise<never>(() => undefined);

function open(reads: string[] = []): OidcClients {
  return new OidcClients({
    fetch: (url) => {
      reads.push(url);
      return Promise.reject(new TypeError('fetch failed'));
    },
    sealingKey: Buffer.alloc(32),
    publicApiUrl: 'http://api.example',
    clock: new FakeClock(),
    log: silentLog,
  });
}

function providerOf(orgUuid: Ruuid): OidcProvider {
  const access = { attribute: null, rules: [], defaultAccess: null };
  const settings = { isEnabled: true, domains: [], scopes: [], acceptsUnverifiedEmail: false, access };
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Login',
    parentUuid: null,
    secret: new Secret('x'),
    body: { ...settings, issuer: 'https://login.example', clientId: 'sluice' },
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

it('visits providers of another organization, and for another address', async () => {
  const clients = open();
  const [greedy, other] = [providerOf(newRuuid()), providerOf(newRuuid())];
  const { organization } = LIMITS.oidcProviderVisits.levels;
  for (let count = 0; count < organization.max; count++) {
    void clients.visit(greedy, `192.0.2.${count}`, () => silent);
  }
  expect(await codeOf(clients.visit(greedy, '192.0.2.99', async () => 1))).toBe('OIDC_BUSY');
  expect(await codeOf(clients.discover(greedy))).toBe('OIDC_BUSY');
  expect(await clients.visit(other, '192.0.2.99', async () => 1)).toBe(1);
});

it('keeps what is known of the provider of another organization, however many one has', async () => {
  const clients = open();
  const other = providerOf(newRuuid());
  const known = await clients.visit(other, '192.0.2.1', async (client) => client);
  const greedy = newRuuid();
  for (let count = 0; count < LIMITS.oidcClients.total + 10; count++) {
    await clients.visit(providerOf(greedy), '192.0.2.2', async () => 1);
  }
  expect(await clients.visit(other, '192.0.2.1', async (client) => client)).toBe(known);
});

it('forgets what was known when the provider changes', async () => {
  const clients = open();
  const provider = providerOf(newRuuid());
  const clientOf = (now: OidcProvider) => clients.visit(now, '192.0.2.1', async (client) => client);
  const known = await clientOf(provider);
  expect(await clientOf({ ...provider })).toBe(known);
  expect(await clientOf({ ...provider, secret: new Secret('y') })).not.toBe(known);
});
