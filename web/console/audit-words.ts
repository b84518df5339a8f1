/** Actions of the audit trail in words. */

/** Texts for actions whose names alone would not read well. */
const ACTION_WORDS: Readonly<Record<string, string>> = {
  ACCESS_CONTROLLED_DOOR_CREATE: 'Added a door',
  ACCESS_CONTROLLED_DOOR_UPDATE: 'Changed a door',
  ACCESS_CONTROLLED_DOOR_DELETE: 'Removed a door',
  ALERT_ACKNOWLEDGEMENT_CREATE: 'Acknowledged an alert',
  ALERT_ACKNOWLEDGEMENT_UPDATE: 'Changed the note on an alert',
  API_OAUTH_AUTHORIZE: 'Granted access to an application',
  API_OAUTH_DELETE_APPLICATION: 'Removed an application',
  API_OAUTH_SUBMIT_APPLICATION: 'Registered an application',
  API_OAUTH_TOKEN_REVOKE: 'Revoked the access of an application',
  API_OAUTH_UPDATE_APPLICATION: 'Changed an application',
  API_TOKEN_REQUEST: 'Created an API key',
  API_TOKEN_REVOKE: 'Revoked an API key',
  API_TOKEN_UPDATE: 'Changed an API key',
  DELETE_CAMERA: 'Removed a camera',
  DELETE_LOCATION: 'Removed a location',
  DEVICE_REGISTERED: 'Added a device',
  DEVICE_SETTINGS_UPDATE: 'Changed the settings of a device',
  DEVICE_UPDATE: 'Changed a device',
  DELETE_USER: 'Removed a person',
  GATEWAY_CONFIG_RELOAD: 'Reloaded the configuration',
  GATEWAY_RESTART: 'Restarted the gateway',
  GATEWAY_SETTINGS_UPDATE: 'Changed settings of the gateway',
  EXTEND_CAMERA_RECORDING: 'Extended a recording',
  GOTO_CAMERA_PTZ_PRESET: 'Moved a camera to a preset',
  INVITATION_CREATE: 'Invited someone',
  INVITATION_DELETE: 'Ended an invitation',
  LOGIN_WEB: 'Signed in',
  LOGIN_FAILURE_WEB: 'Failed to sign in',
  LOGOUT_WEB: 'Signed out',
  MOVE_CAMERA_PTZ: 'Moved a camera',
  REMOVE_CAMERA_PTZ_PRESET: 'Removed a preset of a camera',
  SET_CAMERA_PTZ_PRESET: 'Stored a preset of a camera',
  START_CAMERA_RECORDING: 'Started recording a camera',
  STOP_CAMERA_PTZ: 'Stopped a camera that moved',
  STOP_CAMERA_RECORDING: 'Stopped recording a camera',
  USER_CREATE: 'Added a person',
  USER_UPDATE: 'Changed a person',
  USER_EMAIL_UPDATE: 'Changed an email address',
  USER_PASSWORD_UPDATE: 'Changed a password',
  USER_ROLE_UPDATE: 'Changed a role',
  LOCATION_UPDATED: 'Changed a location',
  POLICY_PAUSED_COMPONENT_COMPOSITE: 'Paused alerts of a door',
  POLICY_PAUSED_DEVICE: 'Paused alerts of a device',
  POLICY_PAUSED_LOCATION: 'Paused alerts of a location',
  RULE_CREATE: 'Created a lockdown rule',
  RULE_UPDATE: 'Changed a lockdown rule',
  RULE_DELETE: 'Deleted a lockdown rule',
  SHARED_CLIP_CREATE: 'Shared clips',
  SHARED_CLIP_DELETE: 'Stopped sharing clips',
  SHARED_LIVE_VIDEO_STREAM_DELETE: 'Ended a link to a camera',
  SHARED_LIVE_VIDEO_STREAM_UPDATE: 'Changed a link to a camera',
  SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE: 'Shared a camera without password',
  SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE: 'Shared a camera with password',
  SHARED_VIDEOWALL_DELETE: 'Ended a link to a wall',
  SHARED_VIDEOWALL_UPDATE: 'Changed a link to a wall',
  SHARED_VIDEOWALL_WITHOUT_PASSWORD_CREATE: 'Shared a wall without password',
  SHARED_VIDEOWALL_WITH_PASSWORD_CREATE: 'Shared a wall with password',
  UPDATE_INTEGRATION_WEBHOOK: 'Changed webhooks',
  DELETE_INTEGRATION_WEBHOOK: 'Removed the webhooks',
  VIEW_CAMERA_LIVE: 'Watched a camera',
  VIEW_CAMERA_LIVE_END: 'Stopped watching a camera',
  VIEW_CAMERA_VOD: 'Watched the past of a camera',
  VIEW_SHARE_CLIP: 'Opened shared clips',
  VIEW_SHARE_STREAM: 'Watched a shared camera',
  VIEW_SHARE_STREAM_END: 'Stopped watching a shared camera',
  VIEW_SHARE_TIMELAPSE: 'Opened shared timelapses',
  VIEW_SHARE_VIDEOWALL: 'Opened a shared wall',
};

const VERBS: Readonly<Record<string, string>> = { CREATE: 'Created', UPDATE: 'Changed', DELETE: 'Removed' };

/** `RULE_CREATE` → `Created a lockdown rule`; `CLIP_JOB_UPDATE` → `Changed: clip job`. */
export function actionText(action: string): string {
  const known = ACTION_WORDS[action];
  if (known !== undefined) return known;
  const [, thing, verb] = /^(.+)_(CREATE|UPDATE|DELETE)$/.exec(action) ?? [];
  if (thing !== undefined && verb !== undefined) return `${VERBS[verb]}: ${words(thing)}`;
  const text = words(action);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function words(constant: string): string {
  return constant.toLowerCase().replaceAll('_', ' ');
}
