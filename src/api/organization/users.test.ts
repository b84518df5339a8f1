import { afterEach, beforeEach, expect, it } from 'vitest';
import { samplePerson } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const USERS = '/api/user/getUsersInOrg';
const PERMISSIONS = '/api/permission/getPermissionsForCurrentUser';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const roleKey = async (role: 'viewer' | 'operator') => ({
  'x-auth-apikey': await addApiKey(fixture.store, fixture.own.organization.uuid, { role }),
});

it('people are users, listed to administrators of their organization alone', async () => {
  const { store, own, foreign } = fixture;
  const ada = samplePerson(own.organization.uuid, { name: 'Ada King Lovelace', email: 'Ada@example.com' });
  const gone = samplePerson(own.organization.uuid, {
    disabled: true,
    email: null,
    passwordHash: null,
    createdAtMs: ada.createdAtMs + 1,
  });
  for (const person of [ada, gone, samplePerson(foreign.organization.uuid)]) await store.people.save(person);
  const { users } = await fixture.call(USERS);
  expect(users).toMatchObject([
    {
      uuid: ada.uuid,
      orgUuid: own.organization.uuid,
      name: ada.name,
      firstName: 'Ada',
      lastName: 'King Lovelace',
      email: 'ada@example.com',
      emailCaseSensitive: 'Ada@example.com',
      status: 'JOINED',
      passwordSet: true,
      accountOwner: false,
      deleted: false,
    },
    { uuid: gone.uuid, status: 'INACTIVE', passwordSet: false },
  ]);
  expect(JSON.stringify(users)).not.toContain('scrypt');
  expect((await fixture.post(USERS, {}, await roleKey('operator'))).statusCode).toBe(403);
});

it('permissions are those of the caller’s role', async () => {
  const { camera, locationUuid } = fixture.own;
  const admin = await fixture.call(PERMISSIONS);
  expect(admin).toMatchObject({ role: 'admin', superAdmin: true, permissionGroupName: 'admin' });
  expect(admin.deviceAccessMap).toMatchObject({ [camera.uuid]: 'ADMIN' });
  expect(admin.functionalityList).toContain('USER_ADMINISTRATION');
  const viewer = await fixture.call(PERMISSIONS, {}, await roleKey('viewer'));
  expect(viewer).toMatchObject({
    role: 'viewer',
    superAdmin: false,
    functionalityList: ['VIEW_SAVED_VIDEO'],
    functionalityAccessMap: { VIEW_SAVED_VIDEO: 'READONLY' },
    locationAccessMap: { [locationUuid]: 'READONLY' },
  });
  const foreign = await fixture.call(PERMISSIONS, {}, { 'x-auth-apikey': fixture.foreign.apiKey });
  expect(Object.keys(foreign.deviceAccessMap as object)).not.toContain(camera.uuid);
});
