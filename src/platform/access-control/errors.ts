/** Error codes of access control: doors, elevator landings, lockdown rules, credentials and revocations. */

import { defineErrors } from '../../core/errors.ts';

export const ACCESS_CONTROL_ERRORS = defineErrors({
  DOOR_NOT_FOUND: { kind: 'not-found', message: 'There is no access controlled door with this UUID.' },
  DOOR_OWNER_NOT_FOUND: { kind: 'not-found', message: 'There is no device with this UUID.' },
  DOOR_UNNAMED: { kind: 'invalid-input', message: 'A door needs a name.' },
  DOOR_CAMERA_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The door names a camera that the organization does not have.',
  },
  DOOR_STATE_UNKNOWN: { kind: 'invalid-input', message: 'A door cannot be in this state.' },
  DOOR_SCHEDULE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The door names a schedule that the organization does not have.',
  },
  DOOR_HOLD_TIMES_REVERSED: {
    kind: 'invalid-input',
    message: 'The minimum time for which a door is held unlocked is longer than the maximum.',
  },
  ELEVATOR_LANDING_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no access controlled elevator landing with this UUID.',
  },
  ELEVATOR_LANDING_LABEL_BLANK: { kind: 'invalid-input', message: 'A label must not be blank.' },
  ELEVATOR_LANDING_LABEL_NOT_FOUND: {
    kind: 'not-found',
    message: 'The elevator landing does not have this label.',
  },
  TOO_MANY_ELEVATOR_LANDING_LABELS: {
    kind: 'limit',
    message: 'The elevator landing has reached its limit of labels.',
  },
  LOCKDOWN_RULE_NOT_FOUND: { kind: 'not-found', message: 'There is no lockdown rule with this UUID.' },
  LOCKDOWN_RULE_UUID_TAKEN: {
    kind: 'conflict',
    message: 'The location has no rule with this UUID. A new rule gets its own UUID.',
  },
  TOO_MANY_LOCKDOWN_RULES: {
    kind: 'limit',
    message: 'The location or its organization has reached its limit of lockdown rules.',
  },
  LOCKDOWN_RULE_UNNAMED: { kind: 'invalid-input', message: 'A lockdown rule needs a name.' },
  LOCKDOWN_TRIGGER_BLANK: {
    kind: 'invalid-input',
    message: 'The activity that triggers a rule must not be blank.',
  },
  LOCKDOWN_LOCATION_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The rule is for a location that the organization does not have.',
  },
  LOCKDOWN_PHONE_NUMBER_INVALID: {
    kind: 'invalid-input',
    message: 'A lockdown rule can only call a phone number with a country code.',
  },
  LOCKDOWN_SCHEDULE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The rule names a schedule that the organization does not have.',
  },
  LOCKDOWN_COMPONENT_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The rule changes a door or an elevator landing that the organization does not have.',
  },
  LOCKDOWN_EXPIRY_MISSING: {
    kind: 'invalid-input',
    message: 'The rule does not say when the state that it sets ends.',
  },
  LOCKDOWN_WEBHOOK_INVALID: { kind: 'invalid-input', message: 'A webhook of the rule cannot be called.' },
  LOCKDOWN_OAUTH_CLIENT_INCOMPLETE: {
    kind: 'invalid-input',
    message: 'A webhook with an OAuth client needs its token endpoint, its ID and its secret.',
  },
  LOCKDOWN_OAUTH_URL_INSECURE: {
    kind: 'invalid-input',
    message: 'The client secret is sent to the token endpoint, which must be an https URL.',
  },
  LOCKDOWN_OAUTH_GRANT_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'The OAuth grant must be client_credentials, the only one that needs no user.',
  },
  CSN_CREDENTIAL_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no standard CSN credential with this UUID.',
  },
});
