/**
 * How the OpenAPI document names operations: the id by which generated clients call one, the tag by which they group it,
 * and the bodies after which they name types and parameters. All follow from the path by one rule, with the exceptions
 * that the specification's own document makes, so that code written against a client generated from that document
 * compiles against one generated from ours.
 */

/** A group of operations in the document. */
export interface Tag {
  readonly name: string;
  /** Markdown. */
  readonly description: string;
}

/**
 * IDs that are not the last part of the path. The ID is used if a name alone does not tell its subject (`delete`, `getDetails`), or if
 * another category also has it.
 */
const OPERATION_IDS: ReadonlyMap<string, string> = new Map([
  ['/api/audiogateway/getMediaUris', 'getAudioGatewayMediaUris'],
  ['/api/camera/createSharedLiveVideoStream', 'createCameraSharedLiveVideoStream'],
  ['/api/camera/delete', 'deleteCamera'],
  ['/api/camera/findSharedLiveVideoStreams', 'findCameraSharedLiveVideoStreams'],
  // The call of the same name has the id that this one would get.
  ['/api/camera/getCameraMediaUris', 'getMediaUrisOfCamera'],
  ['/api/camera/getConfig', 'getCameraConfig'],
  ['/api/camera/getFootageSeekpointsV2', 'getCameraFootageSeekpointsV2'],
  ['/api/camera/getMediaUris', 'getCameraMediaUris'],
  ['/api/camera/getMinimalList', 'getCameraMinimalList'],
  ['/api/camera/getPresenceWindows', 'getCameraPresenceWindows'],
  ['/api/camera/updateConfig', 'updateCameraConfig'],
  ['/api/camera/updateDetailsV2', 'updateCameraDetailsV2'],
  ['/api/doorbellcamera/createSharedLiveVideoStream', 'createDoorbellCameraSharedLiveVideoStream'],
  ['/api/doorbellcamera/delete', 'deleteDoorbellCamera'],
  ['/api/doorbellcamera/deleteSharedLiveVideoStream', 'deleteDoorbellCameraSharedLiveVideoStream'],
  ['/api/doorbellcamera/findSharedLiveVideoStreams', 'findDoorbellCameraSharedLiveVideoStreams'],
  ['/api/doorbellcamera/getMediaUris', 'getDoorbellCameraMediaUris'],
  ['/api/doorbellcamera/getMinimalStateList', 'getDoorbellCameraMinimalStateList'],
  ['/api/export/diagnostic', 'exportDiagnostic'],
  ['/api/integrations/validateToken', 'validateTokenDep'],
  ['/api/location/createLocation', 'createlocation'],
  ['/api/org/updateDetails', 'updateOrgDetails'],
  ['/api/partner/getClientsV2', 'getPartnerClientsV2'],
  ['/api/partner/submitApiTokenApplication', 'submitPartnerApiTokenApplication'],
  ['/api/proximity/getTags', 'getProximityTags'],
  ['/api/proximity/updateDetails', 'updateProximitySensorDetails'],
  ['/api/relay/getDetails', 'getNVRDetails'],
  ['/api/relay/getUptimeWindows', 'getRelayUptimeWindows'],
  ['/api/relay/unregister', 'unregisterNVR'],
  ['/api/relay/updateDetailsV2', 'updateNVRDetailsV2'],
  ['/api/schedule/deleteSchedule', 'deleteScheduleV2'],
  ['/api/webhook/getDeliveries', 'getWebhookDeliveries'],
  // A call of the same name is in another category.
  ['/api/event/getSplicedClipsInProgress', 'DEPRECATED_getSplicedClipsInProgress'],
]);

/** Names of requests and answers that do not follow the rule of bodyNamesOf. */
const BODY_NAMES: ReadonlyMap<string, Partial<BodyNames>> = new Map([
  ['/api/camera/deleteSharedLiveVideoStream', { response: 'DeleteSharedLiveVideoStreamForDeviceResponse' }],
  ['/api/camera/findSharedLiveVideoStreams', { request: 'Camera_FindSharedLiveVideoStreamsForWSRequest' }],
]);

/** Types that generated clients know by another name than typeNameOf makes of the title. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['AccessStateOverride', 'BaseAccessStateOverrideType'],
  ['CameraConfig', 'config_userconfig_IExternalReadableAudioVideoUserConfig'],
  ['LockdownRule', 'ExternalLockdownPlanRuleType'],
  ['Originator', 'BaseEventOriginatorType'],
  ['PartnerClient', 'PartnerClientWebType'],
  ['PolicyAlert', 'PolicyAlertV2Type'],
  ['WebhookIntegration', 'IWebhooksType'],
  ['PolicyAlertGroupV2', 'Event_PolicyAlertGroupV2'],
]);

/** Types without the ending of typeNameOf: those that are Sluice's own, or a standard's. */
const PLAIN_TYPE_NAMES: ReadonlySet<string> = new Set([
  'AuthenticationFailure',
  'Envelope',
  'RejectedRow',
  'ConnectionDetail',
  'OnCameraState',
  'OAuthConsent',
  'OAuthFailure',
  'OAuthGrant',
  'OAuthRegistrationFailure',
  'OAuthTokens',
  'RegisteredOAuthClient',
  'EntityTag',
  'Locale',
  'MediaType',
  'WebhookAttempt',
  'WebhookDelivery',
  'SystemState',
  'SystemThread',
  'SystemWorkers',
  'SystemRedis',
  'SystemDatabase',
  'SystemDisk',
  'SystemRecorder',
  'SystemFinding',
  'EffectiveSetting',
  'ConfigFinding',
  'ReloadedRecords',
  'LogRecord',
]);

/** By the path of a category. */
const TAGS: ReadonlyMap<string, Tag> = new Map([
  [
    '/api/accesscontrol',
    tag('Access Control', 'Credentials, and revoked access of people and groups to locations.'),
  ],
  ['/api/accesscontrol/lockdownPlan', tag('Lockdown Plan', 'What happens when a location is locked down.')],
  ['/api/audiogateway', tag('AudioGateway', 'Audio of devices.')],
  ['/api/badgereader', tag('Badge Reader', 'Badge readers, which the gateway does not have.')],
  ['/api/button', tag('Button', 'Wireless buttons, which the gateway does not have.')],
  [
    '/api/camera',
    tag('Camera', 'Cameras: their state, their settings and the links that share their video.'),
  ],
  ['/api/climate', tag('Climate', 'Environmental sensors, which the gateway does not have.')],
  ['/api/component', tag('Component', 'Doors and their events.')],
  ['/api/component/elevator', tag('Elevator', 'Elevator landings, their labels and their state.')],
  [
    '/api/console',
    tag(
      'Console',
      'People who sign in, their sessions and invitations; the gateway itself: its state, counters, configuration and log.',
    ),
  ],
  ['/api/customer', tag('User', 'Settings of the user who calls.')],
  ['/api/door', tag('Door', 'Door sensors, which the gateway does not have.')],
  ['/api/doorbellcamera', tag('Doorbell Camera', 'Doorbell cameras, and the links that share their video.')],
  ['/api/emergency', tag('Emergency', 'Cameras that are open to a partner for some minutes.')],
  ['/api/event', tag('Event', 'Policy alerts, saved clips and unhealthy devices.')],
  ['/api/export', tag('Export', 'What the gateway knows, as files.')],
  ['/api/ingest', tag('Ingest', 'What devices and other systems report to the gateway.')],
  ['/api/integrations', tag('Integrations', 'Checks whether a key works.')],
  [
    '/api/integrations/accessControl',
    tag('Access Control Integrations', 'Settings for badge and alarm systems of other vendors.'),
  ],
  ['/api/integrations/org', tag('Org Integrations', 'API tokens of the organization.')],
  ['/api/integrations/webhooks', tag('Webhook Integrations', 'Where the gateway sends events.')],
  ['/api/keypad', tag('Keypad', 'Keypads, which the gateway does not have.')],
  ['/api/evidence', tag('Evidence', 'Legal holds, cases, and what proves that recordings are unchanged.')],
  ['/api/location', tag('Location', 'Sites, with the time zone of their schedules.')],
  ['/api/oauth', tag('OAuth', 'Applications that act for the organization, their grants and tokens.')],
  ['/oauth', tag('OAuth', 'Applications that act for the organization, their grants and tokens.')],
  ['/api/occupancy', tag('Occupancy', 'Occupancy sensors, which the gateway does not have.')],
  ['/api/org', tag('Org', 'The organization, its pending hardware and sessions for web pages.')],
  ['/api/partner', tag('Partner', 'What partners do for their client organizations.')],
  ['/api/permission', tag('Permission', 'What the caller may do.')],
  ['/api/policy', tag('Policy', 'Policies that raise alerts, their pauses and their schedules.')],
  ['/api/proximity', tag('Proximity', 'Proximity tags.')],
  ['/api/rapidsos', tag('RapidSOS', 'Shared video near an emergency call.')],
  ['/api/relay', tag('Relay', 'NVRs, and the cameras behind them.')],
  ['/api/report', tag('Report', 'Counts of people and vehicles, occupancy, sales and the audit trail.')],
  ['/api/schedule', tag('Schedule', 'When shared links and alerts are active.')],
  ['/api/user', tag('User', 'People of the organization.')],
  ['/api/video', tag('Video', 'Images of cameras at an instant, and clips of recordings.')],
  ['/api/webhook', tag('Webhook', 'Webhook deliveries and their results.')],
]);

/** `findWeeklySchedule` of `/api/schedule/findWeeklySchedule`, unless the table has another. */
export function operationIdOf(path: string): string {
  const known = OPERATION_IDS.get(path);
  if (known !== undefined) return known;
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Reports are named after their content, without a verb.
  return path.startsWith('/api/ingest/') ? `ingest${capitalized(name)}` : name;
}

/** The document's names for the request and the response of an operation. */
export interface BodyNames {
  readonly request: string;
  readonly response: string;
}

/**
 * `Schedule_FindWeeklyScheduleWSRequest` and `…WSResponse` of `/api/schedule/findWeeklySchedule`: generated clients name
 * types and parameters after them.
 */
export function bodyNamesOf(path: string): BodyNames {
  const [, , ...parts] = path.split('/');
  const last = parts.pop() ?? '';
  // A verb alone does not name its object.
  const operation = capitalized(/[A-Z]/.test(last) ? last : operationIdOf(path));
  const category = parts
    .map((part, index) => (index === 0 ? capitalized(part) : part.toLowerCase()))
    .join('_');
  const name = `${category}_${operation}`;
  return { request: `${name}WSRequest`, response: `${name}WSResponse`, ...BODY_NAMES.get(path) };
}

/** `WeeklyRepeatingScheduleType` of the type titled `WeeklyRepeatingSchedule`. */
export function typeNameOf(title: string): string {
  return TYPE_NAMES.get(title) ?? (PLAIN_TYPE_NAMES.has(title) ? title : `${title}Type`);
}

/** The tag of the longest category that the path is in. Fails for an unknown category. */
export function tagOf(path: string): Tag {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = TAGS.get(path.slice(0, end));
    if (found !== undefined) return found;
  }
  throw new TypeError(`operation-names.ts has no tag for ${path}`);
}

function tag(subject: string, description: string): Tag {
  return { name: `${subject} Webservice`, description };
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
