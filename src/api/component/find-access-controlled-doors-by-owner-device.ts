/** POST /api/component/findAccessControlledDoorsByOwnerDevice: the doors that a device operates. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, listOf } from '../../http/fields/field-types.ts';
import { DOOR_SCHEMA, doorAnswer, EXAMPLE_DOOR, EXAMPLE_DOOR_CONTROLLER_UUID } from './door-type.ts';

export const findAccessControlledDoorsByOwnerDevice = defineEndpoint({
  path: '/api/component/findAccessControlledDoorsByOwnerDevice',
  summary: 'Lists the doors that a device operates.',
  description:
    'Doors are created when their devices report them. A camera or an NVR that operates none has an empty list; an ' +
    'unknown device is refused.',
  request: Type.Object({ ownerDeviceUuid: deviceUuid('The device.') }),
  response: { accessControlledDoors: listOf(DOOR_SCHEMA, 'Its doors, the first reported first.') },
  example: {
    request: { ownerDeviceUuid: EXAMPLE_DOOR_CONTROLLER_UUID },
    response: { accessControlledDoors: [EXAMPLE_DOOR] },
  },
  async handler({ orgUuid, services }, { ownerDeviceUuid }) {
    const doors = await services.accessControl.doors.findByOwnerDevice(orgUuid, ownerDeviceUuid);
    return { accessControlledDoors: LongList.of(doors).map(doorAnswer) };
  },
});
