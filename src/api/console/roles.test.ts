import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { ROLES, type Role } from '../../store/person.ts';
import { type Answer, addApiKey } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { identifierFor, openPopulatedApi, type PopulatedApi } from '../populated-organization-fixture.ts';
import { exampleBody } from '../schema-samples-fixture.ts';

/** About the person themselves, or only watching. */
const OWN = new Set([
  ...['changePassword', 'endSession', 'getSessions', 'signOut'].map((each) => `/api/console/${each}`),
  ...[
    'addPasskey',
    'addPushSubscription',
    'beginAddingPasskey',
    'beginConfirmation',
    'beginPushSubscription',
    'confirmIdentity',
    'deletePasskey',
    'deletePushSubscription',
    'renamePasskey',
  ].map((each) => `/api/console/${each}`),
  '/api/camera/createPreviewGrant',
  '/api/customer/updateCurrentUserNotificationSettings',
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

/** An endpoint's verdict on a body that none accepts. */
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
    // Calls of partners and devices are not for people.
    const verdict = (endpoint: Endpoint) => (endpoint.scheme === 'api' ? expected(role, endpoint) : '401');
    expect(seen).toEqual(guarded.map((endpoint) => [endpoint.path, verdict(endpoint)]));
  });
});

describe('a viewer', () => {
  it('changes nothing: what it can call only reads, or is about itself', () => {
    const changing = guarded.filter(
      ({ role, path }) =>
        role === 'viewer' && !OWN.has(path) && !/\/(?:(?:find|get|validate)[A-Z]\w*|export\/\w+)$/.test(path),
    );
    expect(changing.map(({ path }) => path)).toEqual([]);
  });

  it('cannot make a key, consent to an application, or register one', async () => {
    const { fixture } = populated;
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const headers = { 'x-auth-apikey': key };
    const consent = await fixture.api.inject({ method: 'GET', url: '/api/oauth/authorize', headers });
    const registration = await fixture.api.inject({
      method: 'POST',
      url: '/oauth/register',
      headers,
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

describe('the role that only watches', () => {
  /** All responses that a viewer can read with `headers`. */
  async function readAll(headers: Record<string, string>): Promise<string> {
    const { fixture, own } = populated;
    const responses: string[] = [];
    for (const endpoint of guarded.filter(({ scheme, role }) => scheme === 'api' && role === 'viewer')) {
      if (!/\/(?:find|get)\w+$/.test(endpoint.path)) continue;
      const body = exampleBody(endpoint, (field) => identifierFor(own, endpoint.path, field));
      responses.push((await fixture.post(endpoint.path, body, headers)).body);
    }
    return responses.join('\n');
  }

  it('gets no address and no program of anyone who watches, from any call', async () => {
    const { fixture, own } = populated;
    const { organization } = own.org;
    const from = { address: '198.51.100.77', userAgent: 'Spyglass/7' };
    const share = (await fixture.store.shares.find(organization.uuid, own.identifiers.shareUuid as Ruuid))!;
    fixture.watch(share.uuid, { ip: from.address, headers: { 'user-agent': from.userAgent } });
    fixture.audit.shareOpened(share, from);
    // The examples of these two ask for little.
    const read = async (headers: Record<string, string>) =>
      [
        await readAll(headers),
        (await fixture.post('/api/report/findAuditEvents', {}, headers)).body,
        (await fixture.post('/api/report/getAuditFeed', {}, headers)).body,
      ].join('\n');
    const ofAdmin = await read(own.headers);
    expect(Object.values(from).filter((part) => !ofAdmin.includes(part))).toEqual([]);
    const key = await addApiKey(fixture.store, organization.uuid, { role: 'viewer' });
    const ofViewer = await read({ 'x-auth-apikey': key });
    expect(ofViewer.includes('"VIEW_SHARE_STREAM"')).toBe(true);
    expect(Object.values(from).filter((part) => ofViewer.includes(part))).toEqual([]);
  });

  it('gets no link that it could pass on, from any call', async () => {
    const { fixture, own } = populated;
    const { sharedStreams } = await fixture.call('/api/camera/findSharedStreams', {}, own.headers);
    const tokens = (sharedStreams as { readonly pageUrl: string }[]).map(
      ({ pageUrl }) => new URL(pageUrl).pathname.split('/').at(-1)!,
    );
    expect(tokens.length).toBeGreaterThan(1);
    const ofAdmin = await readAll(own.headers);
    expect(tokens.some((token) => ofAdmin.includes(token))).toBe(true);
    const key = await addApiKey(fixture.store, own.org.organization.uuid, { role: 'viewer' });
    const ofViewer = await readAll({ 'x-auth-apikey': key });
    expect(ofViewer).toContain(own.identifiers.shareUuid);
    expect(tokens.filter((token) => ofViewer.includes(token))).toEqual([]);
  });
});
