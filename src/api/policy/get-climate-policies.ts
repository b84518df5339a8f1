/**
 * POST /api/policy/getClimatePolicies: the climate policies. Specific to Sluice: the specification can only change them
 * (docs/spec/rules.md#policy-alerts).
 */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID } from '../types/examples.ts';
import { CLIMATE_POLICY_SCHEMA, climatePolicyAnswer } from './climate-policy-type.ts';

export const getClimatePolicies = defineEndpoint({
  path: '/api/policy/getClimatePolicies',
  isExtension: true,
  summary: 'Lists the climate policies.',
  description: 'In creation order.',
  request: Type.Object({}),
  response: { policies: listOf(CLIMATE_POLICY_SCHEMA, 'The policies.') },
  example: {
    request: {},
    response: {
      policies: [
        {
          uuid: deriveRuuid('example', 'climate policy'),
          orgUuid: EXAMPLE_ORG_UUID,
          name: 'Server room',
          description: null,
          backoffAlertSecs: { TEMP_HIGH: 900 },
          scheduledTriggers: [{ triggerSet: [{ activity: 'TEMP_HIGH', threshold: 27.5 }] }],
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const policies = await services.climatePolicies.list(orgUuid);
    return { policies: LongList.of(policies).map(climatePolicyAnswer) };
  },
});
