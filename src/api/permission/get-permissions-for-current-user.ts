/** POST /api/permission/getPermissionsForCurrentUser: what the caller may do. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, mapOf, oneOf, plainText } from '../../http/fields/field-types.ts';
import { ROLES, type Role } from '../../store/person.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const ACCESS = ['READONLY', 'ADMIN'] as const;

/** By the least role that has them. */
const FUNCTIONALITY: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['VIEW_SAVED_VIDEO'],
  operator: ['CLIP_MANAGEMENT', 'VIEW_AND_MANAGE_SAVED_VIDEO', 'DATA_EXFILTRATION'],
  admin: [
    ...['DEVICE_ADMINISTRATION', 'CAMERA_ADMINISTRATION', 'REGISTER_DEVICES', 'DELETE_DEVICES'],
    ...['ORG_ADMINISTRATION', 'USER_ADMINISTRATION', 'LOCATION_ADMINISTRATION', 'POLICY_ADMINISTRATION'],
    ...['DOOR_ACCESS_ADMINISTRATION', 'API_ADMINISTRATION', 'INTEGRATION_ADMINISTRATION'],
    ...['NOTIFICATION_ADMINISTRATION', 'REPORT_ADMINISTRATION', 'LICENSE_ADMINISTRATION'],
  ],
};

const access = (what: string) => mapOf(oneOf(ACCESS, 'ADMIN, or READONLY below the role `admin`.'), what);

export const getPermissionsForCurrentUser = defineEndpoint({
  path: '/api/permission/getPermissionsForCurrentUser',
  summary: 'Says what the caller may do.',
  description:
    'Of the key, the application or the person that calls. A role holds for the whole organization: `viewer` reads and watches, ' +
    '`operator` also changes shares, clips, schedules, walls and alerts, `admin` everything.',
  request: Type.Object({}),
  response: {
    role: oneOf(ROLES, 'The role. Specific to Sluice.'),
    permissionGroupName: plainText('The role.'),
    superAdmin: flag('Whether the role is `admin`.'),
    installer: flag('Always false.'),
    functionalityList: listOf(plainText('A word of the API family.'), 'What the role allows.'),
    functionalityAccessMap: access('The same, by word.'),
    deviceAccessMap: access('By the UUID of each camera.'),
    locationAccessMap: access('By the UUID of each location.'),
  },
  example: {
    request: {},
    response: {
      ...{ role: 'viewer' as const, permissionGroupName: 'viewer', superAdmin: false, installer: false },
      functionalityList: ['VIEW_SAVED_VIDEO'],
      functionalityAccessMap: { VIEW_SAVED_VIDEO: 'READONLY' as const },
      deviceAccessMap: { [EXAMPLE_CAMERA_UUID]: 'READONLY' as const },
      locationAccessMap: { [EXAMPLE_LOCATION_UUID]: 'READONLY' as const },
    },
  },
  async handler({ orgUuid, caller, services }) {
    const { role } = caller;
    const word = role === 'admin' ? 'ADMIN' : 'READONLY';
    const functionalityList = ROLES.slice(0, ROLES.indexOf(role) + 1).flatMap((each) => FUNCTIONALITY[each]);
    const mapFrom = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, word] as const));
    const cameras = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
    const uuids: string[] = [];
    for (const { camera } of await cameras.toArray()) uuids.push(camera.uuid);
    const locations = (await services.locations.list(orgUuid)).map(({ uuid }) => uuid);
    return {
      ...{ role, permissionGroupName: role, superAdmin: role === 'admin', installer: false },
      functionalityList,
      functionalityAccessMap: mapFrom(functionalityList),
      deviceAccessMap: mapFrom(uuids),
      locationAccessMap: mapFrom(locations),
    };
  },
});
