/** Component events: what readers, relays and sensors of doors reported. */

import type { Static } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ComponentEventBody } from '../../events/component-events.ts';
import type { StoredEvent } from '../../store/event.ts';
import { int64, namedType, nullable, oneOf, plainText, ruuid } from '../fields/field-types.ts';

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
  orgUuid: ruuid('The organisation.'),
  type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
  componentUuid: ruuid('The component it happened to.'),
  ownerDeviceUuid: nullable(ruuid('The device that the component belongs to.')),
  locationUuid: nullable(ruuid('The location.')),
  correlationId: nullable(plainText('What events of one cause have in common.')),
  timestampMs: int64('When it happened, in epoch milliseconds.'),
  createdAtMs: int64('When it was written down, in epoch milliseconds.'),
});

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
