/** Actions of the audit trail in words. */

import { t } from './words.ts';

/** Texts for actions whose names alone would not read well. */
const ACTION_WORDS: Readonly<Record<string, string>> = {
  ACCESS_CONTROLLED_DOOR_CREATE: t('Added a door'),
  ACCESS_CONTROLLED_DOOR_UPDATE: t('Changed a door'),
  ACCESS_CONTROLLED_DOOR_DELETE: t('Removed a door'),
  ALERT_ACKNOWLEDGEMENT_CREATE: t('Acknowledged an alert'),
  ALERT_ACKNOWLEDGEMENT_UPDATE: t('Changed the note on an alert'),
  ALERT_ACKNOWLEDGEMENT_DELETE: t('Reopened an alert'),
  ALERT_TAKING_CREATE: t('Took an alert'),
  ALERT_TAKING_DELETE: t('Released an alert'),
  PUSH_KEY_CREATE: t('Created the key of notifications'),
  PUSH_SUBSCRIPTION_CREATE: t('Turned on notifications in a browser'),
  PUSH_SUBSCRIPTION_UPDATE: t('Renewed notifications in a browser'),
  PUSH_SUBSCRIPTION_DELETE: t('Turned off notifications in a browser'),
  API_OAUTH_AUTHORIZE: t('Granted access to an application'),
  API_OAUTH_DELETE_APPLICATION: t('Removed an application'),
  API_OAUTH_SUBMIT_APPLICATION: t('Registered an application'),
  API_OAUTH_TOKEN_REVOKE: t('Revoked the access of an application'),
  API_OAUTH_UPDATE_APPLICATION: t('Changed an application'),
  API_TOKEN_REQUEST: t('Created an API key'),
  API_TOKEN_REVOKE: t('Revoked an API key'),
  API_TOKEN_UPDATE: t('Changed an API key'),
  DELETE_CAMERA: t('Removed a camera'),
  DELETE_LOCATION: t('Removed a site'),
  DEVICE_REGISTERED: t('Added a device'),
  DEVICE_SETTINGS_UPDATE: t('Changed the settings of a device'),
  DEVICE_UPDATE: t('Changed a device'),
  DELETE_USER: t('Removed a person'),
  GATEWAY_CONFIG_RELOAD: t('Reloaded the configuration'),
  GATEWAY_RESTART: t('Restarted the gateway'),
  GATEWAY_SETTINGS_UPDATE: t('Changed settings of the gateway'),
  EXTEND_CAMERA_RECORDING: t('Extended a recording'),
  GOTO_CAMERA_PTZ_PRESET: t('Moved a camera to a preset'),
  SCIM_TOKEN_CREATE: t('Created a provisioning token'),
  SCIM_TOKEN_DELETE: t('Revoked a provisioning token'),
  SCIM_MAPPING_CREATE: t('Gave a directory group rights'),
  SCIM_MAPPING_UPDATE: t('Changed the rights of a directory group'),
  SCIM_MAPPING_DELETE: t('Took the rights of a directory group'),
  SCIM_GROUP_CREATE: t('Added a directory group'),
  SCIM_GROUP_UPDATE: t('Changed a directory group'),
  SCIM_GROUP_DELETE: t('Removed a directory group'),
  SCIM_USER_CREATE: t('Took over a person from the directory'),
  SCIM_USER_UPDATE: t('Changed a person’s directory data'),
  SCIM_USER_DELETE: t('Undid a change of directory data'),
  INVITATION_CREATE: t('Invited someone'),
  INVITATION_DELETE: t('Ended an invitation'),
  LOGIN_WEB: t('Signed in'),
  LOGIN_FAILURE_WEB: t('Failed to sign in'),
  LOGOUT_WEB: t('Signed out'),
  MOVE_CAMERA_PTZ: t('Moved a camera'),
  REMOVE_CAMERA_PTZ_PRESET: t('Removed a preset of a camera'),
  SET_CAMERA_PTZ_PRESET: t('Stored a preset of a camera'),
  ALARM_RECEIVER_CREATE: t('Added an alarm center'),
  ALARM_RECEIVER_UPDATE: t('Changed an alarm center'),
  ALARM_RECEIVER_DELETE: t('Removed an alarm center'),
  MAIL_SETTINGS_CREATE: t('Changed how mails appear'),
  MAIL_SETTINGS_UPDATE: t('Changed how mails appear'),
  CAMERA_PAUSED: t('Paused a camera for maintenance'),
  CAMERA_PAUSE_ENDED: t('Ended the pause of a camera'),
  CAMERA_PAUSE_DELETE: t('Removed the pause of a camera'),
  START_CAMERA_RECORDING: t('Started recording a camera'),
  STOP_CAMERA_PTZ: t('Stopped a camera that moved'),
  STOP_CAMERA_RECORDING: t('Stopped recording a camera'),
  USER_CREATE: t('Added a person'),
  USER_UPDATE: t('Changed a person'),
  USER_EMAIL_UPDATE: t('Changed an email address'),
  USER_PASSWORD_UPDATE: t('Changed a password'),
  USER_ROLE_UPDATE: t('Changed a role'),
  LOCATION_UPDATED: t('Changed a site'),
  POLICY_PAUSED_COMPONENT_COMPOSITE: t('Paused alerts of a door'),
  POLICY_PAUSED_DEVICE: t('Paused alerts of a device'),
  POLICY_PAUSED_LOCATION: t('Paused alerts of a site'),
  RULE_CREATE: t('Created a lockdown rule'),
  RULE_UPDATE: t('Changed a lockdown rule'),
  RULE_DELETE: t('Deleted a lockdown rule'),
  SHARED_CLIP_CREATE: t('Shared clips'),
  SHARED_CLIP_DELETE: t('Stopped sharing clips'),
  SHARED_LIVE_VIDEO_STREAM_DELETE: t('Ended a link to a camera'),
  SHARED_LIVE_VIDEO_STREAM_UPDATE: t('Changed a link to a camera'),
  SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE: t('Shared a camera without password'),
  SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE: t('Shared a camera with password'),
  SHARED_VIDEOWALL_DELETE: t('Ended a link to a wall'),
  SHARED_VIDEOWALL_UPDATE: t('Changed a link to a wall'),
  SHARED_VIDEOWALL_WITHOUT_PASSWORD_CREATE: t('Shared a wall without password'),
  SHARED_VIDEOWALL_WITH_PASSWORD_CREATE: t('Shared a wall with password'),
  UPDATE_INTEGRATION_WEBHOOK: t('Changed webhooks'),
  DELETE_INTEGRATION_WEBHOOK: t('Removed the webhooks'),
  VIEW_CAMERA_LIVE: t('Watched a camera'),
  VIEW_CAMERA_LIVE_END: t('Stopped watching a camera'),
  VIEW_CAMERA_VOD: t('Watched the past of a camera'),
  VIEW_SHARE_CLIP: t('Opened shared clips'),
  VIEW_SHARE_STREAM: t('Watched a shared camera'),
  VIEW_SHARE_STREAM_END: t('Stopped watching a shared camera'),
  VIEW_SHARE_TIMELAPSE: t('Opened shared timelapses'),
  VIEW_SHARE_VIDEOWALL: t('Opened a shared wall'),
};

const VERBS: Readonly<Record<string, string>> = {
  CREATE: t('Created'),
  UPDATE: t('Changed'),
  DELETE: t('Removed'),
};

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
