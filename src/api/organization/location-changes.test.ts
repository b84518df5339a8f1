import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleLocation } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const UPDATE = '/api/location/updateLocation';
const DELETE = '/api/location/deleteLocation';
const NO_LOCATION = 'There is no location with this UUID.';

let fixture: ApiFixture;
let ownOrg: Ruuid;
let uuid: Ruuid;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  ownOrg = fixture.own.organization.uuid;
  uuid = fixture.own.locationUuid;
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const find = (locationUuid = uuid) => fixture.store.locations.find(ownOrg, locationUuid);

describe(UPDATE, () => {
  it('changes what is sent and leaves the rest', async () => {
    const before = await find();
    const changes = { name: ' Harbour ', tz: 'Europe/Berlin', latitude: 53.5, postalCode: '' };
    expect(await fixture.call(UPDATE, { location: { uuid, ...changes } })).toMatchObject({ error: false });
    expect(await find()).toEqual({
      ...before,
      name: 'Harbour',
      tz: 'Europe/Berlin',
      latitude: 53.5,
      postalCode: null,
    });
  });

  it('clears coordinates by their flags, and only then', async () => {
    await fixture.call(UPDATE, { location: { uuid, latitude: 53.5, longitude: 10 } });
    await fixture.call(UPDATE, { location: { uuid, latitudeUpdated: true, longitude: 9 } });
    expect(await find()).toMatchObject({ latitude: null, longitude: 9 });
    await fixture.call(UPDATE, {
      location: { uuid, latitudeUpdated: true, latitude: 1, longitudeUpdated: true },
    });
    expect(await find()).toMatchObject({ latitude: 1, longitude: null });
  });

  it('refuses invalid values, the file’s locations and other organizations’', async () => {
    const declared = sampleLocation(ownOrg, { name: 'HQ', fromConfig: true });
    await fixture.store.locations.save(declared);
    for (const [location, sentence] of [
      [{}, 'location.uuid is required.'],
      [{ uuid, name: ' ' }, 'location.name must not be blank.'],
      [{ uuid, tz: 'Mars/Olympus' }, /^location\.tz must be an IANA time zone/],
      [{ uuid: newRuuid(), name: 'X' }, NO_LOCATION],
      [{ uuid: fixture.foreign.locationUuid, name: 'X' }, NO_LOCATION],
      [
        { uuid: declared.uuid, name: 'X' },
        'The configuration file declares the location HQ: change it there.',
      ],
    ] as const) {
      expect((await fixture.call(UPDATE, { location })).errorMsg).toMatch(sentence);
    }
    expect(await find()).toMatchObject({ name: 'Headquarters' });
  });
});

describe('locations within locations', () => {
  const create = async (name: string, parentLocationUuid?: Ruuid, location: object = {}) =>
    (
      await fixture.call('/api/location/createLocation', {
        location: { name, tz: 'UTC', ...location },
        parentLocationUuid,
      })
    ).uuid as Ruuid;

  it('are listed nested or flat', async () => {
    const policyUuid = newRuuid();
    const floor = await create('Floor 2', uuid, { labels: ['quiet'], policyUuid });
    const room = await create('Room 7', floor);
    const { locations } = await fixture.call('/api/location/getLocations', { subLocationsIncluded: true });
    expect(locations).toMatchObject([
      {
        uuid,
        subLocations: [
          { uuid: floor, labels: ['quiet'], policyUuid, subLocations: [{ uuid: room, subLocations: [] }] },
        ],
      },
    ]);
    const flat = await fixture.call('/api/location/getLocations');
    expect(flat.locations).toMatchObject([
      { name: 'Floor 2', subLocations: [] },
      { name: 'Headquarters', subLocations: [] },
      { name: 'Room 7', subLocations: [] },
    ]);
    await fixture.call(UPDATE, { location: { uuid: floor, labels: [] } });
    expect(await find(floor)).toMatchObject({ labels: [], policyUuid, parentUuid: uuid });
    expect((await fixture.call(DELETE, { uuid: floor })).errorMsg).toBe(
      'The location is in use by location Room 7.',
    );
  });

  it('are limited in depth, and only within the organization’s own', async () => {
    const foreign = { location: { name: 'X', tz: 'UTC' }, parentLocationUuid: fixture.foreign.locationUuid };
    expect((await fixture.call('/api/location/createLocation', foreign)).errorMsg).toMatch(/no location/);
    let parent = uuid;
    for (let depth = 2; depth <= 16; depth++) parent = await create(`Level ${depth}`, parent);
    const tooDeep = { location: { name: 'X', tz: 'UTC' }, parentLocationUuid: parent };
    expect((await fixture.call('/api/location/createLocation', tooDeep)).errorMsg).toMatch(/at most 16 deep/);
  });
});

describe(DELETE, () => {
  it('removes a location that nothing uses', async () => {
    const created = await fixture.call('/api/location/createLocation', {
      location: { name: 'Annexe', tz: 'UTC' },
    });
    const locationUuid = created.uuid as Ruuid;
    expect((await fixture.call(DELETE, { uuid: locationUuid }, foreignKey)).errorMsg).toBe(NO_LOCATION);
    expect((await fixture.call(DELETE, { uuid: locationUuid })).error).toBe(false);
    expect(await find(locationUuid)).toBeNull();
    expect((await fixture.call(DELETE, { uuid: locationUuid })).errorMsg).toBe(NO_LOCATION);
  });

  it('names what still uses it', async () => {
    const { errorMsg } = await fixture.call(DELETE, { uuid });
    expect(errorMsg).toMatch(/^The location is in use by camera .*, camera .*, NVR Core\.$/);
    for (const name of ['camera Lobby', 'camera Front door']) expect(errorMsg).toContain(name);
    expect(await find()).not.toBeNull();
  });

  it('counts resources at the location', async () => {
    const location = sampleLocation(ownOrg);
    await fixture.store.locations.save(location);
    const locationUuid = location.uuid;
    await fixture.call('/api/org/createPendingRegistration', { serialNumber: 'NVR-2', locationUuid });
    expect((await fixture.call(DELETE, { uuid: locationUuid })).errorMsg).toBe(
      'The location is in use by pending registration NVR-2.',
    );
  });

  it('refuses the file’s', async () => {
    const declared = sampleLocation(ownOrg, { name: 'HQ', fromConfig: true });
    await fixture.store.locations.save(declared);
    expect((await fixture.call(DELETE, { uuid: declared.uuid })).errorMsg).toMatch(/remove it there/);
  });
});
