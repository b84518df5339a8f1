/** POST /api/accesscontrol/lockdownPlan/findLockdownRulesByLocation: the rules of a location. Specific to Sluice. */

import { Type } from 'typebox';
import { LongList } from '../../../core/long-list.ts';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { listOf, ruuid } from '../../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../../types/examples.ts';
import { EXAMPLE_RULE_UUID, LOCKDOWN_RULE_SCHEMA, lockdownRuleAnswer } from './lockdown-rule-type.ts';

export const findLockdownRulesByLocation = defineEndpoint({
  path: '/api/accesscontrol/lockdownPlan/findLockdownRulesByLocation',
  summary: 'Lists the lockdown rules of a location.',
  description: 'Passwords and client secrets are left out, and header values are hidden.',
  isExtension: true,
  request: Type.Object({ locationUuid: ruuid('The location.') }),
  response: { rules: listOf(LOCKDOWN_RULE_SCHEMA, 'The rules, the first created first.') },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: {
      rules: [
        {
          ruleUuid: EXAMPLE_RULE_UUID,
          locationUuid: EXAMPLE_LOCATION_UUID,
          ruleName: 'Panic button',
          triggerActivity: 'PanicButtonEvent',
          ruleFilters: { scheduleUuids: [], triggerBackoffSecs: 60 },
          action: { alertAction: true },
          lastRunAtMillis: null,
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { locationUuid }) {
    await services.devices.requireLocation(orgUuid, locationUuid);
    const rules = await services.accessControl.lockdownRules.listByLocation(orgUuid, locationUuid);
    return { rules: LongList.of(rules).map(lockdownRuleAnswer) };
  },
});
