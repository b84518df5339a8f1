/** POST /api/policy/updateClimatePolicy: makes or changes a climate policy (spec). */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import type { Resource } from '../../store/resource.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { API_ERRORS } from '../base/errors.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../base/examples.ts';
import { invalidField } from '../base/request-body.ts';
import {
  CLIMATE_POLICIES,
  CLIMATE_POLICY_INPUT_SCHEMA,
  type ClimatePolicyBody,
  climatePolicyUuid,
} from './climate-policy-type.ts';

const MAX_POLICIES_PER_ORG = 10_000;
/** More than there are activities. */
const MAX_BACKOFFS = 256;
const DEFAULT_NAME = 'Unnamed';

export const updateClimatePolicy = defineEndpoint({
  path: '/api/policy/updateClimatePolicy',
  summary: 'Makes or changes a climate policy.',
  description:
    'A policy that is not there yet is made, with the UUID that the caller chose; fields that are absent stay as they ' +
    'are, `scheduledTriggers` and `backoffAlertSecs` are replaced whole. Devices and tags name the policy in their ' +
    '`policyUuid`.',
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
      throw invalidField('policy.orgUuid must be the organisation that asks, when it is given.');
    }
    if (Object.keys(policy.backoffAlertSecs ?? {}).length > MAX_BACKOFFS) {
      throw invalidField(`policy.backoffAlertSecs must have at most ${MAX_BACKOFFS} entries.`);
    }
    await checkSchedules(context, policy.scheduledTriggers ?? []);
    const uuid = climatePolicyUuid(orgUuid, policy.uuid);
    const decide = (known: Resource<ClimatePolicyBody> | null): Resource<ClimatePolicyBody> => {
      const nowMs = services.clock.epochMs();
      const before = known?.body;
      const body: ClimatePolicyBody = {
        policyUuid: policy.uuid,
        description: policy.description ?? before?.description ?? null,
        backoffAlertSecs: policy.backoffAlertSecs ?? before?.backoffAlertSecs ?? {},
        scheduledTriggers: policy.scheduledTriggers ?? before?.scheduledTriggers ?? [],
      };
      return {
        ...{ uuid, orgUuid, parentUuid: null, secret: null, body },
        name: policy.name?.trim() || known?.name || DEFAULT_NAME,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    await services.store.resources.of(CLIMATE_POLICIES).change(orgUuid, uuid, decide, {
      ...{ atMost: MAX_POLICIES_PER_ORG, within: 'organisation' },
      full: () => new GatewayError(API_ERRORS.TOO_MANY_CLIMATE_POLICIES),
    });
    return {};
  },
});

async function checkSchedules(
  { orgUuid, services }: CallContext,
  triggers: NonNullable<ClimatePolicyBody['scheduledTriggers']>,
): Promise<void> {
  for (const [index, { scheduleUuid }] of triggers.entries()) {
    if (scheduleUuid === undefined) continue;
    if ((await services.store.schedules.find(orgUuid, scheduleUuid)) === null) {
      throw invalidField(
        `policy.scheduledTriggers[${index}].scheduleUuid: there is no schedule with this UUID.`,
      );
    }
  }
}
