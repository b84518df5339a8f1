import { expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { CLIENT_ID, FakeProvider } from './fake-provider-fixture.ts';
import { OidcClient } from './oidc-client.ts';

it('reaches a provider over HTTP, and says when it cannot', async () => {
  const provider = await FakeProvider.start();
  const newClient = () =>
    new OidcClient({
      settings: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecret: 'secret',
        scopes: ['openid'],
        allowedDomains: [],
        roles: null,
        label: 'Login',
      },
      purpose: 'console',
      clock: systemClock,
      log: silentLog,
      sealingKey: Buffer.alloc(32, 1),
      redirectUri: 'http://api.example/console/oidc/callback',
    });
  const client = newClient();
  const { location, sealed } = await client.begin('/console/');
  const { searchParams } = new URL(location);
  provider.nonce = searchParams.get('nonce')!;
  const query = new URLSearchParams({ code: 'the-code', state: searchParams.get('state')! });
  expect((await client.finish(query, sealed, '127.0.0.1')).identity.subject).toBe('ada');
  await provider.close();
  await expect(newClient().begin('/console/')).rejects.toMatchObject({ code: 'OIDC_UNAVAILABLE' });
});
