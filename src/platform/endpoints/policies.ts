/** Climate policies, pauses of alerts, and which policies use a schedule. */

import { type Static, type TUnsafe, Type } from 'typebox';
import {
  EXAMPLE_WEEKLY_SCHEDULE,
  POLICY_SCHEDULE_SCHEMA,
  policyScheduleResponse,
} from '../../api/schedules/schedule-types.ts';
import { longText } from '../../api/types/device-update.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
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
import { invalidField } from '../../http/request-body.ts';
import type { ClimatePolicy, ScheduledPolicy } from '../policies/climate-policies.ts';

const MAX_SCHEDULED_TRIGGERS = 100;
const MAX_TRIGGERS = 100;

const TRIGGER_SCHEMA = namedType('ClimateTrigger', {
  activity: Type.Optional(text('What is measured: an activity code.')),
  threshold: Type.Optional(double('The reading that raises an alert.')),
});

const CLIMATE_TRIGGERS = listOf(TRIGGER_SCHEMA, 'The triggers.', MAX_TRIGGERS);

const SCHEDULED_TRIGGER_SCHEMA = namedType('MinimalClimateScheduledTrigger', {
  scheduleUuid: Type.Optional(ruuid('When the triggers apply; always if absent.')),
  triggerSet: Type.Optional(CLIMATE_TRIGGERS),
});

const SCHEDULED_TRIGGERS = listOf(SCHEDULED_TRIGGER_SCHEMA, 'Triggers by schedule.', MAX_SCHEDULED_TRIGGERS);
const BACKOFFS = mapOf(
  int64('Seconds.', 0),
  'How long after an alert no other one is raised, by activity, in seconds.',
);

/** Fields that callers send: absent fields stay as they are. */
const CLIMATE_POLICY_INPUT_SCHEMA = Type.Object({
  uuid: ruuid('The policy.'),
  orgUuid: Type.Optional(ruuid('The organization; if given, it must be the caller’s own.')),
  name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  description: Type.Optional(longText('What it is for.')),
  backoffAlertSecs: Type.Optional(BACKOFFS),
  scheduledTriggers: Type.Optional(SCHEDULED_TRIGGERS),
});

const CLIMATE_POLICY_SCHEMA = namedType('MinimalClimatePolicy', {
  uuid: ruuid('The policy.'),
  orgUuid: ruuid('The organization.'),
  name: plainText('Its name.'),
  description: nullable(plainText('What it is for.')),
  backoffAlertSecs: BACKOFFS,
  scheduledTriggers: SCHEDULED_TRIGGERS,
});

function climatePolicyResponse(policy: ClimatePolicy): Static<typeof CLIMATE_POLICY_SCHEMA> {
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

/** The climate policies. Specific to Sluice: the specification can only change them (docs/spec/rules.md#policy-alerts). */
const getClimatePolicies = defineEndpoint({
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
    return { policies: LongList.of(policies).map(climatePolicyResponse) };
  },
});

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

const getPoliciesUsingSchedule = defineEndpoint({
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
    return { ...NO_POLICIES, climatePolicyList: policies.map(scheduledPolicyResponse) };
  },
});

function scheduledPolicyResponse({
  policy,
  always,
  scheduled,
}: ScheduledPolicy): Static<typeof CLIMATE_POLICY_WITH_SCHEDULES> {
  const { scheduledTriggers: _inShort, ...fields } = climatePolicyResponse(policy);
  return {
    ...fields,
    defaultTriggers: [...always],
    scheduledTriggers: scheduled.map(({ schedule, triggers }) => ({
      schedule: policyScheduleResponse(schedule),
      triggerSet: [...triggers],
    })),
  };
}

/** Creates or changes a climate policy (docs/spec/rules.md#policy-alerts). */
const updateClimatePolicy = defineEndpoint({
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

const MAX_ENTRIES = 100;
/** One year. */
const MAX_PAUSE_SEC = 31_536_000;
/** 9998-12-31: with the longest pause, times stay within what dates can show. */
const LAST_START_SEC = 253_370_764_800;

const uuids = (one: TUnsafe<Ruuid>, all: string) => Type.Optional(listOf(one, all, MAX_ENTRIES));

const pauseAlertPolicyForComponentComposite = defineEndpoint({
  path: '/api/policy/pauseAlertPolicyForComponentComposite',
  summary: 'Pauses alert policies for a while.',
  description:
    'Until the pause ends, the doors, landings, devices and locations raise no alerts; after that, they raise them ' +
    'again. At least one of the lists must have an entry. Sensors are not registered: if a device has not reported ' +
    'anything yet, the response warns about it, but the pause still applies.',
  repetition: 'once',
  request: Type.Object({
    componentCompositeUuids: uuids(
      ruuid('A door, a landing or a sensor of a door.'),
      'Doors, landings and their parts to pause.',
    ),
    deviceUuids: uuids(deviceUuid('A device.'), 'Devices to pause: cameras, NVRs, controllers and sensors.'),
    locationUuids: uuids(ruuid('A location.'), 'Locations to pause, with everything in them.'),
    durationSec: int64('Length of the pause in seconds.', 1, MAX_PAUSE_SEC),
    scheduledTimestampSec: Type.Optional(
      int64('Epoch second at which the pause begins; default: now.', 0, LAST_START_SEC),
    ),
  }),
  response: {},
  example: { request: { locationUuids: [EXAMPLE_LOCATION_UUID], durationSec: 3_600 }, response: {} },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { componentCompositeUuids = [], deviceUuids = [], locationUuids = [] } = body;
    const { durationSec, scheduledTimestampSec: startSec } = body;
    const subjects = { componentCompositeUuids, deviceUuids, locationUuids };
    const { alertPauses } = services.accessControl;
    await alertPauses.pauseFor(orgUuid, subjects, { startSec, durationSec });
    const unheardOf = await alertPauses.unheardOf(orgUuid, deviceUuids);
    if (unheardOf.length > 0) {
      context.warn(
        `These devices have not reported anything yet: ${unheardOf.join(', ')}. Their alerts are paused too.`,
      );
    }
    return {};
  },
});

export const POLICY_ENDPOINTS: readonly Endpoint[] = [
  getClimatePolicies,
  getPoliciesUsingSchedule,
  updateClimatePolicy,
  pauseAlertPolicyForComponentComposite,
];
