/** POST /api/policy/updateClimatePolicy: creates or changes a climate policy (docs/spec/rules.md#policy-alerts). */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { CLIMATE_POLICY_INPUT_SCHEMA } from './climate-policy-type.ts';

export const updateClimatePolicy = defineEndpoint({
  path: '/api/policy/updateClimatePolicy',
  summary: 'Creates or changes a climate policy.',
  description:
    'If the policy does not exist yet, it is created with the UUID that you choose. Absent fields stay as they are; ' +
    '`scheduledTriggers` and `backoffAlertSecs` are replaced as a whole. Devices and tags name the policy in their ' +
    '`policyUuid`.',
  repetition: 'same-outcome',
  request: Type.Object({ policy: CLIMATE_POLICY_INPUT_SCHEMA }),
  response: {},
  example: {
    request: {
      policy: {
        uuid: deriveRuuid('example', 'climate policy'),
        name: 'Server room',
        backoffAlertSecs: { TEMP_HIGH: 900 },
        scheduledTriggers: [
          { scheduleUuid: EXAMPLE_SCHEDULE_UUID, triggerSet: [{ activity: 'TEMP_HIGH', threshold: 27.5 }] },
        ],
      },
    },
    response: {},
  },
  async handler(context, { policy }) {
    const { orgUuid, services } = context;
    if (policy.orgUuid !== undefined && policy.orgUuid !== orgUuid) {
      throw invalidField('policy.orgUuid must be the organization that the key acts for.');
    }
    await services.climatePolicies.update(orgUuid, policy);
    context.warn('The gateway stores climate policies but raises no alerts for them.');
    return {};
  },
});
