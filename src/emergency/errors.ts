/** Error codes of emergencies. */

import { defineErrors } from '../core/errors.ts';

export const EMERGENCY_ERRORS = defineErrors({
  EMERGENCY_NOT_FOUND: { kind: 'not-found', message: 'There is no emergency with this UUID.' },
  EMERGENCY_CLOSED: { kind: 'conflict', message: 'The emergency has ended. Open another one.' },
  EMERGENCY_WITHOUT_CAMERA: { kind: 'invalid-input', message: 'An emergency needs at least one camera.' },
  EMERGENCY_CAMERAS_TOO_MANY: {
    kind: 'invalid-input',
    message: 'An emergency can open at most 16 cameras. Choose which.',
  },
  EMERGENCY_REASON_MISSING: { kind: 'invalid-input', message: 'An emergency needs a reason.' },
  EMERGENCY_TOO_LONG: {
    kind: 'invalid-input',
    message: 'An emergency can be open for at most 24 hours. Open another one.',
  },
  TOO_MANY_EMERGENCIES: {
    kind: 'limit',
    message: 'The organization has as many open emergencies as it can. Close one first.',
  },
  EMERGENCY_VIEWS_FULL: {
    kind: 'limit',
    message: 'The report of the emergency has as many views as it can.',
  },
  EMERGENCY_PARTNER_NOT_FOUND: { kind: 'not-found', message: 'There is no partner with this UUID.' },
  EMERGENCY_PARTNER_UNNAMED: { kind: 'invalid-input', message: 'A partner needs a name.' },
  EMERGENCY_PARTNER_USED: {
    kind: 'conflict',
    message: 'A rule opens cameras to this partner. Change or delete the rule first.',
  },
  TOO_MANY_EMERGENCY_PARTNERS: {
    kind: 'limit',
    message: 'The organization has as many partners for emergencies as it can.',
  },
  EMERGENCY_RULE_NOT_FOUND: { kind: 'not-found', message: 'There is no rule with this UUID.' },
  EMERGENCY_RULE_UNNAMED: { kind: 'invalid-input', message: 'A rule needs a name.' },
  EMERGENCY_RULE_PLACE_UNKNOWN: {
    kind: 'invalid-input',
    message: 'Cameras and locations of a rule must be those of the organization.',
  },
  TOO_MANY_EMERGENCY_RULES: {
    kind: 'limit',
    message: 'The organization has as many rules for emergencies as it can.',
  },
});
