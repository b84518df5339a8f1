/** POST /api/accesscontrol/lockdownPlan/deleteLockdownRule: deletes a rule. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ruuid } from '../../../http/fields/field-types.ts';
import { EXAMPLE_RULE_UUID } from './lockdown-rule-type.ts';

export const deleteLockdownRule = defineEndpoint({
  path: '/api/accesscontrol/lockdownPlan/deleteLockdownRule',
  summary: 'Deletes a lockdown rule.',
  description: 'Calls that it has already triggered are still made.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ ruleUuid: ruuid('The rule.') }),
  response: {},
  example: { request: { ruleUuid: EXAMPLE_RULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { ruleUuid }) {
    await services.accessControl.lockdownRules.remove(orgUuid, ruleUuid);
    return {};
  },
});
