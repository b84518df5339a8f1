/** Component events: what readers, relays and sensors of doors report. */

import { Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext } from '../../ingest/ingest-kind.ts';
import type { StoredEvent } from '../../store/event.ts';
import { resourceKind } from '../../store/resource.ts';
import { EXAMPLE_TIME_MS } from '../base/examples.ts';
import { oneOf, ruuid, text } from '../base/field-types.ts';
import { COMPONENT_EVENT_TYPES, type ComponentEventBody } from '../component/component-event-type.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { locationUuidsOf, timeMs, unknownReference } from './row-fields.ts';

/** Only whether a door exists matters here. */
const DOORS = resourceKind<object>('door');

export const componentEvents = defineIngestKind({
  name: 'componentEvents',
  summary: 'Reports what happened at doors.',
  description:
    'Read by `/api/component/findPaginatedComponentEventsByAccessControlledDoor`. `uuid` is unique among the ' +
    'organisation’s component events.',
  row: Type.Object({
    uuid: ruuid('The event. One that is known already is counted as a duplicate and changes nothing.'),
    accessControlledDoorUuid: ruuid('The door it concerns.'),
    type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
    timestampMs: timeMs('When it happened.'),
    createdAtMs: Type.Optional(timeMs('When it was written down; `timestampMs` when absent.')),
    componentUuid: Type.Optional(ruuid('The component it happened to; the door when absent.')),
    ownerDeviceUuid: Type.Optional(ruuid('The device that the component belongs to.')),
    locationUuid: Type.Optional(ruuid('The location.')),
    userUuid: Type.Optional(ruuid('The user whom it concerns, such as the owner of a credential.')),
    correlationId: Type.Optional(text('What events of one cause have in common.')),
  }),
  example: {
    uuid: deriveRuuid('example', 'component event'),
    accessControlledDoorUuid: deriveRuuid('example', 'door'),
    type: 'DoorStateChangeEvent',
    timestampMs: EXAMPLE_TIME_MS,
  },
  async problemsOf(context, rows) {
    const doors = await knownDoors(
      context,
      rows.map(({ accessControlledDoorUuid }) => accessControlledDoorUuid),
    );
    const locations = await locationUuidsOf(context);
    return rows.map(({ accessControlledDoorUuid, locationUuid }) => {
      if (!doors.has(accessControlledDoorUuid)) return unknownReference('accessControlledDoorUuid', 'a door');
      if (locationUuid === undefined || locations.has(locationUuid)) return null;
      return unknownReference('locationUuid', 'a location');
    });
  },
  store({ orgUuid, store }, rows) {
    const events = rows.map((row): StoredEvent => {
      const { locationUuid } = row;
      const body: ComponentEventBody = {
        type: row.type,
        timestampMs: row.timestampMs,
        componentUuid: row.componentUuid ?? row.accessControlledDoorUuid,
        ownerDeviceUuid: row.ownerDeviceUuid ?? null,
        locationUuid: locationUuid ?? null,
        userUuid: row.userUuid ?? null,
        correlationId: row.correlationId ?? null,
      };
      return {
        orgUuid,
        kind: 'componentEvent',
        id: row.uuid,
        deviceUuid: row.accessControlledDoorUuid,
        ...(locationUuid === undefined ? {} : { locationUuid }),
        atMs: row.createdAtMs ?? row.timestampMs,
        body,
      };
    });
    return store.events.add(events);
  },
});

/** A batch is about few doors. */
async function knownDoors(
  { orgUuid, store }: IngestContext,
  doorUuids: readonly Ruuid[],
): Promise<ReadonlySet<Ruuid>> {
  const known = new Set<Ruuid>();
  for (const uuid of new Set(doorUuids)) {
    if ((await store.resources.of(DOORS).find(orgUuid, uuid)) !== null) known.add(uuid);
  }
  return known;
}
