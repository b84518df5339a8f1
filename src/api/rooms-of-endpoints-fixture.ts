/** Bounds of each endpoint that creates something, for rooms.test.ts. */

import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { CASE_ERRORS } from '../cases/errors.ts';
import { CLIP_ERRORS } from '../clips/errors.ts';
import type { ErrorDefinition } from '../core/errors.ts';
import { DEVICE_ERRORS } from '../devices/errors.ts';
import { EMERGENCY_ERRORS } from '../emergency/errors.ts';
import { EVENT_ERRORS } from '../events/errors.ts';
import { MAIL_ERRORS } from '../mail/errors.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import { ACCESS_CONTROL_ERRORS } from '../platform/access-control/errors.ts';
import { POLICY_ERRORS } from '../policies/errors.ts';
import { SAML_ERRORS } from '../saml/errors.ts';
import { SCIM_ERRORS } from '../scim/errors.ts';
import { SHARING_ERRORS } from '../sharing/errors.ts';
import type { Place, RowLimitName } from '../store/full-organization-fixture.ts';
import { WEBHOOK_ERRORS } from '../webhooks/errors.ts';
import { INGEST_KINDS } from './ingest-kinds.ts';

/** A limit of the registry, where its rows are, and how the endpoint refuses one more. */
export interface RoomOfEndpoint {
  readonly limit: RowLimitName;
  readonly place: Place;
  readonly refusal: ErrorDefinition;
  /** Those who add one take turns, also between gateways, and count before. */
  readonly isCounted?: boolean;
}

const room = (limit: RowLimitName, place: Place, refusal: ErrorDefinition): RoomOfEndpoint => ({
  limit,
  place,
  refusal,
});

const SHARES = room('shares', 'shares', SHARING_ERRORS.TOO_MANY_SHARES);
const SCHEDULES = room('schedules', 'schedules', SHARING_ERRORS.TOO_MANY_SCHEDULES);
const WALL_SHARES = room('wallShares', 'wallShares', SHARING_ERRORS.TOO_MANY_WALL_SHARES);
const CAMERAS = room('cameras', 'cameras', DEVICE_ERRORS.TOO_MANY_CAMERAS);
const ENDPOINTS = room('rtspEndpoints', 'rtspEndpoint', DEVICE_ERRORS.TOO_MANY_RTSP_ENDPOINTS);
const API_TOKENS = room('apiTokens', 'apiKeys', ACCOUNT_ERRORS.TOO_MANY_API_TOKENS);
const WEBHOOKS = room('webhooks', 'webhook', WEBHOOK_ERRORS.TOO_MANY_WEBHOOKS);
const ORDERS = room('unfinishedClipOrders', 'clipJob', CLIP_ERRORS.CLIP_JOBS_FULL);
const CONSOLE_SESSIONS = room('consoleSessions', 'consoleSessions', ACCOUNT_ERRORS.TOO_MANY_CONSOLE_SESSIONS);
const SAVED_CLIPS = room('savedClips', 'savedClip', EVENT_ERRORS.SAVED_CLIPS_FULL);

/** By path: the rooms, or why nothing is added that an organization could have more and more of. */
export const ROOMS_OF_ENDPOINTS: Readonly<Record<string, readonly RoomOfEndpoint[] | string>> = {
  '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation': [
    room('lockdownRules', 'lockdownRule', ACCESS_CONTROL_ERRORS.TOO_MANY_LOCKDOWN_RULES),
    WEBHOOKS,
  ],
  '/api/camera/createCamera': [CAMERAS],
  '/api/camera/createCustomFootageSeekpoints': [
    room('seekPoints', 'seekPoint', DEVICE_ERRORS.SEEK_POINTS_FULL),
  ],
  '/api/camera/createProtectedSharedLiveVideoStream': [SHARES],
  '/api/camera/createProtectedSharedVideoWall': [WALL_SHARES],
  '/api/camera/createSharedLiveVideoStream': [SHARES],
  '/api/camera/createSharedVideoWall': [WALL_SHARES],
  '/api/camera/createVideoWall': [room('videoWalls', 'videoWalls', SHARING_ERRORS.TOO_MANY_VIDEO_WALLS)],
  '/api/component/elevator/addAccessControlledElevatorLandingLabel':
    'a landing has at most 100 labels, and the landings are bounded (landing-service.test.ts)',
  '/api/console/addOidcProvider': [
    room('oidcProviders', 'oidcProvider', OIDC_ERRORS.TOO_MANY_OIDC_PROVIDERS),
  ],
  '/api/console/updateOidcProvider': 'a provider has at most 20 domains (oidc-types.ts)',
  '/api/console/addPasskey': [room('passkeys', 'passkeys', ACCOUNT_ERRORS.TOO_MANY_PASSKEYS)],
  '/api/console/addPushSubscription': 'a person has at most 10 (push-subscriptions.test.ts)',
  '/api/console/addSamlProvider': [
    room('samlProviders', 'samlProvider', SAML_ERRORS.TOO_MANY_SAML_PROVIDERS),
  ],
  '/api/console/beginSamlTest': 'nothing is stored',
  '/api/console/checkSignInDomain': 'a domain that there is changes',
  '/api/console/finishSamlKeyRenewal': 'it only removes',
  '/api/console/refreshSamlProvider': 'the provider that there is changes',
  '/api/console/renewSamlKey': 'an organization has two keys at most (saml-key-store.ts)',
  '/api/console/updateSamlProvider': 'a provider has at most 20 domains (saml-types.ts)',
  '/api/console/setAlarmReceiver': [
    room('alarmReceivers', 'alarmReceiver', MAIL_ERRORS.TOO_MANY_ALARM_RECEIVERS),
  ],
  '/api/console/createScimToken': [room('scimTokens', 'scimToken', SCIM_ERRORS.TOO_MANY_SCIM_TOKENS)],
  '/api/console/invitePerson': [room('invitations', 'invitation', ACCOUNT_ERRORS.TOO_MANY_INVITATIONS)],
  '/api/doorbellcamera/createSharedLiveVideoStream': [SHARES],
  '/api/emergency/openEmergency': [
    room('openEmergencies', 'emergency', EMERGENCY_ERRORS.TOO_MANY_EMERGENCIES),
  ],
  '/api/emergency/setEmergencyPartner': [
    room('emergencyPartners', 'emergencyPartner', EMERGENCY_ERRORS.TOO_MANY_EMERGENCY_PARTNERS),
  ],
  '/api/emergency/setEmergencyRule': [
    room('emergencyRules', 'emergencyRule', EMERGENCY_ERRORS.TOO_MANY_EMERGENCY_RULES),
  ],
  '/api/event/createClipDownload': [
    room('sharedGroups', 'sharedClipGroup', SHARING_ERRORS.TOO_MANY_SHARED_GROUPS),
  ],
  '/api/event/createSharedClipGroupV3': [
    room('sharedGroups', 'sharedClipGroup', SHARING_ERRORS.TOO_MANY_SHARED_GROUPS),
  ],
  '/api/event/savePolicyAlertV2': [SAVED_CLIPS],
  '/api/evidence/addToCase': 'a case has at most 100 items, each with a hold (cases.test.ts)',
  '/api/evidence/createCaseDownload':
    'its group counts like that of a link, and the case must be sealed (cases.test.ts)',
  '/api/evidence/createCaseLink': [
    room('sharedGroups', 'sharedClipGroup', SHARING_ERRORS.TOO_MANY_SHARED_GROUPS),
  ],
  '/api/evidence/createCase': [room('cases', 'case', CASE_ERRORS.TOO_MANY_CASES)],
  '/api/evidence/createHold': [room('holds', 'hold', CASE_ERRORS.TOO_MANY_HOLDS)],
  '/api/integrations/org/submitApiTokenApplication': [API_TOKENS],
  '/api/location/createLocation': [room('locations', 'locations', DEVICE_ERRORS.TOO_MANY_LOCATIONS)],
  '/api/location/placeCameraOnPlan': 'a camera has one place, also after many calls (floor-plans.test.ts)',
  '/api/location/setFloorPlan': 'a location has one plan, and an organization 100 (floor-plans.test.ts)',
  '/api/oauth/submitApplication': [
    room('oauthApplications', 'oauthApplications', ACCOUNT_ERRORS.TOO_MANY_OAUTH_APPLICATIONS),
  ],
  '/api/org/createPendingRegistration': [
    room('pendingRegistrations', 'pendingRegistration', DEVICE_ERRORS.TOO_MANY_REGISTRATIONS),
  ],
  '/api/relay/createNvr': [room('nvrs', 'nvrs', DEVICE_ERRORS.TOO_MANY_NVRS)],
  '/api/partner/submitApiTokenApplication': [API_TOKENS],
  '/api/policy/createSchedule': [SCHEDULES],
  '/api/policy/pauseAlertPolicyForComponentComposite': [
    {
      ...room('alertPauses', 'alertPolicyPause', POLICY_ERRORS.TOO_MANY_ALERT_PAUSES),
      // It counts pauses that have not ended.
      isCounted: true,
    },
  ],
  '/api/relay/addThirdPartyCameraViaOnvif': [ENDPOINTS],
  '/api/relay/addThirdPartyCameraViaRtmp': [CAMERAS],
  '/api/relay/assignThirdPartyCameraToNVR': [CAMERAS],
  '/api/relay/createThirdPartyCameraPassword': [
    room('rtspCredentials', 'rtspCredential', DEVICE_ERRORS.TOO_MANY_RTSP_CREDENTIALS),
  ],
  '/api/relay/createThirdPartyCameraPublishKey': 'a camera has one key, which replaces the one before',
  '/api/relay/manualDiscoverCamera': [ENDPOINTS],
  '/api/relay/movePtz': 'the camera moves; nothing is stored',
  '/api/relay/setPtzPreset': 'the camera stores it',
  '/api/schedule/createAbsoluteSchedule': [SCHEDULES],
  '/api/schedule/createRealtimeRelativeSchedule': [SCHEDULES],
  '/api/schedule/createRelativeDateTimeSchedule': [SCHEDULES],
  '/api/schedule/createWeeklySchedule': [SCHEDULES],
  '/api/video/createSharedTimelapseGroup': [
    room('sharedGroups', 'sharedTimelapseGroup', SHARING_ERRORS.TOO_MANY_SHARED_GROUPS),
  ],
  '/api/video/generateTimelapseClip': [ORDERS, room('timelapses', 'timelapse', CLIP_ERRORS.TIMELAPSES_FULL)],
  '/api/video/spliceV2': [ORDERS, SAVED_CLIPS],
  '/api/video/spliceV3': [ORDERS, SAVED_CLIPS],

  ...Object.fromEntries(
    INGEST_KINDS.map(({ name }) => [
      `/api/ingest/${name}`,
      'a row beyond the limit is rejected, or the oldest go (stored-reports.test.ts)',
    ]),
  ),
  '/api/camera/createPreviewGrant': 'a grant is a signed text',
  '/api/camera/inspectOnvifCamera': 'nothing is stored',
  '/api/camera/probeCamera': 'nothing is stored',
  '/api/camera/scanOnvifCameras': 'nothing is stored',
  '/api/console/acceptInvite': [room('people', 'people', ACCOUNT_ERRORS.TOO_MANY_PEOPLE), CONSOLE_SESSIONS],
  '/api/console/beginAddingPasskey': 'new challenges replace the oldest (passkey-challenges.ts)',
  '/api/console/beginConfirmation': 'new challenges replace the oldest (passkey-challenges.ts)',
  '/api/console/beginInvitePasskey': 'new challenges replace the oldest (passkey-challenges.ts)',
  '/api/console/beginPushSubscription': 'an organization has one key',
  '/api/console/setScimMapping': 'a group has one, and mappings are bounded (scim-rights.test.ts)',
  '/api/console/deletePushSubscription': 'it only removes',
  '/api/console/beginPasskeySignIn': 'new challenges replace the oldest (passkey-challenges.ts)',
  '/api/console/confirmIdentity': 'the session that there is gets a new time',
  '/api/console/sendAlarmTest': 'the oldest mails leave the log (deliveries/delivery-queue.ts)',
  '/api/console/sendLinkMail': 'the oldest mails leave the log (deliveries/delivery-queue.ts)',
  '/api/console/sendTestMail': 'the oldest mails leave the log (deliveries/delivery-queue.ts)',
  '/api/webhook/sendTestDelivery': 'the oldest calls leave the log (webhook-deliveries.test.ts)',
  '/api/console/createPublicUrlCheck': 'new checks replace the oldest (public-url-visits.ts)',
  '/api/console/createSupportBundle': 'nothing is stored',
  '/api/console/restartGateway': 'nothing is stored',
  '/api/console/revertSettings': 'the gateway has one row of settings, whose history is bounded',
  '/api/console/updateSettings': 'the gateway has one row of settings, whose history is bounded',
  '/api/console/signIn': [CONSOLE_SESSIONS],
  '/api/console/signInWithPasskey': [CONSOLE_SESSIONS],
  '/api/org/generateFederatedSessionToken': [
    room('federatedSessions', 'federatedSession', ACCOUNT_ERRORS.TOO_MANY_FEDERATED_SESSIONS),
  ],

  // Callers name these, and the first call creates them.
  '/api/camera/pauseCamera': 'a camera has one pause (camera-pauses.test.ts)',
  '/api/camera/startRecording':
    'a camera has one recording that a person started, and an organization as many as it can (manual-recordings.test.ts)',
  '/api/customer/updateCurrentUserNotificationSettings': [
    room('notificationSettings', 'notificationSettings', ACCOUNT_ERRORS.TOO_MANY_NOTIFICATION_SETTINGS),
  ],
  '/api/camera/updateConfig': 'a camera has one configuration',
  '/api/camera/updateFacetedConfig': 'a camera has one configuration',
  '/api/console/updateMailSettings': 'an organization has one',
  '/api/console/updateServiceProbe':
    'the operator of the gateway chooses at most 50 shares (service-level-service.ts)',
  '/api/event/acknowledgePolicyAlert': 'an alert has one acknowledgment, which goes with it',
  '/api/event/acknowledgePolicyAlerts': 'an alert has one acknowledgment, which goes with it',
  '/api/event/takePolicyAlert': 'an alert is taken by one, which goes with it',
  '/api/event/releasePolicyAlert': 'it only removes',
  '/api/event/reopenPolicyAlerts': 'it only removes',
  '/api/event/dismissPolicyAlertV2': 'an alert has one acknowledgment, which goes with it',
  '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2': 'an organization has one',
  '/api/integrations/webhooks/updateWebhookIntegrationV2': [WEBHOOKS],
  '/api/policy/updateClimatePolicy': [
    room('climatePolicies', 'climatePolicy', POLICY_ERRORS.TOO_MANY_CLIMATE_POLICIES),
  ],
  '/api/relay/updateDetailsV2': 'a device has one record of details',
};
