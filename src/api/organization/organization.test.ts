import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

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

const CLIENTS = '/api/partner/getClientsV2';

it(`${CLIENTS} lists the partner's own clients and what they have`, async () => {
  const { organization, doorbell } = fixture.own;
  const partner = sampleOrganization({ name: 'Partner' });
  await fixture.store.organizations.save(partner);
  await fixture.store.organizations.save({ ...organization, partnerUuid: partner.uuid });
  const partnerKey = {
    'x-auth-apikey': await addApiKey(fixture.store, partner.uuid, { scheme: 'partner-api' }),
  };
  const clients = async (headers: Record<string, string>) =>
    (await fixture.call(CLIENTS, {}, headers)).clients;
  const client = {
    clientOrgUuid: organization.uuid,
    clientOrgName: organization.name,
    authorityUuid: partner.uuid,
    clientAccessAllowed: true,
    createdAtMillis: organization.createdAtMs,
    totalCameras: 2,
    totalLocations: 1,
  };
  expect(await clients(partnerKey)).toEqual([client]);
  await fixture.store.cameras.save({ ...doorbell, mummified: true });
  expect(await clients(partnerKey)).toEqual([{ ...client, totalCameras: 1 }]);

  expect(await clients({ ...partnerKey, 'x-auth-org': organization.uuid })).toEqual([]);
  const otherPartner = await addApiKey(fixture.store, fixture.foreign.organization.uuid, {
    scheme: 'partner-api',
  });
  expect(await clients({ 'x-auth-apikey': otherPartner })).toEqual([]);
  expect((await fixture.post(CLIENTS, {})).statusCode).toBe(401);
});
