/**
 * The audit trail's names of changes, as readers of the API family's trail know them. Where the family has no name, the action is
 * the kind of thing and CREATE, UPDATE or DELETE.
 */

import type { Ruuid } from '../core/ruuid.ts';
import { resourceKind } from '../store/resource.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';

/** A wrong password or passkey of a person who exists. The only action that failed. */
export const SIGN_IN_FAILED = 'LOGIN_FAILURE_WEB';

type Actions = Partial<Readonly<Record<ChangeEvent['type'], string>>>;

const ACTIONS: Partial<Readonly<Record<EntityKind, Actions>>> = {
  alarmVendorIntegration: {
    CREATE: 'UPDATE_INTEGRATION_ALARM_MONITORING',
    UPDATE: 'UPDATE_INTEGRATION_ALARM_MONITORING',
  },
  apiKey: { CREATE: 'API_TOKEN_REQUEST', UPDATE: 'API_TOKEN_UPDATE', DELETE: 'API_TOKEN_DELETE' },
  camera: { CREATE: 'DEVICE_REGISTERED', UPDATE: 'DEVICE_UPDATE', DELETE: 'DELETE_CAMERA' },
  cameraConfig: { CREATE: 'DEVICE_SETTINGS_UPDATE', UPDATE: 'DEVICE_SETTINGS_UPDATE' },
  consoleSettings: { CREATE: 'GATEWAY_SETTINGS_UPDATE', UPDATE: 'GATEWAY_SETTINGS_UPDATE' },
  consoleSession: { CREATE: 'LOGIN_WEB', UPDATE: 'LOGIN_CONFIRM_WEB', DELETE: 'LOGOUT_WEB' },
  credential: {
    CREATE: 'AC_CRED_STANDARD_CSN_CREATE',
    UPDATE: 'AC_CRED_STANDARD_CSN_UPDATE',
    DELETE: 'AC_CRED_STANDARD_CSN_DELETE',
  },
  deviceDetails: { CREATE: 'DEVICE_UPDATE', UPDATE: 'DEVICE_UPDATE' },
  door: {
    CREATE: 'ACCESS_CONTROLLED_DOOR_CREATE',
    UPDATE: 'ACCESS_CONTROLLED_DOOR_UPDATE',
    DELETE: 'ACCESS_CONTROLLED_DOOR_DELETE',
  },
  elevatorLanding: {
    CREATE: 'ACCESS_CONTROLLED_ELEVATOR_LANDING_CREATE',
    UPDATE: 'ACCESS_CONTROLLED_ELEVATOR_LANDING_UPDATE',
    DELETE: 'ACCESS_CONTROLLED_ELEVATOR_LANDING_DELETE',
  },
  emergency: { CREATE: 'EMERGENCY_OPEN', UPDATE: 'EMERGENCY_EXTEND', DELETE: 'EMERGENCY_CLOSE' },
  cameraPause: { CREATE: 'CAMERA_PAUSED' },
  license: { CREATE: 'LICENSE_CREATED', UPDATE: 'LICENSE_UPDATED' },
  location: { UPDATE: 'LOCATION_UPDATED', DELETE: 'DELETE_LOCATION' },
  lockdownRule: { CREATE: 'RULE_CREATE', UPDATE: 'RULE_UPDATE', DELETE: 'RULE_DELETE' },
  manualRecording: {
    CREATE: 'START_CAMERA_RECORDING',
    UPDATE: 'EXTEND_CAMERA_RECORDING',
    DELETE: 'STOP_CAMERA_RECORDING',
  },
  nvr: { CREATE: 'DEVICE_REGISTERED', UPDATE: 'DEVICE_UPDATE' },
  oauthApplication: {
    CREATE: 'API_OAUTH_SUBMIT_APPLICATION',
    UPDATE: 'API_OAUTH_UPDATE_APPLICATION',
    DELETE: 'API_OAUTH_DELETE_APPLICATION',
  },
  // A grant changes when one of its tokens is revoked.
  oauthGrant: {
    CREATE: 'API_OAUTH_AUTHORIZE',
    UPDATE: 'API_OAUTH_TOKEN_REVOKE',
    DELETE: 'API_OAUTH_TOKEN_REVOKE',
  },
  organization: { CREATE: 'CREATE_ORG', UPDATE: 'ORG_UPDATE', DELETE: 'DELETE_ORG' },
  person: { CREATE: 'USER_CREATE', UPDATE: 'USER_UPDATE', DELETE: 'DELETE_USER' },
  rtspCredential: {
    CREATE: 'THIRD_PARTY_CAMERA_PASSWORD_CREATE',
    DELETE: 'THIRD_PARTY_CAMERA_PASSWORD_DELETE',
  },
  rtspEndpoint: {
    CREATE: 'THIRD_PARTY_CAMERA_CREATE',
    UPDATE: 'THIRD_PARTY_CAMERA_UPDATED',
    DELETE: 'THIRD_PARTY_CAMERA_DELETE',
  },
  seekPoint: { CREATE: 'CREATE_SEEKPOINT', DELETE: 'DELETE_CUSTOM_SEEKPOINT' },
  share: { UPDATE: 'SHARED_LIVE_VIDEO_STREAM_UPDATE', DELETE: 'SHARED_LIVE_VIDEO_STREAM_DELETE' },
  sharedClipGroup: {
    CREATE: 'SHARED_CLIP_CREATE',
    UPDATE: 'SHARED_CLIP_UPDATE',
    DELETE: 'SHARED_CLIP_DELETE',
  },
  wallShare: { UPDATE: 'SHARED_VIDEOWALL_UPDATE', DELETE: 'SHARED_VIDEOWALL_DELETE' },
  webhookIntegration: {
    CREATE: 'UPDATE_INTEGRATION_WEBHOOK',
    UPDATE: 'UPDATE_INTEGRATION_WEBHOOK',
    DELETE: 'DELETE_INTEGRATION_WEBHOOK',
  },
};

/** The part of a pause that names its action. */
const PAUSES = resourceKind<{
  readonly locationUuids: readonly Ruuid[];
  readonly deviceUuids: readonly Ruuid[];
}>('alertPolicyPause');

/** The action, as far as the change itself shows it. */
export function auditActionOf({ entity, type, details }: ChangeEvent): string {
  if ((entity === 'share' || entity === 'wallShare') && type === 'CREATE') {
    const protection = details?.fields.passwordProtected === true ? 'WITH' : 'WITHOUT';
    const shared = entity === 'share' ? 'SHARED_LIVE_VIDEO_STREAM' : 'SHARED_VIDEOWALL';
    return `${shared}_${protection}_PASSWORD_CREATE`;
  }
  const { publishKeyChange } = details?.fields ?? {};
  if (entity === 'camera' && typeof publishKeyChange === 'string') return `PUBLISH_KEY_${publishKeyChange}`;
  const hasOtherMasks =
    entity === 'camera' && type === 'UPDATE' && details?.fields.privacyMasks !== undefined;
  if (hasOtherMasks) return 'CAMERA_PRIVACY_MASKS_UPDATE';
  const isRevoked = entity === 'apiKey' && details?.fields.revoked === true;
  if (isRevoked && type !== 'DELETE') return 'API_TOKEN_REVOKE';
  const personChange = entity === 'person' ? details?.fields.change : undefined;
  if (typeof personChange === 'string') return `USER_${personChange}_UPDATE`;
  return ACTIONS[entity]?.[type] ?? `${actionWord(entity)}_${type}`;
}

const CAMERA_PAUSE = resourceKind<{ readonly untilMs: number }>('cameraPause');

/** The action, read from the store if the change does not show it: a pause is of locations, devices or doors; a change of it may end it. */
export async function storedActionOf(store: Pick<Store, 'resources'>, change: ChangeEvent): Promise<string> {
  const { entity, type, orgUuid, uuid } = change;
  if (entity === 'cameraPause' && type === 'UPDATE') {
    const pause = await store.resources.of(CAMERA_PAUSE).find(orgUuid, uuid);
    return pause === null || pause.body.untilMs > pause.updatedAtMs ? 'CAMERA_PAUSED' : 'CAMERA_PAUSE_ENDED';
  }
  if (entity !== 'alertPolicyPause' || type !== 'CREATE') return auditActionOf(change);
  const pause = await store.resources.of(PAUSES).find(orgUuid, uuid);
  if (pause === null) return auditActionOf(change);
  if (pause.body.locationUuids.length > 0) return 'POLICY_PAUSED_LOCATION';
  return pause.body.deviceUuids.length > 0 ? 'POLICY_PAUSED_DEVICE' : 'POLICY_PAUSED_COMPONENT_COMPOSITE';
}

/** `badgeVendorAIntegration` → `BADGE_VENDOR_A_INTEGRATION`. */
function actionWord(entity: string): string {
  return entity.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
