/** Component events: what readers, relays and sensors of doors report. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { componentEventReportRules } from '../../events/report-rules.ts';
import { oneOf, ruuid, text } from '../../http/fields/field-types.ts';
import { COMPONENT_EVENT_TYPES } from '../component/component-event-type.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind, timeMs } from './define-ingest-kind.ts';

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
  rules: componentEventReportRules,
});
