/** Access controlled doors, as reported by the devices that operate them. */

import { Type } from 'typebox';
import { doorReportRules } from '../../access-control/report-rules.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { DOOR_REPORTED_FIELDS, DOOR_SETTING_FIELDS } from '../component/door-fields.ts';
import { EXAMPLE_DOOR_CONTROLLER_UUID, EXAMPLE_DOOR_UUID } from '../component/door-type.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const doors = defineIngestKind({
  name: 'doors',
  summary: 'Reports access controlled doors.',
  description:
    'Read by `/api/component/findAccessControlledDoorsByOwnerDevice`, changed by ' +
    '`/api/component/updateAccessControlledDoor`. A door whose `uuid` is already known counts as a duplicate: it ' +
    'keeps its settings and takes from the row its owner, its location and what only its device knows, such as ' +
    'overrides.',
  row: Type.Object({
    uuid: ruuid('The door.'),
    ownerDeviceUuid: ruuid('The device that operates it.'),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    ...optionalFields(DOOR_SETTING_FIELDS),
    ...optionalFields(DOOR_REPORTED_FIELDS),
  }),
  example: {
    uuid: EXAMPLE_DOOR_UUID,
    ownerDeviceUuid: EXAMPLE_DOOR_CONTROLLER_UUID,
    locationUuid: EXAMPLE_LOCATION_UUID,
    name: 'Loading dock',
    unlockTimeSec: 5,
  },
  rules: doorReportRules,
});
