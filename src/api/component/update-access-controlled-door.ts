/** POST /api/component/updateAccessControlledDoor: changes the settings of a door. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { flag, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { DOOR_SETTING_FIELDS } from './door-fields.ts';
import { DOOR_SCHEMA, doorAnswer, EXAMPLE_DOOR, EXAMPLE_DOOR_UUID } from './door-type.ts';

export const updateAccessControlledDoor = defineEndpoint({
  path: '/api/component/updateAccessControlledDoor',
  summary: 'Changes the settings of a door.',
  description:
    'Absent fields stay as they are. Lists, maps and nested records are replaced as a whole: a state that ' +
    '`doorStateToScheduleUuidMap` leaves out, or gives as null, has no schedule. A `defaultState` is stored with who ' +
    'requested it and when (`defaultAccessStateOriginator`, `defaultAccessStateRequestedAtMillis`). ' +
    '`subLocationsHierarchyKey` counts only together with `subLocationsHierarchyKeyUpdated`; that flag alone clears ' +
    'it.',
  repetition: 'same-outcome',
  request: Type.Object({
    accessControlledDoorUuid: ruuid('The door.'),
    ...optionalFields(DOOR_SETTING_FIELDS),
    subLocationsHierarchyKeyUpdated: Type.Optional(flag('Whether to apply `subLocationsHierarchyKey`.')),
  }),
  response: { accessControlledDoor: DOOR_SCHEMA },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      unlockTimeSec: 10,
      doorStateToScheduleUuidMap: { UNLOCKED: EXAMPLE_SCHEDULE_UUID },
    },
    response: {
      accessControlledDoor: {
        ...EXAMPLE_DOOR,
        unlockTimeSec: 10,
        doorStateToScheduleUuidMap: { UNLOCKED: EXAMPLE_SCHEDULE_UUID },
      },
    },
  },
  async handler(context, body) {
    const { orgUuid, caller, services } = context;
    const { accessControlledDoorUuid, subLocationsHierarchyKey, subLocationsHierarchyKeyUpdated } = body;
    const changes = {
      ...givenSettings(body),
      ...(subLocationsHierarchyKeyUpdated === true && {
        subLocationsHierarchyKey: subLocationsHierarchyKey ?? null,
      }),
    };
    const door = await services.accessControl.doors.update(orgUuid, accessControlledDoorUuid, changes, {
      type: 'API_TOKEN',
      grantedToInternalEntityUuid: caller.actor.uuid,
      grantedToName: caller.actor.name,
    });
    if (Object.keys(givenSettings(body)).some((name) => name !== 'name')) {
      context.warn(
        'The gateway stores these settings for the device that operates the door. It does not operate the door ' +
          'itself.',
      );
    }
    return { accessControlledDoor: doorAnswer(door) };
  },
});

/** The settings in what was sent, which can contain anything else. */
function givenSettings(body: object) {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(DOOR_SETTING_FIELDS)) {
    const value = (body as Record<string, unknown>)[name];
    if (value !== undefined && name !== 'subLocationsHierarchyKey') given[name] = value;
  }
  return given;
}
