/** Every endpoint of the API. */

import type { Endpoint } from '../http/endpoint.ts';
import { PLATFORM_ENDPOINTS } from '../platform/endpoints/platform-endpoints.ts';
import { ALERT_HANDLING_ENDPOINTS } from './alerts/alert-handling.ts';
import { ALERT_INBOX_ENDPOINTS } from './alerts/alert-inbox.ts';
import { POLICY_ALERT_ENDPOINTS } from './alerts/policy-alerts.ts';
import { CAMERA_CONFIG_ENDPOINTS } from './cameras/camera-config.ts';
import { CAMERA_IMAGE_ENDPOINTS } from './cameras/camera-images.ts';
import { CAMERA_PAUSE_ENDPOINTS } from './cameras/camera-pauses.ts';
import { CAMERA_RECORDING_ENDPOINTS } from './cameras/camera-recording.ts';
import { CAMERA_SETUP_ENDPOINTS } from './cameras/camera-setup.ts';
import { CAMERA_STATE_ENDPOINTS } from './cameras/camera-states.ts';
import { CAMERA_ENDPOINTS } from './cameras/cameras.ts';
import { DEVICE_HISTORY_ENDPOINTS } from './cameras/device-history.ts';
import { FOOTAGE_ENDPOINTS } from './cameras/footage.ts';
import { MEDIA_URI_ENDPOINTS } from './cameras/media-uris.ts';
import { PRIVACY_MASK_ENDPOINTS } from './cameras/privacy-masks.ts';
import { RECORDER_FOOTAGE_ENDPOINTS } from './cameras/recorder-footage.ts';
import { CLIP_WITH_PROGRESS_ENDPOINTS } from './clips/clips-with-progress.ts';
import { SAVED_CLIP_ENDPOINTS } from './clips/saved-clips.ts';
import { SHARED_CLIP_GROUP_ENDPOINTS } from './clips/shared-clip-groups.ts';
import { SPLICED_CLIP_ENDPOINTS } from './clips/spliced-clips.ts';
import { TIMELAPSE_ENDPOINTS } from './clips/timelapses.ts';
import { ALARM_RECEIVER_ENDPOINTS } from './console/alarm-receivers.ts';
import { CONFIG_ENDPOINTS } from './console/config.ts';
import { MAIL_ENDPOINTS } from './console/mail.ts';
import { OIDC_ENDPOINTS } from './console/oidc-providers.ts';
import { PASSKEY_ENDPOINTS } from './console/passkeys.ts';
import { PEOPLE_ENDPOINTS } from './console/people.ts';
import { PROVISIONING_ENDPOINTS } from './console/provisioning.ts';
import { PUBLIC_URL_ENDPOINTS } from './console/public-url.ts';
import { PUSH_SUBSCRIPTION_ENDPOINTS } from './console/push-subscriptions.ts';
import { SAML_ENDPOINTS } from './console/saml-providers.ts';
import { SERVICE_LEVEL_ENDPOINTS } from './console/service-levels.ts';
import { SESSION_ENDPOINTS } from './console/sessions.ts';
import { SETTINGS_ENDPOINTS } from './console/settings.ts';
import { SIGN_IN_DOMAIN_ENDPOINTS } from './console/sign-in-domains.ts';
import { SYSTEM_ENDPOINTS } from './console/system.ts';
import { EMERGENCY_ENDPOINTS } from './emergency/emergencies.ts';
import { EMERGENCY_SETUP_ENDPOINTS } from './emergency/emergency-setup.ts';
import { CASE_ENDPOINTS } from './evidence/cases.ts';
import { HOLD_ENDPOINTS } from './evidence/holds.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { CAMERA_LOGIN_ENDPOINTS } from './nvrs/camera-logins.ts';
import { DISCOVERED_CAMERA_ENDPOINTS } from './nvrs/discovered-cameras.ts';
import { NVR_ENDPOINTS } from './nvrs/nvrs.ts';
import { PTZ_ENDPOINTS } from './nvrs/ptz.ts';
import { THIRD_PARTY_CAMERA_ENDPOINTS } from './nvrs/third-party-cameras.ts';
import { OAUTH_APPLICATION_ENDPOINTS } from './oauth/applications.ts';
import { API_TOKEN_ENDPOINTS } from './organization/api-tokens.ts';
import { AUDIT_ENDPOINTS } from './organization/audit.ts';
import { DIAGNOSTIC_ENDPOINTS } from './organization/diagnostics.ts';
import { FLOOR_PLAN_ENDPOINTS } from './organization/floor-plans.ts';
import { LOCATION_ENDPOINTS } from './organization/locations.ts';
import { ORGANIZATION_ENDPOINTS } from './organization/organization.ts';
import { PENDING_HARDWARE_ENDPOINTS } from './organization/pending-hardware.ts';
import { USER_ENDPOINTS } from './organization/users.ts';
import { sendTestDelivery } from './organization/webhook-test.ts';
import { WEBHOOK_ENDPOINTS } from './organization/webhooks.ts';
import { DATED_SCHEDULE_ENDPOINTS } from './schedules/dated-schedules.ts';
import { SCHEDULE_ENDPOINTS } from './schedules/schedules.ts';
import { WEEKLY_SCHEDULE_ENDPOINTS } from './schedules/weekly-schedules.ts';
import { SHARED_STREAM_OVERVIEW_ENDPOINTS } from './shares/shared-stream-overview.ts';
import { SHARED_STREAM_VIEWER_ENDPOINTS } from './shares/shared-stream-viewers.ts';
import { SHARED_STREAM_ENDPOINTS } from './shares/shared-streams.ts';
import { VIDEO_WALL_ENDPOINTS } from './shares/video-walls.ts';
import { WALL_SHARE_ENDPOINTS } from './shares/wall-shares.ts';

/** In the order in which documents show them within a category. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...CAMERA_ENDPOINTS,
  ...CAMERA_SETUP_ENDPOINTS,
  ...CAMERA_STATE_ENDPOINTS,
  ...CAMERA_CONFIG_ENDPOINTS,
  ...CAMERA_PAUSE_ENDPOINTS,
  ...CAMERA_RECORDING_ENDPOINTS,
  ...MEDIA_URI_ENDPOINTS,
  ...CAMERA_IMAGE_ENDPOINTS,
  ...FOOTAGE_ENDPOINTS,
  ...RECORDER_FOOTAGE_ENDPOINTS,
  ...DEVICE_HISTORY_ENDPOINTS,
  ...NVR_ENDPOINTS,
  ...THIRD_PARTY_CAMERA_ENDPOINTS,
  ...DISCOVERED_CAMERA_ENDPOINTS,
  ...CAMERA_LOGIN_ENDPOINTS,
  ...PTZ_ENDPOINTS,
  ...SHARED_STREAM_OVERVIEW_ENDPOINTS,
  ...SHARED_STREAM_VIEWER_ENDPOINTS,
  ...SHARED_STREAM_ENDPOINTS,
  ...VIDEO_WALL_ENDPOINTS,
  ...WALL_SHARE_ENDPOINTS,
  ...SCHEDULE_ENDPOINTS,
  ...WEEKLY_SCHEDULE_ENDPOINTS,
  ...DATED_SCHEDULE_ENDPOINTS,
  ...SAVED_CLIP_ENDPOINTS,
  ...CLIP_WITH_PROGRESS_ENDPOINTS,
  ...SHARED_CLIP_GROUP_ENDPOINTS,
  ...SPLICED_CLIP_ENDPOINTS,
  ...TIMELAPSE_ENDPOINTS,
  ...EMERGENCY_ENDPOINTS,
  ...EMERGENCY_SETUP_ENDPOINTS,
  ...HOLD_ENDPOINTS,
  ...CASE_ENDPOINTS,
  ...POLICY_ALERT_ENDPOINTS,
  ...ALERT_HANDLING_ENDPOINTS,
  ...ALERT_INBOX_ENDPOINTS,
  ...ORGANIZATION_ENDPOINTS,
  ...USER_ENDPOINTS,
  ...LOCATION_ENDPOINTS,
  ...FLOOR_PLAN_ENDPOINTS,
  ...PENDING_HARDWARE_ENDPOINTS,
  ...API_TOKEN_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
  sendTestDelivery,
  ...AUDIT_ENDPOINTS,
  ...DIAGNOSTIC_ENDPOINTS,
  ...OAUTH_APPLICATION_ENDPOINTS,
  ...PASSKEY_ENDPOINTS,
  ...PROVISIONING_ENDPOINTS,
  ...PUSH_SUBSCRIPTION_ENDPOINTS,
  ...MAIL_ENDPOINTS,
  ...ALARM_RECEIVER_ENDPOINTS,
  ...SESSION_ENDPOINTS,
  ...PEOPLE_ENDPOINTS,
  ...OIDC_ENDPOINTS,
  ...SAML_ENDPOINTS,
  ...SIGN_IN_DOMAIN_ENDPOINTS,
  ...SYSTEM_ENDPOINTS,
  ...CONFIG_ENDPOINTS,
  ...SETTINGS_ENDPOINTS,
  ...SERVICE_LEVEL_ENDPOINTS,
  ...PUBLIC_URL_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  ...PLATFORM_ENDPOINTS,
  ...PRIVACY_MASK_ENDPOINTS,
];
