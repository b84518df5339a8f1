/** Rules that run when a location is locked down (docs/spec/rules.md#lockdown-rules). */

import { type Static, Type } from 'typebox';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_SCHEDULE_UUID } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { countingWith, keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../webhooks/webhook-request.ts';
import { ACCESS_STATES } from '../access-control/access-state.ts';
import {
  actionsLeftToClients,
  EXPIRATION_STRATEGIES,
  type LockdownRule,
  ruleAction,
} from '../access-control/lockdown/lockdown-rule.ts';
import { withoutSecrets } from '../access-control/lockdown/shown-action.ts';

/** Actions of one kind, devices of one action. */
const MAX_ENTRIES = 50;
const MAX_PAYLOAD_LENGTH = 4_096;
const MAX_HEADER_VALUE_LENGTH = 4_096;
const SECONDS_PER_DAY = 86_400;
const NO_FIRST_IN = 'the gateway sets the state whether or not someone came in first';

const optional = Type.Optional;
const deviceFacets = (description: string) =>
  optional(listOf(deviceFacetUuid('A device.'), description, MAX_ENTRIES));
const entries = <T extends ReturnType<typeof namedType>>(items: T, description: string) =>
  optional(listOf(items, description, MAX_ENTRIES));
const headers = optional(
  mapOf(text('Value.', MAX_HEADER_VALUE_LENGTH), 'More headers of the call, by name.'),
);
const loopDurationSec = optional(int32('How long it is repeated, in seconds.', 0));
const playCount = optional(int32('How many times it is played.', 0));

const ACTIVATE_LOCATION_LOCKDOWN = namedType('ActivateLocationLockdownAction', {
  locationLockdownPlanUuid: optional(ruuid('The plan.')),
  locationUuid: optional(ruuid('The location.')),
});

const AUDIO_PLAYBACK = namedType('AudioPlaybackAction', {
  audioClipUuid: optional(ruuid('What to play.')),
  audioGateways: optional(listOf(ruuid('An audio gateway.'), 'Where to play it.', MAX_ENTRIES)),
  loopDurationSec,
  playCount,
});

const CANCEL_LOOPING_AUDIO = namedType('CancelLoopingAudioPlaybackAction', {
  _audioDevices: deviceFacets('Where playback stops, for older clients.'),
  audioDevices: deviceFacets('Where playback stops.'),
});

const CHANGE_ACCESS_STATE = namedType('ChangeComponentCompositeAccessStateAction', {
  componentCompositeUuid: ruuid('The door or elevator landing.'),
  accessState: optional(oneOf(ACCESS_STATES, 'The state to put it in. Default ACCESS_CONTROLLED.')),
  expirationStrategy: optional(oneOf(EXPIRATION_STRATEGIES, 'How that ends. Default NONE.')),
  expireTimeDelaySeconds: optional(
    countingWith(
      int64('TIME_DELAY: after this many seconds.', 1, 366 * SECONDS_PER_DAY),
      'expirationStrategy',
      'TIME_DELAY',
    ),
  ),
  expireTimeOfDayLocalSeconds: optional(
    countingWith(
      int64(
        'TIME_OF_DAY_LOCAL: at this second of the day, in the time zone of the location.',
        0,
        SECONDS_PER_DAY - 1,
      ),
      'expirationStrategy',
      'TIME_OF_DAY_LOCAL',
    ),
  ),
  alwaysCreateOverrideIfNoFirstIn: optional(
    keptWithoutEffect(flag('Whether to set the state where no one must come in first.'), NO_FIRST_IN),
  ),
  useFirstInRulesIfPossible: optional(
    keptWithoutEffect(flag('Whether someone must come in before it unlocks.'), NO_FIRST_IN),
  ),
  version: optional(int32('Version of the action.')),
});

const CONNECT_AUDIO_DEVICE = namedType('ConnectAudioDeviceToPhoneNumberAction', {
  audioDeviceUuid: optional(ruuid('The device.')),
  deviceType: optional(text('The device type.')),
  doorUuid: optional(ruuid('The door that it belongs to.')),
  optionalGreeting: optional(text('The greeting.', MAX_PAYLOAD_LENGTH)),
  phoneNumber: optional(text('Whom to call.')),
});

const CUSTOM_ACTION = namedType('CustomRuleAction', {
  headers,
  path: optional(text('Path.', MAX_WEBHOOK_URL_LENGTH)),
});

const CUSTOM_LLM = namedType('CustomLLMAction', {
  deviceActivityEvents: optional(
    Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'Events by device.' }),
  ),
  deviceFacetUuids: deviceFacets('The devices.'),
  orgUuid: optional(ruuid('The organization.')),
  promptUuid: optional(ruuid('The prompt.')),
  timestampMs: optional(int64('The time, epoch milliseconds.')),
});

const AUDIO_RECORD = namedType('EnableDisableAudioRecordAction', {
  audioDeviceUuid: optional(ruuid('The device.')),
  enable: optional(flag('Whether to record.')),
});

const INTEGRATION_COMMAND = namedType('IntegrationCommandAction', {
  commandPayload: optional(text('The command.', MAX_PAYLOAD_LENGTH)),
  delaySecs: optional(int32('How long to wait, in seconds.', 0)),
  integration: optional(text('The integration.')),
});

const INTEGRATION_NOTIFICATION = namedType('IntegrationNotificationAction', {
  integration: optional(text('The integration.')),
  notificationEntity: optional(text('What the notification is about.')),
  notificationTarget: optional(text('Who is notified.')),
});

const REMOTE_DOOR_UNLOCK = namedType('RemoteDoorUnlockAction', {
  doorId: optional(text('The door’s name in its system.')),
  placeId: optional(text('The place’s name in its system.')),
  system: optional(text('The system.')),
});

const ROBOT = namedType('RobotAction', {
  deviceUuid: optional(ruuid('The robot.')),
  mapUuid: optional(ruuid('The map.')),
  routeUuid: optional(ruuid('The route.')),
  waypointUuid: optional(ruuid('The waypoint.')),
  pose: optional(
    namedType('RobotPose', {
      orientation: optional(listOf(double('Part.'), 'Orientation.', MAX_ENTRIES)),
      position: optional(listOf(double('Part.'), 'Position.', MAX_ENTRIES)),
    }),
  ),
});

const THIRD_PARTY_AUDIO = namedType('ThirdPartyAudioPlaybackAction', {
  audioFileName: optional(text('What to play.')),
  ipAddress: optional(text('Where to play it.')),
  username: optional(text('User of the device.')),
  password: optional(text('Password of the device; never returned.')),
  loopDurationSec,
  playCount,
  proxyDeviceUuid: optional(ruuid('The device through which it is contacted.')),
});

const TRIGGER_RELAY = namedType('TriggerComponentRelayAction', {
  componentUuid: optional(ruuid('The relay.')),
  ownerDeviceUuid: optional(ruuid('The device that it belongs to.')),
  outputType: optional(oneOf(['TRANSIENT', 'STEADY'], 'Whether it returns to its earlier state.')),
  overrideRelayDurationMs: optional(int32('How long, in milliseconds.', 0)),
  overrideRelayDurationSec: optional(int32('How long, in seconds.', 0)),
  state: optional(oneOf(['ACTIVE', 'INACTIVE', 'UNKNOWN'], 'The state to put it in.')),
  version: optional(int32('Version of the action.')),
});

const WEBHOOK = namedType('WebhookAction', {
  webhookUrl: text('The URL to call: http or https.', MAX_WEBHOOK_URL_LENGTH),
  headers,
  oauthUrl: optional(text('Token endpoint; requires the client ID and secret.', MAX_WEBHOOK_URL_LENGTH)),
  oauthClientId: optional(text('Client ID for the token endpoint.')),
  oauthClientSecret: optional(text('The client secret; never returned.', MAX_PAYLOAD_LENGTH)),
  oauthGrantType: optional(
    countingWith(text('`client_credentials`, the only grant that needs no user. The default.'), 'oauthUrl'),
  ),
  oauthScope: optional(countingWith(text('Scope to request.', MAX_PAYLOAD_LENGTH), 'oauthUrl')),
});

/** Actions of a lockdown rule when it runs (docs/spec/rules.md#lockdown-rules). */
const RULE_ACTION_SCHEMA = namedType('RuleAction', {
  activateLocationLockdown: optional(ACTIVATE_LOCATION_LOCKDOWN),
  alertAction: optional(flag('Raises a policy alert.')),
  liveNotificationAction: optional(flag('Notifies users.')),
  audioPlaybackActions: entries(AUDIO_PLAYBACK, 'Plays audio.'),
  cancelLoopingAudioPlaybackAction: optional(CANCEL_LOOPING_AUDIO),
  changeComponentCompositeAccessStateActions: optional(
    listOf(CHANGE_ACCESS_STATE, 'Puts doors and elevator landings in a state.', MAX_ENTRIES),
  ),
  connectAudioDeviceToPhoneNumberAction: optional(CONNECT_AUDIO_DEVICE),
  customActions: entries(CUSTOM_ACTION, 'Custom actions.'),
  customLLMActions: entries(CUSTOM_LLM, 'Prompts.'),
  enableDisableAudioRecordActions: entries(AUDIO_RECORD, 'Turns audio recording on and off.'),
  integrationCommandActions: entries(INTEGRATION_COMMAND, 'Sends commands to integrations.'),
  integrationNotificationActions: entries(INTEGRATION_NOTIFICATION, 'Notifies through integrations.'),
  remoteDoorUnlockActions: entries(REMOTE_DOOR_UNLOCK, 'Unlocks doors of other systems.'),
  robotActions: entries(ROBOT, 'Sends robots.'),
  thirdPartyAudioPlaybackAction: optional(THIRD_PARTY_AUDIO),
  triggerComponentRelayActions: entries(TRIGGER_RELAY, 'Switches relays.'),
  webhookActions: optional(listOf(WEBHOOK, 'Calls other services.', MAX_ENTRIES)),
});

/** Including the actions that the gateway only stores. */
type GivenRuleAction = Static<typeof RULE_ACTION_SCHEMA>;

const MAX_SCHEDULES = 50;
/** One year. */
const MAX_BACKOFF_SEC = 31_536_000;
const MAX_ACTIVITY_LENGTH = 128;

const RULE_FILTER_SCHEMA = namedType('RuleFilter', {
  scheduleUuids: Type.Optional(
    listOf(
      ruuid('A schedule.'),
      'The rule runs only while one of these is active; always, if there are none.',
      MAX_SCHEDULES,
    ),
  ),
  triggerBackoffSecs: Type.Optional(
    int32('After it runs, the rule ignores triggers for this many seconds.', 0, MAX_BACKOFF_SEC),
  ),
});

/** The lockdown rule, as sent and as returned. */
const LOCKDOWN_RULE_INPUT = namedType('LockdownRule', {
  ruleUuid: Type.Optional(ruuid('The rule of the location to replace; absent to create one.')),
  locationUuid: ruuid('Its location.'),
  ruleName: text('Its name.', MAX_NAME_LENGTH),
  triggerActivity: Type.Optional(
    text('The activity that triggers it, such as PANIC_BUTTON; any activity if absent.', MAX_ACTIVITY_LENGTH),
  ),
  ruleFilters: Type.Optional(RULE_FILTER_SCHEMA),
  action: RULE_ACTION_SCHEMA,
});

const LOCKDOWN_RULE_SCHEMA = namedType('KeptLockdownRule', {
  ruleUuid: ruuid('The rule.'),
  locationUuid: nullable(ruuid('Its location.')),
  ruleName: text('Its name.', MAX_NAME_LENGTH),
  triggerActivity: nullable(text('The activity that triggers it; absent: any.', MAX_ACTIVITY_LENGTH)),
  ruleFilters: RULE_FILTER_SCHEMA,
  action: RULE_ACTION_SCHEMA,
  lastRunAtMillis: nullable(int64('When it last ran, epoch milliseconds; absent: never.')),
});

function lockdownRuleResponse(rule: LockdownRule): Static<typeof LOCKDOWN_RULE_SCHEMA> {
  const { scheduleUuids, triggerBackoffSecs, triggerActivity, lastRunAtMs } = rule.body;
  return {
    ruleUuid: rule.uuid,
    locationUuid: rule.parentUuid,
    ruleName: rule.name,
    triggerActivity,
    ruleFilters: { scheduleUuids: [...scheduleUuids], triggerBackoffSecs },
    action: withoutSecrets(ruleAction(rule) as GivenRuleAction),
    lastRunAtMillis: lastRunAtMs,
  };
}

const EXAMPLE_RULE_UUID = deriveRuuid('example', 'lockdown rule');

const findLockdownRulesByLocation = defineEndpoint({
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
    return { rules: LongList.of(rules).map(lockdownRuleResponse) };
  },
});

const createLockdownRuleForLocation = defineEndpoint({
  path: '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation',
  summary: 'Creates a lockdown rule for a location.',
  description:
    'The rule runs when its trigger activity is reported at the location: a trigger of a policy alert, or the type ' +
    'of a component event. Sluice then sets the states of doors and elevator landings, raises an alert and calls ' +
    'webhooks. Other actions are stored but not carried out, and `warningMsg` names them. Calls are POST requests ' +
    'with a JSON body, signed in `x-sluice-signature: t=<epoch seconds>,v1=<hex>` with HMAC-SHA256 over `<epoch ' +
    'seconds>.<body>`; `/api/integrations/webhooks/getWebhookIntegration` returns the secret of each address. ' +
    'Redirects are not followed, and hosts in private networks are called only if the configuration allows it.',
  repetition: 'once',
  request: Type.Object({ rule: LOCKDOWN_RULE_INPUT }),
  response: { ruleUuid: ruuid('The rule.') },
  example: {
    request: {
      rule: {
        locationUuid: EXAMPLE_LOCATION_UUID,
        ruleName: 'Panic button',
        triggerActivity: 'PanicButtonEvent',
        ruleFilters: { scheduleUuids: [EXAMPLE_SCHEDULE_UUID], triggerBackoffSecs: 60 },
        action: {
          alertAction: true,
          webhookActions: [
            { webhookUrl: 'https://dispatch.example.com/lockdown', headers: { 'x-site': 'Headquarters' } },
          ],
        },
      },
    },
    response: { ruleUuid: EXAMPLE_RULE_UUID },
  },
  async handler(context, { rule }) {
    const { orgUuid, services } = context;
    const ruleUuid = await services.accessControl.lockdownRules.create(orgUuid, rule);
    const kept = actionsLeftToClients(rule.action);
    if (kept.length > 0) {
      context.warn(`The gateway stores these actions but does not carry them out: ${kept.join(', ')}.`);
    }
    return { ruleUuid };
  },
});

const deleteLockdownRule = defineEndpoint({
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

export const LOCKDOWN_RULE_ENDPOINTS: readonly Endpoint[] = [
  findLockdownRulesByLocation,
  createLockdownRuleForLocation,
  deleteLockdownRule,
];
