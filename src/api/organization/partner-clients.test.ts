import { expect, it } from 'vitest';
import { sampleOrganization } from '../../store/sample-entities.ts';
import { addApiKey, openApiFixture } from '../api-fixture.ts';

const CLIENTS = '/api/partner/getClientsV2';

it(`${CLIENTS} lists the partner's own clients and what they have`, async () => {
  const fixture = await openApiFixture();
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
  await fixture.close();
});
