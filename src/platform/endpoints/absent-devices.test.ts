import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { ABSENT_DEVICE_ENDPOINTS } from './absent-devices.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

/** Where tools that ask for all kinds of device look. */
const LISTS = [
  ['/api/audiogateway/getMinimalAudioGatewayStateList', 'audioGatewayStates'],
  ['/api/badgereader/getMinimalStateList', 'minimalStates'],
  ['/api/button/getMinimalButtonStateList', 'states'],
  ['/api/climate/getMinimalClimateStateList', 'climateStates'],
  ['/api/climate/getMinimalEnvironmentalGatewayStates', 'minimalEnvironmentalGatewayStates'],
  ['/api/door/getMinimalDoorStateList', 'doorStates'],
  ['/api/keypad/getKeypadsForOrg', 'keypads'],
  ['/api/occupancy/getMinimalOccupancySensorStateList', 'occupancySensorStates'],
] as const;

it.each(LISTS)('%s has an empty list of %s', async (path, field) => {
  expect(await fixture.call(path)).toEqual({ error: false, [field]: [] });
  const refused = await fixture.post(path, {}, { 'x-auth-apikey': 'slc_wrong' });
  expect(refused.statusCode).toBe(401);
});

it('there are no other lists', () => {
  expect(ABSENT_DEVICE_ENDPOINTS.map(({ path }) => path)).toEqual(LISTS.map(([path]) => path));
});
