/** Component events: what readers, relays and sensors of doors report. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { knownDoors, reportComponentEvents } from '../../events/component-events.ts';
import { COMPONENT_EVENT_TYPES } from '../component/component-event-type.ts';
import { oneOf, ruuid, text } from '../fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { knownEvents } from './known-events.ts';
import { locationUuidsOf, timeMs, unknownReference } from './row-fields.ts';

export const componentEvents = defineIngestKind({
  name: 'componentEvents',
  summary: 'Reports events at doors.',
  description:
    'Read by `/api/component/findPaginatedComponentEventsByAccessControlledDoor`. `uuid` is unique among the ' +
    'organization’s component events.',
  row: Type.Object({
    uuid: ruuid('The event. One that is already known counts as a duplicate and changes nothing.'),
    accessControlledDoorUuid: ruuid('The door.'),
    type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
    timestampMs: timeMs('When it happened.'),
    createdAtMs: Type.Optional(timeMs('When it was recorded; default: `timestampMs`.')),
    componentUuid: Type.Optional(ruuid('The component it happened to; default: the door.')),
    ownerDeviceUuid: Type.Optional(ruuid('The device that owns the component.')),
    locationUuid: Type.Optional(ruuid('The location.')),
    userUuid: Type.Optional(ruuid('The user involved, such as the owner of a credential.')),
    correlationId: Type.Optional(text('An ID that events with the same cause share.')),
  }),
  example: {
    uuid: deriveRuuid('example', 'component event'),
    accessControlledDoorUuid: deriveRuuid('example', 'door'),
    type: 'DoorStateChangeEvent',
    timestampMs: EXAMPLE_TIME_MS,
  },
  async problemsOf(context, rows) {
    const doors = await knownDoors(
      context.store,
      context.orgUuid,
      rows.map(({ accessControlledDoorUuid }) => accessControlledDoorUuid),
    );
    const locations = await locationUuidsOf(context);
    return rows.map(({ accessControlledDoorUuid, locationUuid }) => {
      if (!doors.has(accessControlledDoorUuid)) return unknownReference('accessControlledDoorUuid', 'a door');
      if (locationUuid === undefined || locations.has(locationUuid)) return null;
      return unknownReference('locationUuid', 'a location');
    });
  },
  known(context, rows) {
    return knownEvents(
      context,
      'componentEvent',
      rows,
      ({ uuid }) => uuid,
      ({ id, deviceUuid, atMs, body }) => ({
        ...body,
        ...{ uuid: id, accessControlledDoorUuid: deviceUuid, createdAtMs: atMs },
      }),
    );
  },
  store({ orgUuid, store }, rows) {
    return reportComponentEvents(store, orgUuid, rows);
  },
});
