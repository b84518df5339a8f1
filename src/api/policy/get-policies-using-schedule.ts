/** POST /api/policy/getPoliciesUsingSchedule: the policies with triggers that apply in a schedule. */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import type { ScheduledPolicy } from '../../policies/climate-policies.ts';
import {
  EXAMPLE_WEEKLY_SCHEDULE,
  POLICY_SCHEDULE_SCHEMA,
  policyScheduleAnswer,
} from '../schedules/schedule-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { CLIMATE_POLICY_SCHEMA, CLIMATE_TRIGGERS, climatePolicyAnswer } from './climate-policy-type.ts';

const CLIMATE_POLICY_WITH_SCHEDULES = namedType('ClimatePolicy', {
  ...CLIMATE_POLICY_SCHEMA.properties,
  defaultTriggers: { ...CLIMATE_TRIGGERS, description: 'Triggers that always apply.' },
  scheduledTriggers: listOf(
    namedType('ClimateScheduledTrigger', { schedule: POLICY_SCHEDULE_SCHEMA, triggerSet: CLIMATE_TRIGGERS }),
    'Triggers that apply in a schedule, with that schedule.',
  ),
});

/** Kinds of policies that Sluice does not have. */
const NO_POLICIES = {
  accessControlledDoorPolicyList: [],
  audioPolicyList: [],
  cameraPolicyList: [],
  doorPolicyList: [],
  occupancyPolicyList: [],
  proximityPolicyList: [],
  videoIntercomPolicyList: [],
};

const ALWAYS_EMPTY = listOf(Type.Object({}), 'Always empty: Sluice has only climate policies.');

export const getPoliciesUsingSchedule = defineEndpoint({
  path: '/api/policy/getPoliciesUsingSchedule',
  summary: 'Lists the policies that use a schedule.',
  description:
    'Only climate policies use schedules. `/api/schedule/getScheduleDataV2` lists what else does, such as shared ' +
    'streams and doors.',
  request: Type.Object({ scheduleUuid: ruuid('The schedule, of any kind.') }),
  response: {
    climatePolicyList: listOf(CLIMATE_POLICY_WITH_SCHEDULES, 'Climate policies, in creation order.'),
    accessControlledDoorPolicyList: ALWAYS_EMPTY,
    audioPolicyList: ALWAYS_EMPTY,
    cameraPolicyList: ALWAYS_EMPTY,
    doorPolicyList: ALWAYS_EMPTY,
    occupancyPolicyList: ALWAYS_EMPTY,
    proximityPolicyList: ALWAYS_EMPTY,
    videoIntercomPolicyList: ALWAYS_EMPTY,
  },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      ...NO_POLICIES,
      climatePolicyList: [
        {
          uuid: deriveRuuid('example', 'climate policy'),
          orgUuid: EXAMPLE_ORG_UUID,
          name: 'Server room',
          description: null,
          backoffAlertSecs: { TEMP_HIGH: 900 },
          defaultTriggers: [],
          scheduledTriggers: [
            { schedule: EXAMPLE_WEEKLY_SCHEDULE, triggerSet: [{ activity: 'TEMP_HIGH', threshold: 27.5 }] },
          ],
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    const policies = await services.climatePolicies.listUsing(orgUuid, scheduleUuid);
    return { ...NO_POLICIES, climatePolicyList: policies.map(scheduledPolicyAnswer) };
  },
});

function scheduledPolicyAnswer({
  policy,
  always,
  scheduled,
}: ScheduledPolicy): Static<typeof CLIMATE_POLICY_WITH_SCHEDULES> {
  const { scheduledTriggers: _inShort, ...fields } = climatePolicyAnswer(policy);
  return {
    ...fields,
    defaultTriggers: [...always],
    scheduledTriggers: scheduled.map(({ schedule, triggers }) => ({
      schedule: policyScheduleAnswer(schedule),
      triggerSet: [...triggers],
    })),
  };
}
