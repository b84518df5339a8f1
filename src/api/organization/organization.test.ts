import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('/api/org/getOrgV2', () => {
  it('returns the organization of the key', async () => {
    const { uuid, name, createdAtMs } = fixture.own.organization;
    expect(await fixture.call('/api/org/getOrgV2')).toEqual({
      error: false,
      org: { uuid, name, createdAtMillis: createdAtMs },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    });
  });

  it('refuses if the organization no longer exists', async () => {
    fixture.store.organizations.find = async () => null;
    expect(await fixture.call('/api/org/getOrgV2')).toMatchObject({ error: true });
  });
});

describe('/api/org/updateDetails', () => {
  const UPDATE = '/api/org/updateDetails';

  it('renames the organization of the key and no other', async () => {
    const { uuid } = fixture.own.organization;
    expect(await fixture.call(UPDATE, { name: ' Pier 4 ' })).toMatchObject({ error: false });
    expect(await fixture.store.organizations.find(uuid)).toMatchObject({ name: 'Pier 4' });
    expect(await fixture.call(UPDATE, {})).toMatchObject({ error: false });
    expect(await fixture.store.organizations.find(uuid)).toMatchObject({ name: 'Pier 4' });
    const others = await fixture.store.organizations.find(fixture.foreign.organization.uuid);
    expect(others).toEqual(fixture.foreign.organization);
  });

  it('refuses a blank name', async () => {
    expect((await fixture.call(UPDATE, { name: ' ' })).errorMsg).toBe('name must not be blank.');
  });
});
