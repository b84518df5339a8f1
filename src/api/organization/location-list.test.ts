import { expect, it } from 'vitest';
import { openApiFixture } from '../api-fixture.ts';

it('/api/location/getLocationsV2 returns the same as getLocations', async () => {
  const fixture = await openApiFixture();
  const location = { name: 'Annexe', tz: 'Europe/Berlin', labels: ['quiet'] };
  await fixture.call('/api/location/createLocation', {
    location,
    parentLocationUuid: fixture.own.locationUuid,
  });
  for (const body of [{}, { subLocationsIncluded: true }]) {
    const answer = await fixture.call('/api/location/getLocationsV2', body);
    expect(answer).toEqual(await fixture.call('/api/location/getLocations', body));
    expect(answer.locations).toHaveLength('subLocationsIncluded' in body ? 1 : 2);
  }
  expect((await fixture.call('/api/location/getLocationsV2')).locations).toContainEqual(
    expect.objectContaining(location),
  );
  const foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
  const foreign = await fixture.call('/api/location/getLocationsV2', {}, foreignKey);
  expect(JSON.stringify(foreign)).not.toContain(fixture.own.locationUuid);
  expect(await fixture.call('/api/location/getLocationsV2', { subLocationsIncluded: 'yes' })).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(/^subLocationsIncluded must/),
  });
  await fixture.close();
});
