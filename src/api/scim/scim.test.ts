/** Provisioning as directories use it: over the real routes and store, with two organizations. */

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Person } from '../../store/person.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, PASSWORD, signedIn } from '../console-fixture.ts';
import { ENTERPRISE, GROUP_SCHEMA, type ScimResource, ScimTester, USER_SCHEMA } from '../scim-fixture.ts';

let fixture: ApiFixture;
let scim: ScimTester;

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 100_000, perSec: 100_000 } } });
  const opened = fixture;
  onTestFinished(() => opened.close());
  scim = await ScimTester.open(fixture, fixture.own);
});

const ada = { schemas: [USER_SCHEMA], userName: 'ada@example.com', displayName: 'Ada Lovelace' };

async function personOf(id: string, org = fixture.own): Promise<Person | undefined> {
  return (await fixture.store.people.list(org.organization.uuid)).find(({ uuid }) => uuid === id);
}

const disable = [{ op: 'Replace', path: 'active', value: 'False' }];

describe('a token', () => {
  it.each([
    ['none', ''],
    ['an unknown one', 'Bearer slv_unknown'],
    ['another kind of credential', 'Basic c2x1aWNl'],
  ])(
    'is needed: %s is 401, with the challenge, and before the body is read',
    async (_name, authorization) => {
      const body = 'x'.repeat(10 * 1_024 * 1_024);
      const refused = await scim.send('POST', '/Users', body, { authorization });
      expect(refused.statusCode).toBe(401);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="scim"');
      expect(refused.json()).toMatchObject({ status: '401' });
    },
  );

  it('of an API key is refused, and a token opens nothing else', async () => {
    const asKey = await scim.get('/Users', { authorization: `Bearer ${fixture.own.apiKey}` });
    expect(asKey.statusCode).toBe(401);
    const asToken = await fixture.post('/api/console/getPeople', {}, { 'x-auth-apikey': scim.token });
    expect(asToken.statusCode).toBe(401);
  });

  it('is one of several, each of which ends alone, and shows its last request', async () => {
    const next = await ScimTester.open(fixture, fixture.own, 'Entra 2027');
    const list = async () =>
      (await fixture.call('/api/console/getScimProvisioning')).tokens as {
        tokenUuid: string;
        name: string;
        lastRequest: { path: string; status: number; method: string; detail: string | null } | null;
      }[];
    await scim.get('/Users?filter=userName eq "ada@example.com"');
    await next.get('/Users/unknown');
    const tokens = await list();
    const [first, second] = ['Entra', 'Entra 2027'].map((name) => tokens.find((each) => each.name === name));
    expect(first).toMatchObject({
      name: 'Entra',
      lastRequest: { method: 'GET', path: '/Users', status: 200 },
    });
    expect(second?.lastRequest).toMatchObject({
      path: '/Users/unknown',
      status: 404,
      detail: 'There is no resource with this ID.',
    });
    await fixture.call('/api/console/revokeScimToken', { tokenUuid: first?.tokenUuid });
    expect((await scim.get('/Users')).statusCode).toBe(401);
    expect((await next.get('/Users')).statusCode).toBe(200);
    expect((await list()).map(({ name }) => name)).toEqual(['Entra 2027']);
  });

  it('is not stored', async () => {
    const rows = JSON.stringify(await fixture.call('/api/console/getScimProvisioning'));
    expect(rows).not.toContain(scim.token);
  });
});

describe('users', () => {
  it('adds a person who cannot sign in with a password and sees nothing', async () => {
    const created = await scim.post('/Users', { ...ada, externalId: 'e-1', active: true });
    expect(created.statusCode, created.body).toBe(201);
    expect(created.headers['content-type']).toMatch(/^application\/scim\+json/);
    const user = created.json<ScimResource>();
    expect(created.headers.location).toBe(user.meta.location);
    expect(user.meta.location).toBe(`http://api.example/scim/v2/Users/${user.id}`);
    expect(await personOf(user.id)).toMatchObject({
      uuid: user.id,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      role: 'viewer',
      scope: { locationUuids: [], cameraUuids: [] },
      passwordHash: null,
      disabled: false,
    });
    const read = await scim.get(`/Users/${user.id}`);
    expect(read.json()).toEqual(created.json());
  });

  it('finds people as Entra ID and Okta look for them', async () => {
    const { id } = await scim.user('Ada@Example.com', {
      externalId: 'e-1',
      emails: [{ type: 'work', value: 'ada@example.com', primary: true }],
    });
    for (const filter of [
      'userName eq "ada@example.com"',
      'externalId eq "e-1"',
      'emails[type eq "work"].value eq "ada@example.com"',
      'id pr and active eq true and userName sw "ADA"',
    ]) {
      const found = await scim.get(`/Users?filter=${encodeURIComponent(filter)}`);
      expect(found.json(), filter).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    }
    const none = await scim.get(`/Users?filter=${encodeURIComponent('userName eq "no one"')}`);
    expect(none.json()).toMatchObject({ totalResults: 0, itemsPerPage: 0, Resources: [] });
  });

  it('pages, sorts, and selects attributes', async () => {
    for (const name of ['cara', 'ada', 'bob']) {
      await scim.user(`${name}@example.com`, {
        displayName: name,
        name: { familyName: 'x', givenName: name },
      });
    }
    const namesOf = async (query: string) => {
      const { Resources } = (await scim.get(`/Users?${query}`)).json<{
        Resources: { displayName: string }[];
      }>();
      return Resources.map(({ displayName }) => displayName);
    };
    expect(await namesOf('sortBy=userName')).toEqual(['ada', 'bob', 'cara']);
    expect(await namesOf('sortBy=name.givenName&sortOrder=descending')).toEqual(['cara', 'bob', 'ada']);
    expect(await namesOf('sortBy=userName&startIndex=2&count=1')).toEqual(['bob']);
    expect((await scim.get('/Users?startIndex=-5&count=0')).json()).toMatchObject({
      totalResults: 3,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim.get('/Users?startIndex=1&count=999999999')).json()).toMatchObject({ itemsPerPage: 3 });
    const { Resources } = (await scim.get('/Users?attributes=name.givenName&sortBy=userName&count=1')).json<{
      Resources: object[];
    }>();
    expect(Object.keys(Resources[0]!).toSorted()).toEqual(['id', 'name', 'schemas']);
    expect(Resources[0]).toMatchObject({ name: { givenName: 'ada' } });
    const without = (
      await scim.get('/Users?excludedAttributes=meta,name.familyName&sortBy=userName&count=1')
    ).json<{ Resources: object[] }>();
    expect((without.Resources[0] as { name: object }).name).toEqual({ givenName: 'ada' });
    expect(without.Resources[0]).not.toHaveProperty('meta');
    const searched = await scim.post('/.search', { filter: 'userName sw "b"', attributes: ['userName'] });
    expect(searched.json()).toMatchObject({ totalResults: 1, Resources: [{ userName: 'bob@example.com' }] });
  });

  it('changes a person by PATCH and PUT', async () => {
    const { id } = await scim.user('ada@example.com');
    const patched = await scim.patch(`/Users/${id}`, [
      { op: 'Replace', path: 'userName', value: 'ada@new.example' },
      { op: 'Add', path: 'name.givenName', value: 'Ada' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Analysis' },
    ]);
    expect(patched.json()).toMatchObject({
      userName: 'ada@new.example',
      [ENTERPRISE]: { department: 'Analysis' },
    });
    expect(await personOf(id)).toMatchObject({ email: 'ada@new.example', name: 'Ada' });
    const put = await scim.send('PUT', `/Users/${id}`, { ...ada, active: false });
    expect(put.json()).toMatchObject({ active: false, displayName: 'Ada Lovelace' });
    expect(put.json()).not.toHaveProperty(ENTERPRISE);
    expect(await personOf(id)).toMatchObject({ email: 'ada@example.com', disabled: true });
    // A PUT that does not say lets no one in.
    await scim.send('PUT', `/Users/${id}`, ada);
    expect(await personOf(id)).toMatchObject({ disabled: true });
  });

  it('ends sessions and API keys of a person who is disabled or removed, and keeps their links', async () => {
    for (const end of ['disable', 'remove'] as const) {
      const { console, person } = await signedIn(fixture, fixture.own, 'admin', {
        email: `${end}@example.com`,
      });
      await addPerson(fixture, fixture.own, 'admin', { email: `other-${end}@example.com` });
      const { apiKey } = await console.call('/api/integrations/org/submitApiTokenApplication', {
        displayName: end,
      });
      await console.call('/api/camera/createSharedLiveVideoStream', {
        cameraUuid: fixture.own.camera.uuid,
      });
      const withKey = { 'x-auth-apikey': apiKey as string };
      expect((await fixture.post('/api/org/getOrgV2', {}, withKey)).statusCode).toBe(200);
      const ended =
        end === 'disable'
          ? await scim.patch(`/Users/${person.uuid}`, disable)
          : await scim.remove(`/Users/${person.uuid}`);
      expect(ended.statusCode, ended.body).toBe(end === 'disable' ? 200 : 204);
      expect((await console.post('getPeople')).statusCode).toBe(401);
      expect((await fixture.post('/api/org/getOrgV2', {}, withKey)).statusCode).toBe(401);
      const shares = await fixture.store.shares.list(fixture.own.organization.uuid);
      expect(shares).toHaveLength(end === 'disable' ? 1 : 2);
      const signIn = await console.post('signIn', { email: person.email, password: PASSWORD });
      expect(signIn.json()).toMatchObject({ error: true });
      expect((await scim.get(`/Users/${person.uuid}`)).statusCode).toBe(end === 'disable' ? 200 : 404);
    }
  });

  it('records each change under the name of the token', async () => {
    const { id } = await scim.user('ada@example.com');
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'displayName', value: 'Countess' }]);
    await scim.patch(`/Users/${id}`, disable);
    await scim.remove(`/Users/${id}`);
    await fixture.audit.settled();
    const { auditEvents } = await fixture.call('/api/report/getAuditFeed');
    const all = auditEvents as { action: string; principalName: string; targetUuid: string }[];
    const rows = all.filter(({ targetUuid }) => targetUuid === id);
    const ofToken = rows.filter(({ principalName }) => principalName === 'Entra (SCIM)');
    expect(ofToken.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'USER_CREATE',
        'SCIM_USER_CREATE',
        'USER_UPDATE',
        'SCIM_USER_UPDATE',
        'DELETE_USER',
      ]),
    );
    expect(ofToken).toHaveLength(rows.length);
  });
});

describe('the last administrator with a password', () => {
  it.each([
    ['is not disabled', (id: string) => scim.patch(`/Users/${id}`, disable)],
    ['is not removed', (id: string) => scim.remove(`/Users/${id}`)],
  ])('%s, though one without a password remains', async (_name, end) => {
    const local = await addPerson(fixture, fixture.own, 'admin');
    await addPerson(fixture, fixture.own, 'admin', { passwordHash: null, email: 'sso@example.com' });
    const refused = await end(local.uuid);
    expect(refused.statusCode).toBe(403);
    expect(await personOf(local.uuid)).toEqual(local);
    // What the directory reads is what is so.
    expect((await scim.get(`/Users/${local.uuid}`)).json()).toMatchObject({ active: true });
  });

  it('keeps the role when groups would take it', async () => {
    const local = await addPerson(fixture, fixture.own, 'admin');
    await fixture.call('/api/console/setScimMapping', { group: 'Guards', role: 'viewer' });
    await scim.patch(`/Users/${local.uuid}`, [{ op: 'replace', path: 'title', value: 'Boss' }]);
    await scim.group('Guards', [local.uuid]);
    expect(await personOf(local.uuid)).toMatchObject({ role: 'admin' });
  });
});

describe('an administrator whose rights do not come from groups', () => {
  it('keeps the address, with which others could sign in as them', async () => {
    const admins = [
      await addPerson(fixture, fixture.own, 'admin', { email: 'root@example.com' }),
      await addPerson(fixture, fixture.own, 'admin', { email: 'sso@example.com', passwordHash: null }),
    ];
    for (const admin of admins) {
      for (const operation of [
        { op: 'replace', path: 'userName', value: 'mallory@example.com' },
        {
          op: 'replace',
          value: { userName: 'x', emails: [{ value: 'mallory@example.com', primary: true }] },
        },
      ]) {
        expect((await scim.patch(`/Users/${admin.uuid}`, [operation])).statusCode).toBe(403);
      }
      const userName = String(admin.email).toUpperCase();
      const same = await scim.patch(`/Users/${admin.uuid}`, [
        { op: 'replace', value: { userName, title: 'x' } },
      ]);
      expect(same.statusCode, same.body).toBe(200);
      expect((await personOf(admin.uuid))?.role).toBe('admin');
    }
    await fixture.call('/api/console/setScimMapping', { group: 'Admins', role: 'admin' });
    await scim.group('Admins', [admins[1]!.uuid]);
    const moved = await scim.patch(`/Users/${admins[1]!.uuid}`, [
      { op: 'replace', path: 'userName', value: 'moved@example.com' },
      { op: 'remove', path: 'emails' },
    ]);
    expect(moved.statusCode, moved.body).toBe(200);
    expect(await personOf(admins[1]!.uuid)).toMatchObject({ email: 'moved@example.com' });
  });
});

describe('groups', () => {
  it('has members, who see their groups', async () => {
    const { id: userId } = await scim.user('ada@example.com');
    const { id } = await scim.group('Guards', [userId], { externalId: 'g-1' });
    expect((await scim.get(`/Users/${userId}`)).json()).toMatchObject({
      groups: [{ value: id, display: 'Guards', type: 'direct' }],
    });
    const removed = await scim.patch(`/Groups/${id}`, [
      { op: 'Remove', path: 'members', value: [{ value: userId }] },
    ]);
    expect(removed.json()).not.toHaveProperty('members');
    await scim.patch(`/Groups/${id}`, [{ op: 'Add', path: 'members', value: [{ value: userId }] }]);
    await scim.remove(`/Users/${userId}`);
    expect((await scim.get(`/Groups/${id}`)).json()).not.toHaveProperty('members');
    expect((await scim.get(`/Groups/${id}?excludedAttributes=members`)).statusCode).toBe(200);
    expect((await scim.remove(`/Groups/${id}`)).statusCode).toBe(204);
    expect((await scim.get(`/Groups/${id}`)).statusCode).toBe(404);
  });

  it('refuses members that are no users, and a name twice', async () => {
    const { id } = await scim.group('Guards');
    const member = { value: 'unknown' };
    const refused = await scim.patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value: [member] }]);
    expect(refused.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const twice = await scim.post('/Groups', { schemas: [GROUP_SCHEMA], displayName: 'guards' });
    expect(twice.json()).toMatchObject({ status: '409', scimType: 'uniqueness' });
  });
});

describe('a group within a group', () => {
  it.each([
    ['named as one', 'Group'],
    ['with another spelling', 'group'],
    ['without a type, as Entra ID sends members', undefined],
    ['named as a user', 'User'],
  ])('is refused with what to do instead, %s, and changes nothing', async (_name, type) => {
    const { id: userId } = await scim.user('ada@example.com');
    const outer = await scim.group('Guards');
    const inner = await scim.group('Night shift', [userId]);
    const nested = { value: inner.id, ...(type === undefined ? {} : { type }) };
    const members = [{ value: userId }, nested];
    const schemas = [GROUP_SCHEMA];
    for (const refused of [
      await scim.patch(`/Groups/${outer.id}`, [{ op: 'add', path: 'members', value: members }]),
      await scim.send('PUT', `/Groups/${outer.id}`, { schemas, displayName: 'Guards', members }),
      await scim.post('/Groups', { schemas, displayName: 'All', members }),
    ]) {
      expect(refused.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
      expect(refused.json().detail).toMatch(
        /^Groups within groups are not supported\. Assign the inner group/,
      );
    }
    expect((await scim.get(`/Groups/${outer.id}`)).json()).not.toHaveProperty('members');
    expect((await scim.get('/Groups')).json()).toMatchObject({ totalResults: 2 });
  });

  it('is not announced by the schema', async () => {
    const schema = (await scim.get(`/Schemas/${GROUP_SCHEMA}`)).json<{
      attributes: { name: string; subAttributes?: { name: string }[] }[];
    }>();
    const { subAttributes = [] } = schema.attributes.find(({ name }) => name === 'members')!;
    expect(subAttributes).toEqual([
      expect.objectContaining({ name: 'value' }),
      expect.objectContaining({ name: '$ref', referenceTypes: ['User'] }),
      expect.objectContaining({ name: 'type', canonicalValues: ['User'] }),
    ]);
  });
});

describe('versions', () => {
  it('change with each change, and guard it', async () => {
    const { id, meta } = await scim.user('ada@example.com');
    const read = await scim.get(`/Users/${id}`);
    expect(read.headers.etag).toBe(meta.version);
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': meta.version })).statusCode).toBe(304);
    const title = (value: string) => [{ op: 'replace', path: 'title', value }];
    const changed = await scim.patch(`/Users/${id}`, title('x'), { 'if-match': meta.version });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(meta.version);
    for (const again of [
      await scim.patch(`/Users/${id}`, title('y'), { 'if-match': meta.version }),
      await scim.send('PUT', `/Users/${id}`, ada, { 'if-match': meta.version }),
      await scim.remove(`/Users/${id}`, { 'if-match': meta.version }),
    ]) {
      expect(again.statusCode).toBe(412);
    }
    const same = await scim.patch(`/Users/${id}`, title('x'));
    expect(same.headers.etag).toBe(changed.headers.etag);
  });

  it('let one of two concurrent changes of the same version succeed, and lose none without one', async () => {
    const { id, meta } = await scim.user('ada@example.com');
    const guarded = ['x', 'y'].map((value) =>
      scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value }], { 'if-match': meta.version }),
    );
    const statuses = (await Promise.all(guarded)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 412]);
    const users = await Promise.all(['a', 'b', 'c', 'd'].map((name) => scim.user(`${name}@example.com`)));
    const group = await scim.group('Guards');
    await Promise.all(
      users.map((user) =>
        scim.patch(`/Groups/${group.id}`, [{ op: 'Add', path: 'members', value: [{ value: user.id }] }]),
      ),
    );
    const { members } = (await scim.get(`/Groups/${group.id}`)).json<{ members: unknown[] }>();
    expect(members).toHaveLength(4);
  });
});

describe('two organizations', () => {
  it('know nothing of each other’s people and groups', async () => {
    const neighbor = await ScimTester.open(fixture, fixture.foreign);
    const user = await neighbor.user('ada@example.com');
    const group = await neighbor.group('Guards', [user.id]);
    const paths = [`/Users/${user.id}`, `/Groups/${group.id}`];
    for (const path of paths) {
      const unknown = path.replace(/\w[^/]*$/, 'AAAAAAAAAAAAAAAAAAAAAA');
      for (const send of [
        (at: string) => scim.get(at),
        (at: string) => scim.remove(at),
        (at: string) => scim.patch(at, [{ op: 'replace', path: 'displayName', value: 'x' }]),
        (at: string) => scim.send('PUT', at, { displayName: 'x', userName: 'x' }),
      ]) {
        const [theirs, none] = [await send(path), await send(unknown)];
        expect([theirs.statusCode, theirs.body]).toEqual([404, none.body]);
      }
    }
    // The same name is free here, and says nothing of there.
    const own = await scim.user('ada@example.com');
    expect((await scim.get('/Users')).json()).toMatchObject({ totalResults: 1, Resources: [{ id: own.id }] });
    const body = { schemas: [GROUP_SCHEMA], displayName: 'Guards', members: [{ value: user.id }] };
    const [theirs, none] = [
      await scim.post('/Groups', body),
      await scim.post('/Groups', { ...body, members: [{ value: 'AAAAAAAAAAAAAAAAAAAAAA' }] }),
    ];
    expect([theirs.statusCode, theirs.body]).toEqual([400, none.body]);
    const { tokens } = (await fixture.call('/api/console/getScimProvisioning')) as unknown as {
      tokens: { tokenUuid: string }[];
    };
    const asNeighbor = { 'x-auth-apikey': fixture.foreign.apiKey };
    const revoked = await fixture.post(
      '/api/console/revokeScimToken',
      { tokenUuid: tokens[0]?.tokenUuid },
      asNeighbor,
    );
    expect(revoked.json()).toMatchObject({ error: true });
    expect((await scim.get('/Users')).statusCode).toBe(200);
  });

  it('409 is for a name of the own organization alone', async () => {
    await scim.user('ada@example.com');
    for (const userName of ['ada@example.com', 'ADA@example.com']) {
      const taken = await scim.post('/Users', { ...ada, userName });
      expect(taken.json()).toMatchObject({ status: '409', scimType: 'uniqueness' });
    }
    const { id } = await scim.user('bob@example.com');
    const renamed = await scim.patch(`/Users/${id}`, [
      { op: 'replace', path: 'userName', value: 'Ada@example.com' },
    ]);
    expect(renamed.statusCode).toBe(409);
    expect((await scim.get(`/Users/${id}`)).json()).toMatchObject({ userName: 'bob@example.com' });
  });
});
