import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';

const ADD = '/api/component/elevator/addAccessControlledElevatorLandingLabel';
const REMOVE = '/api/component/elevator/removeAccessControlledElevatorLandingLabel';
const LABELS = '/api/component/elevator/getAccessControlledElevatorLandingLabelsForOrg';
const BY_LOCATION = '/api/component/elevator/findAccessControlledElevatorLandingsByLocation';
const SHADOWS = '/api/component/elevator/findAccessControlledElevatorLandingShadows';
const SHADOWS_BY_LOCATION = '/api/component/elevator/findAccessControlledElevatorLandingShadowsByLocation';

let fixture: ApiFixture;
let orgUuid: Ruuid;
let first: Ruuid;
let foreignHeaders: Record<string, string>;
const ownerDeviceUuid = newRuuid();

beforeEach(async () => {
  fixture = await openApiFixture();
  orgUuid = fixture.own.organization.uuid;
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
  first = await report({ name: 'Floor 1', floorNumber: 1 });
});
afterEach(() => fixture.close());

async function report(fields: object = {}, locationUuid = fixture.own.locationUuid): Promise<Ruuid> {
  const uuid = newRuuid();
  await fixture.accessControl.elevatorLandings.report(orgUuid, [
    { uuid, ownerDeviceUuid, locationUuid, ...fields },
  ]);
  fixture.clock.advance(1);
  return uuid;
}

const label = (path: string, text: string, headers?: Record<string, string>) =>
  fixture.call(path, { accessControlledElevatorLandingUuid: first, label: text }, headers);
const labels = async () => (await fixture.call(LABELS)).accessControlledElevatorLandingLabels;

describe('labels', () => {
  it('are added once, listed and removed', async () => {
    expect(await labels()).toEqual({});
    expect(await label(ADD, ' VIP ')).toEqual({ error: false });
    await label(ADD, 'VIP');
    await label(ADD, 'Night');
    expect(await labels()).toEqual({ [first]: ['VIP', 'Night'] });
    await label(REMOVE, 'VIP');
    expect(await labels()).toEqual({ [first]: ['Night'] });
  });

  it('survive the next report of the landing', async () => {
    await label(ADD, 'VIP');
    await fixture.accessControl.elevatorLandings.report(orgUuid, [{ uuid: first, ownerDeviceUuid }]);
    expect(await labels()).toEqual({ [first]: ['VIP'] });
  });

  it('are refused when blank, unknown, too many or on another’s landing', async () => {
    expect((await label(ADD, ' ')).errorMsg).toBe('label must not be blank.');
    expect((await label(REMOVE, 'VIP')).errorMsg).toBe('The elevator landing does not have this label.');
    for (const path of [ADD, REMOVE]) {
      expect((await label(path, 'VIP', foreignHeaders)).errorMsg).toBe(
        'There is no access controlled elevator landing with this UUID.',
      );
    }
    for (let index = 0; index < 100; index++) await label(ADD, `${index}`);
    expect((await label(ADD, 'one more')).errorMsg).toMatch(/^The elevator landing has reached its limit/);
    expect(((await labels()) as Record<string, string[]>)[first]).toHaveLength(100);
  });
});

describe(BY_LOCATION, () => {
  it('returns the landings of the location with every known field', async () => {
    const annexe = { location: { name: 'Annexe', tz: 'UTC' } };
    const { uuid } = await fixture.call('/api/location/createLocation', annexe);
    await report({}, uuid as Ruuid);
    const response = await fixture.call(BY_LOCATION, { locationUuid: fixture.own.locationUuid });
    expect(response).toMatchObject({ error: false });
    expect(response).not.toHaveProperty('lastEvaluatedKey');
    expect(response.accessControlledElevatorLandings).toEqual([
      {
        uuid: first,
        orgUuid,
        type: 'AccessControlledElevatorLanding',
        locationUuid: fixture.own.locationUuid,
        ownerDeviceUuid,
        createdAtMillis: fixture.clock.epochMs() - 2,
        updatedAtMillis: fixture.clock.epochMs() - 2,
        name: 'Floor 1',
        floorNumber: 1,
      },
    ]);
  });

  it.each([BY_LOCATION, SHADOWS_BY_LOCATION])('%s refuses what is not the caller’s', async (path) => {
    const body = { locationUuid: fixture.own.locationUuid };
    expect((await fixture.call(path, body, foreignHeaders)).errorMsg).toMatch(/no location/);
    expect((await fixture.call(path)).errorMsg).toBe('locationUuid is required.');
    expect((await fixture.call(path, { ...body, maxPageSize: 0 })).errorMsg).toMatch(/^maxPageSize must/);
    expect((await fixture.call(path, { ...body, lastEvaluatedKey: 'x' })).errorMsg).toMatch(
      /^lastEvaluatedKey must be a key/,
    );
  });
});

describe(SHADOWS, () => {
  it('returns the states as last reported', async () => {
    const state = { source: 'LOCKDOWN', state: 'ACCESS_CONTROLLED', stateUpdateEventTimestampMs: 5 } as const;
    await fixture.accessControl.elevatorLandings.report(orgUuid, [
      { uuid: first, ownerDeviceUuid, shadow: { state } },
    ]);
    const byLocation = { locationUuid: fixture.own.locationUuid };
    for (const [path, body] of [
      [SHADOWS, {}],
      [SHADOWS_BY_LOCATION, byLocation],
    ] as const) {
      expect((await fixture.call(path, body)).shadows).toEqual([
        {
          componentCompositeUuid: first,
          orgUuid,
          type: 'AccessControlledElevatorLandingShadow',
          createdAtMillis: fixture.clock.epochMs(),
          updatedAtMillis: fixture.clock.epochMs(),
          state,
        },
      ]);
    }
  });

  it('returns each landing once, page by page, while landings are being added', async () => {
    const uuids = [first];
    for (let index = 0; index < 4; index++) uuids.push(await report());
    const seen: string[] = [];
    let lastEvaluatedKey: unknown;
    do {
      const page = await fixture.call(SHADOWS, { maxPageSize: 2, lastEvaluatedKey });
      for (const shadow of page.shadows as { componentCompositeUuid: string }[]) {
        seen.push(shadow.componentCompositeUuid);
      }
      if (uuids.length < 7) uuids.push(await report());
      lastEvaluatedKey = page.lastEvaluatedKey;
    } while (lastEvaluatedKey !== undefined);
    expect(seen).toEqual(uuids);
  });

  it('shows nothing to another organization', async () => {
    expect((await fixture.call(SHADOWS, {}, foreignHeaders)).shadows).toEqual([]);
  });
});
