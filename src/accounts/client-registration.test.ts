import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { registerClient } from './client-registration.ts';
import { OAuthApplications } from './oauth-applications.ts';
import { MAX_REDIRECT_URI_LENGTH } from './redirect-uri.ts';

const REDIRECT_URI = 'https://desk.example/callback';

let store: Store;
let applications: OAuthApplications;
let orgUuid: Ruuid;
beforeEach(async () => {
  const clock = new FakeClock();
  store = await openTestStore(clock);
  applications = new OAuthApplications({ store, rules: { applied: () => undefined }, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
});
afterEach(() => store.close());

const register = (metadata: object) =>
  registerClient(orgUuid, { redirect_uris: [REDIRECT_URI], ...metadata }, applications);

describe('the registration of a client', () => {
  it('creates an application from its metadata, and ignores what it does not know', async () => {
    const contacts = ['desk@example.com', 'other@example.com'];
    const { application, secret, authMethod } = await register({
      client_name: ' Desk ',
      contacts,
      tos_uri: 'https://desk.example/terms',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: null,
    });
    expect(application).toMatchObject({
      orgUuid,
      name: 'Desk',
      redirectUri: REDIRECT_URI,
      contactEmail: 'desk@example.com',
    });
    expect(authMethod).toBe('client_secret_post');
    expect(await applications.authenticate(application.uuid, secret!)).toEqual(application);
    expect((await register({})).authMethod).toBe('client_secret_basic');
  });

  it('makes an application without a secret of a public client', async () => {
    const { application, secret, authMethod } = await register({ token_endpoint_auth_method: 'none' });
    expect([secret, authMethod]).toEqual([null, 'none']);
    expect(await applications.authenticate(application.uuid, '')).toEqual(application);
    await expect(applications.authenticate(application.uuid, 'x')).rejects.toMatchObject({
      code: 'OAUTH_INVALID_CLIENT',
    });
  });

  it.each([
    ['https://desk.example/callback', 'desk.example'],
    ['com.example.app:/callback', 'com.example.app'],
  ])('names a client without a name after %s', async (redirectUri, name) => {
    const { application } = await register({ redirect_uris: [redirectUri], client_name: ' ' });
    expect(application.name).toBe(name);
  });

  const tooLong = `${REDIRECT_URI}?${'x'.repeat(MAX_REDIRECT_URI_LENGTH)}`;
  it.each([
    ['no redirect URI', { redirect_uris: undefined }, 'OAUTH_INVALID_REDIRECT_URI'],
    ['two redirect URIs', { redirect_uris: [REDIRECT_URI, REDIRECT_URI] }, 'OAUTH_INVALID_REDIRECT_URI'],
    ['a redirect URI too long', { redirect_uris: [tooLong] }, 'OAUTH_INVALID_REDIRECT_URI'],
    ['a plain redirect URI', { redirect_uris: ['http://desk.example/'] }, 'OAUTH_REDIRECT_URI_INVALID'],
    [
      'a key for a secret',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'OAUTH_INVALID_CLIENT_METADATA',
    ],
    ['refreshing alone', { grant_types: ['refresh_token'] }, 'OAUTH_INVALID_CLIENT_METADATA'],
    ['another grant', { grant_types: ['authorization_code', 'implicit'] }, 'OAUTH_INVALID_CLIENT_METADATA'],
    ['a string for a list', { response_types: 'code' }, 'OAUTH_INVALID_CLIENT_METADATA'],
    ['a string for contacts', { contacts: 'desk@example.com' }, 'OAUTH_INVALID_CLIENT_METADATA'],
    ['a number for a contact', { contacts: [7] }, 'OAUTH_INVALID_CLIENT_METADATA'],
    ['a name too long', { client_name: 'x'.repeat(257) }, 'OAUTH_INVALID_CLIENT_METADATA'],
  ])('refuses %s', async (_what, metadata, code) => {
    await expect(register(metadata)).rejects.toMatchObject({ code });
    expect(await applications.list(orgUuid)).toEqual([]);
  });
});
