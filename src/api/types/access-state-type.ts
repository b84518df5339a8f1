/** Who changed the state of a door or an elevator landing, and to what (docs/spec/conventions.md#access-states). */

import { Type } from 'typebox';
import { ACCESS_STATES, type OriginatorType } from '../../access-control/access-state.ts';
import { int64, namedType, oneOf, ruuid, text } from '../../http/fields/field-types.ts';

const ORIGINATOR_TYPES = [
  'USER',
  'SUPPORT_AUTHORITY',
  'API_TOKEN',
  'RULE',
  'COMPONENT_COMPOSITE_EVENT',
  'UNKNOWN',
] as const satisfies readonly OriginatorType[];

export const ORIGINATOR_SCHEMA = namedType('Originator', {
  type: Type.Optional(oneOf(ORIGINATOR_TYPES, 'What kind of originator it is.')),
  grantedToInternalEntityUuid: Type.Optional(ruuid('The user, key or rule that requested it.')),
  grantedToName: Type.Optional(text('Its name.')),
  supportAuthorityUuid: Type.Optional(ruuid('The support authority that acted.')),
  supportUserEmail: Type.Optional(text('Address of the support user.')),
  supportUsername: Type.Optional(text('Name of the support user.')),
});

const OVERRIDE_PROPERTIES = {
  originator: Type.Optional(ORIGINATOR_SCHEMA),
  requestedAtMillis: Type.Optional(int64('When it was requested, epoch milliseconds.', 0)),
};

export const FIRST_IN_STATE_SCHEMA = namedType('FirstInState', {
  ...OVERRIDE_PROPERTIES,
  state: Type.Optional(oneOf(['REQUIRED', 'SATISFIED'], 'Whether someone must still come in first.')),
});

export const ACCESS_STATE_OVERRIDE_SCHEMA = namedType('AccessStateOverride', {
  ...OVERRIDE_PROPERTIES,
  type: Type.Optional(
    oneOf(['DOOR_STATE_OVERRIDE', 'CANCELLED_DOOR_STATE_OVERRIDE'], 'Whether it is in effect.'),
  ),
  state: Type.Optional(oneOf(ACCESS_STATES, 'The state that was set.')),
  expiresAtMillis: Type.Optional(int64('When it ends, epoch milliseconds; absent if it does not end.', 0)),
});

/** The kinds of component that users pass through. */
export const COMPOSITE_TYPES = [
  'AccessControlledDoor',
  'AccessControlledElevator',
  'AccessControlledElevatorLanding',
] as const;
