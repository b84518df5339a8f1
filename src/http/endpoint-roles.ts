/**
 * The role that each endpoint requires: the one table (docs/design/people.md#roles). Endpoints that only read are for viewers, except those
 * that show secrets or the gateway's setup. Listed endpoints are for operators. All others are for admins, so an endpoint that is in no
 * list is for admins.
 */

import { GatewayError } from '../core/errors.ts';
import { ROLES, type Role } from '../store/person.ts';
import { API_ERRORS } from './errors.ts';

/** By their names (docs/spec/conventions.md), these change nothing. */
const READING_OPERATION = /^(?:count|find|get|validate)[A-Z]/;

/** Reading these shows keys, passwords, cameras' addresses, or how the gateway is set up. */
const ADMIN_READS: ReadonlySet<string> = new Set([
  '/api/accesscontrol/findAccessControlCredentialByUser',
  '/api/accesscontrol/getStandardCsnCredentialDetails',
  '/api/camera/getCameraSource',
  '/api/camera/getConfig',
  '/api/camera/getFacetedConfig',
  '/api/emergency/getEmergencyRules',
  '/api/integrations/org/getApiTokens',
  '/api/org/getCameraNetworks',
  '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints',
  '/api/relay/getRtspEndpoints',
  '/api/relay/getThirdPartyCameraPasswords',
  '/api/user/getUsersInOrg',
  '/api/webhook/getDeliveries',
]);
const ADMIN_CATEGORIES: ReadonlySet<string> = new Set(['console', 'integrations', 'oauth']);

/**
 * Endpoints that every role may call although their name or category suggests otherwise: for watching, one's own session, password,
 * passkeys, and notifications, and checking a key.
 */
const FOR_EVERYONE: ReadonlySet<string> = new Set([
  '/api/camera/createPreviewGrant',
  '/api/console/acceptInvite',
  '/api/console/addPasskey',
  '/api/console/addPushSubscription',
  '/api/console/beginAddingPasskey',
  '/api/console/beginConfirmation',
  '/api/console/beginInvitePasskey',
  '/api/console/beginPasskeySignIn',
  '/api/console/beginPushSubscription',
  '/api/console/changePassword',
  '/api/console/confirmIdentity',
  '/api/console/deletePasskey',
  '/api/console/deletePushSubscription',
  '/api/console/endSession',
  '/api/console/findSignInProvider',
  '/api/console/getPasskeys',
  '/api/console/getPushSubscriptions',
  '/api/console/getSession',
  '/api/console/getSessions',
  '/api/console/renamePasskey',
  '/api/console/signIn',
  '/api/console/signInWithPasskey',
  '/api/console/signOut',
  '/api/customer/updateCurrentUserNotificationSettings',
  '/api/integrations/validateToken',
]);

/** Reads, although its name does not begin like one. */
const EXPORTS: ReadonlySet<string> = new Set(['/api/export/diagnostic']);

/** Shares, clips, schedules, walls, alerts, seek points, PTZ, recordings that people start, pauses of cameras, places on floor plans. Nearby feeds are links, which viewers do not get. */
const OPERATOR_PATHS: ReadonlySet<string> = new Set([
  '/api/camera/bulkUpdateSharedStreams',
  '/api/camera/createCustomFootageSeekpoints',
  '/api/camera/createProtectedSharedLiveVideoStream',
  '/api/camera/createProtectedSharedVideoWall',
  '/api/camera/createSharedLiveVideoStream',
  '/api/camera/createSharedVideoWall',
  '/api/camera/createVideoWall',
  '/api/camera/deleteCustomFootageSeekpoints',
  '/api/camera/deleteSharedLiveVideoStream',
  '/api/camera/deleteSharedVideoWall',
  '/api/camera/deleteVideoWall',
  '/api/camera/endCameraPause',
  '/api/camera/endSharedStreamViewer',
  '/api/camera/pauseCamera',
  '/api/camera/startRecording',
  '/api/camera/stopRecording',
  '/api/camera/unblockSharedStreamAddress',
  '/api/camera/updateSharedLiveVideoStream',
  '/api/camera/updateSharedVideoWall',
  '/api/camera/updateVideoWalls',
  '/api/console/sendLinkMail',
  '/api/doorbellcamera/createSharedLiveVideoStream',
  '/api/doorbellcamera/deleteSharedLiveVideoStream',
  '/api/event/acknowledgePolicyAlert',
  '/api/event/acknowledgePolicyAlerts',
  '/api/event/createClipDownload',
  '/api/event/createSharedClipGroupV3',
  '/api/event/deleteSavedClip',
  '/api/event/deleteSharedClipGroupV2',
  '/api/event/dismissPolicyAlertV2',
  '/api/event/releasePolicyAlert',
  '/api/event/reopenPolicyAlerts',
  '/api/event/savePolicyAlertV2',
  '/api/event/takePolicyAlert',
  '/api/event/updateSavedClip',
  '/api/event/updateSharedClipGroupV2',
  '/api/emergency/endEmergency',
  '/api/emergency/extendEmergency',
  '/api/emergency/getEmergencyLinks',
  '/api/emergency/getEmergencyPartners',
  '/api/emergency/getEmergencyReport',
  '/api/emergency/openEmergency',
  '/api/evidence/addToCase',
  '/api/evidence/createCase',
  '/api/evidence/createCaseDownload',
  '/api/evidence/createCaseLink',
  '/api/evidence/createHold',
  '/api/evidence/findCaseLinks',
  '/api/evidence/removeFromCase',
  '/api/evidence/sealCase',
  '/api/evidence/updateCase',
  '/api/location/placeCameraOnPlan',
  '/api/location/removeCameraFromPlan',
  '/api/policy/createSchedule',
  '/api/policy/deleteSchedule',
  '/api/policy/pauseAlertPolicyForComponentComposite',
  '/api/policy/updateSchedule',
  '/api/rapidsos/getNearbyFeeds',
  '/api/relay/gotoPtzPreset',
  '/api/relay/movePtz',
  '/api/relay/removePtzPreset',
  '/api/relay/setPtzPreset',
  '/api/relay/stopPtz',
  '/api/schedule/createAbsoluteSchedule',
  '/api/schedule/createRealtimeRelativeSchedule',
  '/api/schedule/createRelativeDateTimeSchedule',
  '/api/schedule/createWeeklySchedule',
  '/api/schedule/deleteSchedule',
  '/api/schedule/updateAbsoluteSchedule',
  '/api/video/cancelSpliceV2',
  '/api/video/createSharedTimelapseGroup',
  '/api/video/deleteSharedTimelapseGroup',
  '/api/video/deleteTimelapseClips',
  '/api/video/generateTimelapseClip',
  '/api/video/retrySplice',
  '/api/video/spliceV2',
  '/api/video/spliceV3',
  '/api/video/updateSharedTimelapseGroup',
]);

/** Every path that this table names: each must be an endpoint. */
export const NAMED_PATHS: ReadonlySet<string> = ADMIN_READS.union(FOR_EVERYONE)
  .union(OPERATOR_PATHS)
  .union(EXPORTS);

/** The least role that can call the endpoint at `path`. */
export function roleNeeded(path: string): Role {
  if (FOR_EVERYONE.has(path) || EXPORTS.has(path)) return 'viewer';
  if (OPERATOR_PATHS.has(path)) return 'operator';
  const [, , category = ''] = path.split('/');
  const operation = path.slice(path.lastIndexOf('/') + 1);
  const isRead =
    READING_OPERATION.test(operation) && !ADMIN_READS.has(path) && !ADMIN_CATEGORIES.has(category);
  return isRead ? 'viewer' : 'admin';
}

export function hasRole({ role }: { readonly role: Role }, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Fails ROLE_REQUIRED, with the role in its context. */
export function expectRole(caller: { readonly role: Role }, needed: Role): void {
  if (!hasRole(caller, needed))
    throw new GatewayError(API_ERRORS.ROLE_REQUIRED, { needed, role: caller.role });
}
