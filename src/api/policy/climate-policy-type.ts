/** Climate policies (MinimalClimatePolicy): which readings raise alerts, and when. */

import { type Static, Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import { longText } from '../base/device-update.ts';
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
} from '../base/field-types.ts';

const MAX_SCHEDULED_TRIGGERS = 100;
const MAX_TRIGGERS = 100;

const TRIGGER_SCHEMA = namedType('ClimateTrigger', {
  activity: Type.Optional(text('What is measured, an activity code.')),
  threshold: Type.Optional(double('The reading from which on an alert is raised.')),
});

const SCHEDULED_TRIGGER_SCHEMA = namedType('MinimalClimateScheduledTrigger', {
  scheduleUuid: Type.Optional(ruuid('When the triggers count; always when absent.')),
  triggerSet: Type.Optional(listOf(TRIGGER_SCHEMA, 'The triggers.', MAX_TRIGGERS)),
});

const SCHEDULED_TRIGGERS = listOf(SCHEDULED_TRIGGER_SCHEMA, 'Triggers by schedule.', MAX_SCHEDULED_TRIGGERS);
const BACKOFFS = mapOf(
  int64('Seconds.', 0),
  'How long after an alert no further one is raised, by activity, in seconds.',
);

/** What callers send: absent fields stay as they are. */
export const CLIMATE_POLICY_INPUT_SCHEMA = Type.Object({
  uuid: ruuid('The policy.'),
  orgUuid: Type.Optional(ruuid('The organisation; its own, when it is given.')),
  name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  description: Type.Optional(longText('What it is for.')),
  backoffAlertSecs: Type.Optional(BACKOFFS),
  scheduledTriggers: Type.Optional(SCHEDULED_TRIGGERS),
});

export const CLIMATE_POLICY_SCHEMA = namedType('MinimalClimatePolicy', {
  uuid: ruuid('The policy.'),
  orgUuid: ruuid('The organisation.'),
  name: plainText('Its name.'),
  description: nullable(plainText('What it is for.')),
  backoffAlertSecs: BACKOFFS,
  scheduledTriggers: SCHEDULED_TRIGGERS,
});

/** The name is the resource's. */
export interface ClimatePolicyBody {
  /** As the caller named it: unique within the organisation, not beyond. */
  readonly policyUuid: Ruuid;
  readonly description: string | null;
  readonly backoffAlertSecs: Readonly<Record<string, number>>;
  readonly scheduledTriggers: readonly Static<typeof SCHEDULED_TRIGGER_SCHEMA>[];
}

export const CLIMATE_POLICIES: ResourceKind<ClimatePolicyBody> = resourceKind('climatePolicy');
export type ClimatePolicy = Resource<ClimatePolicyBody>;

/** Callers choose the UUIDs of policies, so two organisations may choose the same. */
export function climatePolicyUuid(orgUuid: Ruuid, policyUuid: Ruuid): Ruuid {
  return deriveRuuid('climate policy', `${orgUuid}\0${policyUuid}`);
}

export function climatePolicyAnswer(policy: ClimatePolicy): Static<typeof CLIMATE_POLICY_SCHEMA> {
  const { policyUuid, description, backoffAlertSecs, scheduledTriggers } = policy.body;
  return {
    uuid: policyUuid,
    orgUuid: policy.orgUuid,
    name: policy.name,
    description,
    backoffAlertSecs: { ...backoffAlertSecs },
    scheduledTriggers: [...scheduledTriggers],
  };
}
