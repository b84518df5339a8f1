import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/location/createLocation';
const LIST = '/api/location/getLocations';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe(CREATE, () => {
  it('stores what is given', async () => {
    const location = {
      name: ' Pier 4 ',
      tz: 'Europe/Berlin',
      latitude: 53.5,
      longitude: 9.9,
      countryCode: 'DE',
    };
    const response = await fixture.call(CREATE, { location });
    expect(response).toMatchObject({ error: false });
    expect(
      await fixture.store.locations.find(fixture.own.organization.uuid, response.uuid as Ruuid),
    ).toMatchObject({ ...location, name: 'Pier 4', address1: null, createdAtMs: fixture.clock.epochMs() });
  });

  it('uses UTC for schedules if no time zone is given, and says so', async () => {
    const response = await fixture.call(CREATE, { location: { name: 'Pier' } });
    expect(response.warningMsg).toMatch(/UTC/);
    expect(
      await fixture.store.locations.find(fixture.own.organization.uuid, response.uuid as Ruuid),
    ).toMatchObject({ tz: 'UTC' });
  });

  it.each([
    [{}, 'location is required.'],
    [{ location: {} }, 'location.name is required.'],
    [{ location: { name: ' ' } }, 'location.name must not be blank.'],
    [{ location: { name: 'X', tz: 'Mars/Olympus' } }, /^location\.tz must be an IANA time zone/],
    [{ location: { name: 'X', tz: '+02:00' } }, /^location\.tz must be an IANA time zone/],
    [{ location: { name: 'X', latitude: 91 } }, 'location.latitude must be a number from -90 to 90, got 91.'],
    [
      { location: { name: 'X' }, parentLocationUuid: newRuuid() },
      /^parentLocationUuid: there is no location/,
    ],
    [
      { location: { name: 'X', labels: [7] } },
      'location.labels[0] must be a string of at most 256 characters, got number.',
    ],
  ])('refuses %j', async (body, sentence) => {
    const { error, errorMsg } = await fixture.call(CREATE, body);
    expect(error).toBe(true);
    expect(errorMsg).toMatch(sentence);
    expect(await fixture.store.locations.list(fixture.own.organization.uuid)).toHaveLength(1);
  });
});

describe(LIST, () => {
  it('lists them by name with every field', async () => {
    await fixture.call(CREATE, { location: { name: 'Annexe', tz: 'UTC' } });
    const { locations } = await fixture.call(LIST, { subLocationsIncluded: true });
    expect(locations).toMatchObject([
      { name: 'Annexe' },
      { uuid: fixture.own.locationUuid, name: 'Headquarters' },
    ]);
    expect((locations as object[])[1]).toEqual({
      uuid: fixture.own.locationUuid,
      name: 'Headquarters',
      tz: 'America/New_York',
      latitude: 40.7128,
      longitude: -74,
      address1: '1 Pier Road',
      postalCode: '10001',
      countryCode: 'US',
      labels: [],
      floorPlans: [],
      subLocations: [],
    });
  });

  it('refuses an invalid flag', async () => {
    expect((await fixture.call(LIST, { subLocationsIncluded: 'yes' })).errorMsg).toMatch(
      /^subLocationsIncluded must/,
    );
  });
});

it('labels are listed by location, of the organization alone', async () => {
  const labels = ['North', 'Warehouse'];
  const { uuid } = await fixture.call('/api/location/createLocation', { location: { name: 'Dock', labels } });
  const path = '/api/location/getLocationLabelsForOrg';
  expect(await fixture.call(path)).toEqual({ error: false, locationLabels: { [String(uuid)]: labels } });
  const foreign = await fixture.call(path, {}, { 'x-auth-apikey': fixture.foreign.apiKey });
  expect(foreign.locationLabels).toEqual({});
});

it('/api/location/getLocationsV2 returns the same as getLocations', async () => {
  const location = { name: 'Annexe', tz: 'Europe/Berlin', labels: ['quiet'] };
  await fixture.call('/api/location/createLocation', {
    location,
    parentLocationUuid: fixture.own.locationUuid,
  });
  for (const body of [{}, { subLocationsIncluded: true }]) {
    const response = await fixture.call('/api/location/getLocationsV2', body);
    expect(response).toEqual(await fixture.call('/api/location/getLocations', body));
    expect(response.locations).toHaveLength('subLocationsIncluded' in body ? 1 : 2);
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
});
