/** Climate policies (MinimalClimatePolicy): which readings raise alerts, and when. */

import { type Static, Type } from 'typebox';
import {
  double,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { ClimatePolicy } from '../../policies/climate-policies.ts';
import { longText } from '../types/device-update.ts';

const MAX_SCHEDULED_TRIGGERS = 100;
const MAX_TRIGGERS = 100;

const TRIGGER_SCHEMA = namedType('ClimateTrigger', {
  activity: Type.Optional(text('What is measured: an activity code.')),
  threshold: Type.Optional(double('The reading that raises an alert.')),
});

export const CLIMATE_TRIGGERS = listOf(TRIGGER_SCHEMA, 'The triggers.', MAX_TRIGGERS);

const SCHEDULED_TRIGGER_SCHEMA = namedType('MinimalClimateScheduledTrigger', {
  scheduleUuid: Type.Optional(ruuid('When the triggers apply; always if absent.')),
  triggerSet: Type.Optional(CLIMATE_TRIGGERS),
});

const SCHEDULED_TRIGGERS = listOf(SCHEDULED_TRIGGER_SCHEMA, 'Triggers by schedule.', MAX_SCHEDULED_TRIGGERS);
const BACKOFFS = mapOf(
  int64('Seconds.', 0),
  'How long after an alert no other one is raised, by activity, in seconds.',
);

/** What callers send: absent fields stay as they are. */
export const CLIMATE_POLICY_INPUT_SCHEMA = Type.Object({
  uuid: ruuid('The policy.'),
  orgUuid: Type.Optional(ruuid('The organization; if given, it must be the caller’s own.')),
  name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  description: Type.Optional(longText('What it is for.')),
  backoffAlertSecs: Type.Optional(BACKOFFS),
  scheduledTriggers: Type.Optional(SCHEDULED_TRIGGERS),
});

export const CLIMATE_POLICY_SCHEMA = namedType('MinimalClimatePolicy', {
  uuid: ruuid('The policy.'),
  orgUuid: ruuid('The organization.'),
  name: plainText('Its name.'),
  description: nullable(plainText('What it is for.')),
  backoffAlertSecs: BACKOFFS,
  scheduledTriggers: SCHEDULED_TRIGGERS,
});

export function climatePolicyAnswer(policy: ClimatePolicy): Static<typeof CLIMATE_POLICY_SCHEMA> {
  const { policyUuid, description, backoffAlertSecs, scheduledTriggers } = policy.body;
  return {
    uuid: policyUuid,
    orgUuid: policy.orgUuid,
    name: policy.name,
    description,
    backoffAlertSecs: { ...backoffAlertSecs },
    scheduledTriggers: scheduledTriggers as Static<typeof SCHEDULED_TRIGGERS>,
  };
}
