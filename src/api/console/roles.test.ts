import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../http/endpoint.ts';
import { ROLES, type Role } from '../../store/person.ts';
import { type Answer, addApiKey } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { openPopulatedApi, type PopulatedApi } from '../populated-organization-fixture.ts';

/** What a person may do about themselves. */
/** About the person themselves, or only watching. */
const OWN = new Set([
  ...['changePassword', 'endSession', 'getSessions', 'signOut'].map((each) => `/api/console/${each}`),
  ...[
    'addPasskey',
    'beginAddingPasskey',
    'beginConfirmation',
    'confirmIdentity',
    'deletePasskey',
    'renamePasskey',
  ].map((each) => `/api/console/${each}`),
  '/api/camera/createPreviewGrant',
]);
const guarded = ENDPOINTS.filter(({ isOpen }) => !isOpen);

let populated: PopulatedApi;
beforeAll(async () => {
  populated = await openPopulatedApi();
});
afterAll(() => populated.close());

const isAllowed = (role: Role, needed: Role) => ROLES.indexOf(role) >= ROLES.indexOf(needed);
const expected = (role: Role, endpoint: Endpoint) =>
  isAllowed(role, endpoint.role) ? 'let in' : endpoint.role;

/** What an endpoint says to a body that none accepts. */
function verdictOf(response: LightMyRequestResponse): string {
  if (response.statusCode !== 403)
    return response.statusCode === 200 ? 'let in' : String(response.statusCode);
  const role = /^This needs the role (\w+)\./.exec(response.json<Answer>().errorMsg ?? '')?.[1];
  return role ?? 'refused without a role';
}

describe.each(ROLES)('a caller with the role %s', (role) => {
  it('is let in by every endpoint for it, and by no other, with a key', async () => {
    const { fixture } = populated;
    const { uuid } = fixture.own.organization;
    const key = await addApiKey(fixture.store, uuid, { role });
    const partnerKey = await addApiKey(fixture.store, uuid, { role, scheme: 'partner-api' });
    const seen: [string, string][] = [];
    for (const { path, scheme } of guarded) {
      const headers = { 'x-auth-apikey': scheme === 'partner-api' ? partnerKey : key };
      seen.push([path, verdictOf(await fixture.post(path, '[]', headers))]);
    }
    expect(seen).toEqual(guarded.map((endpoint) => [endpoint.path, expected(role, endpoint)]));
  });

  it('is let in by every endpoint for it, and by no other, with a cookie', async () => {
    const { fixture } = populated;
    const { console } = await signedIn(fixture, fixture.own, role);
    const seen: [string, string][] = [];
    for (const { path } of guarded) seen.push([path, verdictOf(await console.post(path, []))]);
    // What partners and devices call is not for people.
    const verdict = (endpoint: Endpoint) => (endpoint.scheme === 'api' ? expected(role, endpoint) : '401');
    expect(seen).toEqual(guarded.map((endpoint) => [endpoint.path, verdict(endpoint)]));
  });
});

describe('a viewer', () => {
  it('changes nothing: what it can call only reads, or is about itself', () => {
    const changing = guarded.filter(
      ({ role, path }) =>
        role === 'viewer' && !OWN.has(path) && !/\/(?:find|get|validate)[A-Z]\w*$/.test(path),
    );
    expect(changing.map(({ path }) => path)).toEqual([]);
  });

  it('cannot make a key, consent to an application, or register one', async () => {
    const { fixture } = populated;
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const headers = { 'x-auth-apikey': key };
    const consent = await fixture.api.inject({ method: 'GET', url: '/api/oauth/authorize', headers });
    const registration = await fixture.api.inject({
      ...{ method: 'POST', url: '/oauth/register', headers },
      payload: JSON.stringify({ redirect_uris: ['https://desk.example/back'] }),
    });
    expect([consent.statusCode, registration.statusCode]).toEqual([403, 403]);
  });
});

describe('a person', () => {
  it('cannot consent to an application: that needs a key', async () => {
    const { fixture } = populated;
    const { console } = await signedIn(fixture, fixture.own, 'admin');
    const headers = { 'x-auth-scheme': 'console', cookie: console.cookie! };
    const { body } = await fixture.api.inject({ method: 'GET', url: '/api/oauth/authorize', headers });
    expect(body).toMatch(/requires an API key/);
  });
});

describe('a key with a role', () => {
  it('is made by an admin, and makes no other', async () => {
    const { fixture } = populated;
    const path = '/api/integrations/org/submitApiTokenApplication';
    const { apiKey } = await fixture.call(path, { displayName: 'Wall', role: 'viewer' });
    const asIt = { 'x-auth-apikey': apiKey as string };
    expect(await fixture.call('/api/console/getSession', {}, asIt)).toMatchObject({ role: 'viewer' });
    expect((await fixture.post(path, { displayName: 'More', role: 'admin' }, asIt)).statusCode).toBe(403);
    const refused = await fixture.call(path, { displayName: 'Dock', role: 'viewer', reportsOnly: true });
    expect(refused.errorMsg).toBe('role must be absent if reportsOnly is true: such a key has no role.');
  });
});
