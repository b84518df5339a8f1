/** Error codes of lockdown rules, credentials and revocations. */

import { defineErrors } from '../../core/errors.ts';

export const ACCESS_CONTROL_ERRORS = defineErrors({
  LOCKDOWN_RULE_NOT_FOUND: { kind: 'not-found', message: 'There is no lockdown rule with this UUID.' },
  LOCKDOWN_RULE_UUID_TAKEN: {
    kind: 'conflict',
    message: 'rule.ruleUuid cannot be used: leave it out for a new rule.',
  },
  TOO_MANY_LOCKDOWN_RULES: {
    kind: 'limit',
    message: 'The location has as many lockdown rules as it may have.',
  },
  CSN_CREDENTIAL_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no standard CSN credential with this UUID.',
  },
});
