/** Component events: what readers, relays and sensors of doors reported. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { ComponentEventBody, ComponentEventQuery } from '../../events/component-events.ts';
import {
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { StoredEvent } from '../../store/event.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_DOOR_UUID } from './door-type.ts';

export const COMPONENT_EVENT_TYPES = [
  'DoorbellEvent',
  'DoorReaderStateChangeEvent',
  'DoorRelayStateChangeEvent',
  'DoorPositionIndicatorStateChangeEvent',
  'RequestToExitStateChangeEvent',
  'CredentialReceivedEvent',
  'ButtonEvent',
  'GenericInputStateChangeEvent',
  'GenericRelayStateChangeEvent',
  'AccessControlUnitTamperEvent',
  'AccessControlUnitLocationLockdownStateEvent',
  'DoorLocationLockdownStateEvent',
  'PanicButtonEvent',
  'AccessControlUnitBatteryStateChangeEvent',
  'WaveToUnlockIntentExpiredEvent',
  'DoorStateChangeEvent',
  'DoorAuthFirstInStateEvent',
  'DoorScheduleFirstInStateEvent',
  'AccessControlUnitDoorFirstInStateEvent',
  'LockVendorDoorExtensionStateEvent',
  'LockVendorActivatorStateEvent',
  'LockVendorKeyCylinderStateEvent',
  'LockVendorDoorModeEvent',
  'LockVendorDoorHandleStateEvent',
  'LockVendorGatewayStateEvent',
  'LockVendorGatewayConnectionStateChangeEvent',
  'LockVendorDtcEvent',
  'LockVendorTamperStateEvent',
] as const;

type ComponentEventType = (typeof COMPONENT_EVENT_TYPES)[number];

export const COMPONENT_EVENT_SCHEMA = namedType('ComponentEvent', {
  uuid: ruuid('The event.'),
  orgUuid: ruuid('The organization.'),
  type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
  componentUuid: ruuid('The component it happened to.'),
  ownerDeviceUuid: nullable(ruuid('The device that owns the component.')),
  locationUuid: nullable(ruuid('The location.')),
  correlationId: nullable(plainText('An ID that events with the same cause share.')),
  timestampMs: int64('When it happened, in epoch milliseconds.'),
  createdAtMs: int64('When it was recorded, in epoch milliseconds.'),
});

/** Which events are requested, whatever they are of. */
export const EVENT_FILTER_PROPERTIES = {
  createdAfterMs: Type.Optional(
    int64('Start of the range of `createdAtMs`, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  createdBeforeMs: Type.Optional(
    int64('End of the range of `createdAtMs`, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  typeFilter: Type.Optional(
    listOf(
      oneOf(COMPONENT_EVENT_TYPES, 'Type.'),
      'Only events of these types.',
      COMPONENT_EVENT_TYPES.length,
    ),
  ),
};

/** Which events of a door are requested. */
export const DOOR_EVENTS_PROPERTIES = {
  accessControlledDoorUuid: ruuid('The door.'),
  ...EVENT_FILTER_PROPERTIES,
};

const EVENT_FILTER_REQUEST = Type.Object(EVENT_FILTER_PROPERTIES);
const DOOR_EVENTS_REQUEST = Type.Object(DOOR_EVENTS_PROPERTIES);

/** How two requests describe the requested events of a door. */
export function doorEventsQuery(
  body: Static<typeof DOOR_EVENTS_REQUEST>,
): Pick<ComponentEventQuery, 'doorUuid' | 'fromMs' | 'toMs' | 'types'> {
  return { doorUuid: body.accessControlledDoorUuid, ...eventFilter(body) };
}

export function eventFilter(
  body: Static<typeof EVENT_FILTER_REQUEST>,
): Pick<ComponentEventQuery, 'fromMs' | 'toMs' | 'types'> {
  return {
    fromMs: body.createdAfterMs ?? 0,
    toMs: body.createdBeforeMs ?? MAX_TIME_MS + 1,
    types: body.typeFilter === undefined ? null : new Set(body.typeFilter),
  };
}

export const EXAMPLE_COMPONENT_EVENT: Static<typeof COMPONENT_EVENT_SCHEMA> = {
  uuid: deriveRuuid('example', 'component event'),
  orgUuid: EXAMPLE_ORG_UUID,
  type: 'DoorStateChangeEvent',
  componentUuid: EXAMPLE_DOOR_UUID,
  ownerDeviceUuid: null,
  locationUuid: null,
  correlationId: null,
  timestampMs: EXAMPLE_TIME_MS,
  createdAtMs: EXAMPLE_TIME_MS,
};

export function componentEventAnswer(event: StoredEvent): Static<typeof COMPONENT_EVENT_SCHEMA> {
  const body = event.body as ComponentEventBody<ComponentEventType>;
  return {
    uuid: event.id as Ruuid,
    orgUuid: event.orgUuid,
    type: body.type,
    componentUuid: body.componentUuid,
    ownerDeviceUuid: body.ownerDeviceUuid,
    locationUuid: body.locationUuid,
    correlationId: body.correlationId,
    timestampMs: body.timestampMs,
    createdAtMs: event.atMs,
  };
}
