/** Bulk requests, and what no directory should send. */

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Person } from '../../store/person.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { BULK_SCHEMA, GROUP_SCHEMA, PATCH_SCHEMA, ScimTester, USER_SCHEMA } from '../scim-fixture.ts';

let fixture: ApiFixture;
let scim: ScimTester;

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 100_000, perSec: 100_000 } } });
  const opened = fixture;
  onTestFinished(() => opened.close());
  scim = await ScimTester.open(fixture, fixture.own);
});

async function personOf(id: string, org = fixture.own): Promise<Person | undefined> {
  return (await fixture.store.people.list(org.organization.uuid)).find(({ uuid }) => uuid === id);
}

describe('bulk', () => {
  const bulk = (operations: readonly object[], more: object = {}) =>
    scim.post('/Bulk', { schemas: [BULK_SCHEMA], Operations: operations, ...more });
  const addUser = (bulkId: string) => ({
    method: 'POST',
    path: '/Users',
    bulkId,
    data: { schemas: [USER_SCHEMA], userName: `${bulkId}@example.com` },
  });
  const addGroup = (bulkId: string, members: readonly string[]) => ({
    method: 'POST',
    path: '/Groups',
    bulkId,
    data: {
      schemas: [GROUP_SCHEMA],
      displayName: bulkId,
      members: members.map((value) => ({ value })),
    },
  });

  it('runs operations that refer to each other', async () => {
    const response = await bulk([
      addGroup('guards', ['bulkId:ada', 'bulkId:bob']),
      addUser('ada'),
      addUser('bob'),
      {
        method: 'patch',
        path: '/Users/bulkId:bob',
        data: { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: { active: false } }] },
      },
    ]);
    expect(response.statusCode, response.body).toBe(200);
    const { Operations } = response.json<{
      Operations: { status: string; location: string; bulkId?: string }[];
    }>();
    expect(Operations.map(({ status }) => status)).toEqual(['201', '201', '201', '200']);
    const groups = (await scim.get('/Groups')).json<{ Resources: { members: unknown[] }[] }>();
    expect(groups.Resources[0]?.members).toHaveLength(2);
    const bob = await scim.get(`/Users?filter=${encodeURIComponent('userName sw "bob"')}`);
    expect(bob.json()).toMatchObject({ Resources: [{ active: false }] });
  });

  it('fails what refers in a circle, and nothing else', async () => {
    const response = await bulk([
      addGroup('a', ['bulkId:b']),
      addGroup('b', ['bulkId:a']),
      addGroup('self', ['bulkId:self']),
      addGroup('unknown', ['bulkId:nowhere']),
      addUser('ada'),
    ]);
    const { Operations } = response.json<{ Operations: { status: string; bulkId: string }[] }>();
    expect(Operations.map(({ bulkId, status }) => [bulkId, status])).toEqual([
      ['a', '400'],
      ['b', '400'],
      ['self', '400'],
      ['unknown', '400'],
      ['ada', '201'],
    ]);
    expect((await scim.get('/Groups')).json()).toMatchObject({ totalResults: 0 });
  });

  it('stops after failOnErrors failures', async () => {
    const failing = { method: 'DELETE', path: '/Users/AAAAAAAAAAAAAAAAAAAAAA' };
    const response = await bulk([failing, addUser('ada'), failing, addUser('bob')], { failOnErrors: 2 });
    const { Operations } = response.json<{ Operations: { status: string }[] }>();
    expect(Operations.map(({ status }) => status)).toEqual(['404', '201', '404']);
    expect((await scim.get('/Users')).json()).toMatchObject({ totalResults: 1 });
  });

  it('refuses too many operations, a bulkId twice, and paths to nowhere', async () => {
    expect((await bulk(Array.from({ length: 101 }, (_, i) => addUser(`u${i}`)))).statusCode).toBe(413);
    expect((await bulk([addUser('ada'), addUser('ada')])).json()).toMatchObject({
      scimType: 'invalidSyntax',
    });
    for (const path of ['/Bulk', '/Users/../../api', '/Users/x/y', '/__proto__', '/']) {
      const { Operations } = (await bulk([{ method: 'DELETE', path }])).json<{
        Operations: { status: string }[];
      }>();
      expect(
        Operations.map(({ status }) => status),
        path,
      ).toEqual(['404']);
    }
  });
});

describe('hostile requests', () => {
  it.each([
    ['10 MB', `{"userName":"${'x'.repeat(10 * 1_024 * 1_024)}"}`, 413],
    ['deep nesting', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400],
    ['a broken body', '{"userName":', 400],
    ['no object', '[1]', 400],
    ['a text', '"x"', 400],
    ['schemas of another type', JSON.stringify({ schemas: [GROUP_SCHEMA], userName: 'x' }), 400],
    ['no user name', JSON.stringify({ schemas: [USER_SCHEMA] }), 400],
    ['an empty user name', JSON.stringify({ schemas: [USER_SCHEMA], userName: ' ' }), 400],
    ['a number as a user name', JSON.stringify({ schemas: [USER_SCHEMA], userName: 1 }), 400],
    ['1,000 addresses', JSON.stringify({ userName: 'x', emails: Array(1_000).fill({ value: 'a@b' }) }), 400],
  ])('a body with %s is refused in the words of SCIM', async (_name, body, status) => {
    const refused = await scim.send('POST', '/Users', body);
    expect(refused.statusCode, refused.body.slice(0, 200)).toBe(status);
    expect(refused.json()).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(status === 400 ? { scimType: expect.stringMatching(/^invalid(?:Syntax|Value)$/) } : {}),
    });
  });

  it('keys of prototypes are no attributes', async () => {
    const body =
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"userName":"x@example.com"}';
    const created = await scim.send('POST', '/Users', body);
    expect(created.statusCode).toBe(201);
    expect(created.body).not.toContain('admin');
    expect({}).not.toHaveProperty('admin');
  });

  it('roles and passwords of a directory give nothing', async () => {
    const { id } = await scim.user('x@example.com', {
      roles: [{ value: 'admin', primary: true }],
      entitlements: [{ value: 'admin' }],
      password: 'a very good password',
      role: 'admin',
      scope: null,
    });
    expect(await personOf(id)).toMatchObject({ role: 'viewer', passwordHash: null });
    expect((await scim.get(`/Users/${id}`)).body).not.toContain('password');
  });

  it.each([
    ['/Unknown', 'GET', 404],
    ['/Users', 'DELETE', 405],
    ['/Users/x', 'POST', 405],
    ['/ServiceProviderConfig', 'PUT', 405],
    ['/Me', 'GET', 501],
    ['/Users/__proto__', 'GET', 404],
    ['/Users/%2e%2e%2fGroups', 'GET', 404],
    ['/Users?count=x', 'GET', 400],
    ['/Users?sortBy=nothing', 'GET', 400],
    ['/Users?sortOrder=sideways', 'GET', 400],
    ['/Users?filter=a&filter=b', 'GET', 400],
  ] as const)('%s by %s is %i in the words of SCIM', async (path, method, status) => {
    const refused = await scim.send(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
    expect(refused.json()).toMatchObject({ status: String(status), detail: expect.any(String) });
    expect(refused.statusCode).toBe(status);
  });
});
