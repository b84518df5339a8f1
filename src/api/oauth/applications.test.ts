import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_APPLICATIONS_PER_ORG } from '../../accounts/oauth-applications.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const SUBMIT = '/api/oauth/submitApplication';
const GET = '/api/oauth/getApplicationByClientId';
const LIST = '/api/oauth/getAllApplicationsForOrg';
const UPDATE = '/api/oauth/updateApplication';
const DELETE = '/api/oauth/deleteApplication';

const DETAILS = {
  name: ' Visitor desk ',
  description: 'Shows the entrance.',
  contactEmail: 'desk@example.com',
  redirectUri: 'https://desk.example/callback',
};

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

describe('OAuth applications', () => {
  it('are registered with a secret that is shown once', async () => {
    const { clientId, clientSecret } = await fixture.call(SUBMIT, DETAILS);
    expect(clientSecret).toMatch(/^slo_cs_[\w-]{43}$/);
    const application = {
      ...DETAILS,
      name: 'Visitor desk',
      clientId,
      clientSecretHash: hashApiKey(clientSecret as string),
      orgUuid: fixture.own.organization.uuid,
    };
    expect((await fixture.call(GET, { clientId })).application).toEqual(application);
    expect((await fixture.call(LIST)).oauthApplications).toEqual([application]);
    expect((await fixture.call(LIST, {}, foreignHeaders)).oauthApplications).toEqual([]);
  });

  it('get a new secret when they are submitted again, and the old one stops working', async () => {
    const oauth = new OAuthTester(fixture);
    const before = await oauth.register();
    const after = await fixture.call(SUBMIT, { clientId: before.clientId, name: 'Desk' }, foreignHeaders);
    expect(after.clientId).toBe(before.clientId);
    expect((await oauth.tokens({ ...before, clientSecret: after.clientSecret as string })).token_type).toBe(
      'Bearer',
    );
    expect(await oauth.tokens(before)).toMatchObject({ error: 'invalid_client' });
    const { application } = await fixture.call(GET, { clientId: before.clientId }, foreignHeaders);
    expect(application).toMatchObject({ name: 'Desk' });
  });

  it('change only in the given fields', async () => {
    const { clientId } = await fixture.call(SUBMIT, DETAILS);
    const redirectUri = 'com.example.desk:/callback';
    expect(await fixture.call(UPDATE, { clientId, redirectUri, description: null })).toMatchObject({
      error: false,
    });
    const { application } = await fixture.call(GET, { clientId });
    expect(application).toMatchObject({
      redirectUri,
      name: 'Visitor desk',
      description: DETAILS.description,
    });
  });

  it('are deleted', async () => {
    const { clientId } = await fixture.call(SUBMIT, DETAILS);
    expect(await fixture.call(DELETE, { clientId, ...DETAILS })).toMatchObject({ error: false });
    expect((await fixture.call(LIST)).oauthApplications).toEqual([]);
    expect(await fixture.call(DELETE, { clientId })).toMatchObject({ error: true });
  });

  it('belong to no one else', async () => {
    const { clientId } = await fixture.call(SUBMIT, DETAILS);
    const unknown = await fixture.call(GET, { clientId: newRuuid() });
    for (const [path, details] of [[SUBMIT, DETAILS], [GET], [UPDATE, DETAILS], [DELETE]] as const) {
      expect(await fixture.call(path, { ...details, clientId }, foreignHeaders)).toEqual(unknown);
    }
    expect((await fixture.call(LIST)).oauthApplications).toHaveLength(1);
  });

  it.each([
    [{ name: undefined }, 'name is required.'],
    [{ name: ' ' }, 'name must not be blank.'],
    [{ redirectUri: undefined }, 'redirectUri is required.'],
    [{ redirectUri: '/callback' }, 'redirectUri must be an absolute URI.'],
    [{ redirectUri: 'https://desk.example/a b' }, 'redirectUri must be an absolute URI.'],
    [{ redirectUri: 'https:\\\\desk.example' }, 'redirectUri must be an absolute URI.'],
    [{ redirectUri: 'https://desk.example/#' }, 'redirectUri must not have a fragment.'],
    [{ redirectUri: 'https://a:b@desk.example/' }, 'redirectUri must not have user info.'],
    [{ redirectUri: 'http://desk.example/' }, /^redirectUri must use https/],
    [{ redirectUri: 'javascript:alert(1)' }, /^redirectUri must use https/],
    [{ redirectUri: 'data:text/html,x' }, /^redirectUri must use https/],
    [{ redirectUri: 'http://127.0.0.1.example/' }, /^redirectUri must use https/],
  ])('are refused with %j', async (changes, sentence) => {
    const { error, errorMsg } = await fixture.call(SUBMIT, { ...DETAILS, ...changes });
    expect([error, errorMsg]).toEqual([true, expect.stringMatching(sentence)]);
    expect((await fixture.call(LIST)).oauthApplications).toEqual([]);
  });

  it.each(['http://127.0.0.1:7777/cb', 'http://[::1]/cb', 'http://localhost/cb', 'com.example.app:/cb'])(
    'can have a redirect URI at %s',
    async (redirectUri) => {
      expect(await fixture.call(SUBMIT, { ...DETAILS, redirectUri })).toMatchObject({ error: false });
    },
  );

  it('are limited in number', async () => {
    for (let i = 0; i < MAX_APPLICATIONS_PER_ORG; i++) {
      await fixture.call(SUBMIT, DETAILS);
    }
    expect((await fixture.call(SUBMIT, DETAILS)).errorMsg).toMatch(/limit of OAuth applications/);
  });
});
