/**
 * The sentences for callers when a refusal concerns a field of their request. Modules do not know requests: their errors name the fault of
 * a thing, and the context names the part of it. This file turns that into the sentence that names the field. Codes that are not listed
 * here use their own sentence.
 */

import type { RedirectUriRule } from '../accounts/redirect-uri.ts';
import type { ErrorContext, GatewayError } from '../core/errors.ts';
import type { PtzPart } from '../devices/ptz-service.ts';
import { ACCESS_STATES } from '../platform/access-control/access-state.ts';
import type { PausedSubjects } from '../platform/policies/alert-pauses.ts';
import { LAYOUT_GRID, type LayoutFault, MAX_TOUR_SEC, MIN_TOUR_SEC } from '../sharing/wall-layout.ts';
import { scheduleSentence } from './schedule-sentence.ts';

type Sentence = (context: ErrorContext) => string;

function layoutSentence({ fault, index, other }: ErrorContext): string {
  const faults: Readonly<Record<LayoutFault, string>> = {
    tour: `tourSec must be 0, or ${MIN_TOUR_SEC} to ${MAX_TOUR_SEC}.`,
    cells: 'cells must be empty: only the kind FREE has cells.',
    outside: `cells[${index}] must lie within ${LAYOUT_GRID} columns and ${LAYOUT_GRID} rows.`,
    unknown: `cells[${index}].cameraUuid must be a camera of the wall.`,
    twice: `cells[${index}].cameraUuid is in the list twice.`,
    overlap: `cells[${index}] covers a part of cells[${other}].`,
  };
  return `videoWall.layout.${faults[fault as LayoutFault]}`;
}

const REDIRECT_URI_RULES: Readonly<Record<RedirectUriRule, string>> = {
  absolute: 'redirectUri must be an absolute URI.',
  'no-fragment': 'redirectUri must not have a fragment.',
  'no-user-info': 'redirectUri must not have user info.',
  scheme:
    'redirectUri must use https, http on a loopback address, or a private scheme such as com.example.app.',
};

const ACCOUNTS: Readonly<Record<string, Sentence>> = {
  ORGANIZATION_NOT_FOUND: ({ named }) =>
    named === undefined
      ? 'The organization no longer exists.'
      : 'orgUuid must be the organization that the request acts for, or a client of the partner.',
  ORGANIZATION_UNNAMED: () => 'name must not be blank.',
  API_TOKEN_NOT_FOUND: () => 'There is no API token with this tokenUuid.',
  API_TOKEN_EXPIRED: ({ endedAt }) => `The API key expired on ${endedAt}. An administrator can extend it.`,
  API_TOKEN_EXPIRATION_INVALID: () =>
    'expirationTimeSecs must be in the future, and no later than the year 9999.',
  API_TOKEN_UNNAMED: () => 'displayName must not be blank.',
  ACCESS_SCOPE_UNKNOWN: ({ uuid }) =>
    `scope names ${uuid}, which is not a site or camera of the organization.`,
  API_TOKEN_ROLE_UNUSED: () => 'role must be absent if reportsOnly is true: such a key has no role.',
  FEDERATED_SESSION_DOMAIN_INVALID: () => 'domain must be a host name, such as desk.example.com.',
  FEDERATED_SESSION_DEVICE_NOT_FOUND: () => 'deviceUuid must be a camera or NVR of the organization.',
  OAUTH_APPLICATION_NOT_FOUND: () => 'There is no OAuth application with this clientId.',
  OAUTH_APPLICATION_UNNAMED: ({ given }) =>
    given === 'blank' ? 'name must not be blank.' : 'name is required.',
  OAUTH_REDIRECT_URI_REQUIRED: () => 'redirectUri is required.',
  OAUTH_REDIRECT_URI_INVALID: ({ rule }) => REDIRECT_URI_RULES[rule as RedirectUriRule],
  OAUTH_GRANT_NOT_FOUND: () => 'There is no grant with this grantUuid.',
  PERSON_NOT_FOUND: () => 'There is no person with this personUuid.',
  PERSON_UNNAMED: () => 'name must not be blank.',
  PERSON_EMAIL_INVALID: () => 'email must be an email address, such as ada@example.com.',
  PERSON_EMAIL_TAKEN: () => 'Someone in the organization already has this email.',
  PERSON_PASSWORD_TOO_SHORT: ({ limit }) => `The password must have at least ${limit} characters.`,
  PERSON_PASSWORD_TOO_LONG: ({ limit }) => `The password must have at most ${limit} characters.`,
  PASSWORD_WRONG: () => 'currentPassword is wrong.',
  PASSKEY_UNNAMED: () => 'name must not be blank.',
  PASSKEY_NOT_FOUND: () => 'There is no passkey with this passkeyUuid.',
  CONSOLE_SESSION_NOT_FOUND: () => 'There is no session with this sessionUuid.',
  ROLE_REQUIRED: ({ needed, role }) => `This needs the role ${needed}. The caller has the role ${role}.`,
  PHONE_NUMBER_INVALID: ({ index }) =>
    `smsPhoneNumbers[${index}] must be a phone number with its country code, such as +12025550123.`,
  NOTIFICATION_TIME_ZONE_UNKNOWN: () => 'timeZone must be an IANA time zone such as America/New_York.',
  NOTIFICATION_INTERVAL_EMPTY: ({ frame }) =>
    `timeFrames[${frame}].interval.minuteOfDayStopExclusive must be later than minuteOfDayStartInclusive.`,
  NOTIFICATION_LOCATION_NOT_FOUND: ({ frame, row, list, index }) =>
    `timeFrames[${frame}].rows[${row}].${list}[${index}] must be a location of the organization.`,
};

const MAIL: Readonly<Record<string, Sentence>> = {
  MAIL_TEST_ADDRESS_UNKNOWN: () => 'to must be the email address of a person of the organization.',
  ALARM_INPUT_UNKNOWN: ({ what, uuid }) => `There is no ${what} ${uuid} in the organization.`,
  MAIL_LINK_UNKNOWN: () => 'url must be a link of this gateway.',
  MAIL_ADDRESS_INVALID: ({ field = 'The value' }) => `${field} must be an email address.`,
};

const REPORTS: Readonly<Record<string, Sentence>> = {
  REPORT_TOO_LONG: () =>
    'endTimeMs is too far from startTimeMs. A report has at most 9,000 buckets and spans at most 20 years.',
  REPORT_RANGE_REVERSED: () => 'endTimeMs must not be before startTimeMs.',
  REPORT_TIME_ZONE_UNKNOWN: () => 'timeZone must be an IANA time zone such as America/New_York.',
  REPORT_TOO_MANY_CROSSINGS: () =>
    'There are more than 10,000 crossings. Ask for fewer devices, or choose an endTimeMs closer to startTimeMs.',
  REPORT_DEVICE_NOT_FOUND: ({ list, index, hasReported }) => {
    if (index !== undefined) return `${list}[${index}]: there is no device with this UUID.`;
    return hasReported === false
      ? 'There is no device with this UUID.'
      : 'deviceUuid: there is no device with this UUID.';
  },
  BUSINESS_DATE_INVALID: () => 'businessDate must be a date such as 2026-01-31 or 20260131.',
};

const ACCESS_STATE_NAMES = ACCESS_STATES.join(', ');
const RULE_WEBHOOKS = 'rule.action.webhookActions';
const RULE_CHANGES = 'rule.action.changeComponentCompositeAccessStateActions';

const ACCESS_CONTROL: Readonly<Record<string, Sentence>> = {
  DOOR_UNNAMED: () => 'name must not be blank.',
  DOOR_CAMERA_NOT_FOUND: ({ list, index }) => `${list}[${index}] must be a camera of the organization.`,
  DOOR_STATE_UNKNOWN: () => `doorStateToScheduleUuidMap can have only the keys ${ACCESS_STATE_NAMES}.`,
  DOOR_SCHEDULE_NOT_FOUND: ({ state }) =>
    `doorStateToScheduleUuidMap.${state} must be a schedule of the organization.`,
  DOOR_HOLD_TIMES_REVERSED: () =>
    'proximityUnlockSettings.minHoldUnlockedTimeSec must be at most proximityUnlockSettings.maxHoldUnlockedTimeSec.',
  ELEVATOR_LANDING_LABEL_BLANK: () => 'label must not be blank.',
  LOCKDOWN_RULE_UUID_TAKEN: () => 'rule.ruleUuid cannot be used. Leave it out to create a rule.',
  LOCKDOWN_RULE_UNNAMED: () => 'rule.ruleName must not be blank.',
  LOCKDOWN_TRIGGER_BLANK: () => 'rule.triggerActivity must not be blank.',
  LOCKDOWN_LOCATION_NOT_FOUND: () => 'rule.locationUuid must be a location of the organization.',
  LOCKDOWN_PHONE_NUMBER_INVALID: () =>
    'rule.action.connectAudioDeviceToPhoneNumberAction.phoneNumber must be a phone number with its country code, such as ' +
    '+12025550123.',
  LOCKDOWN_SCHEDULE_NOT_FOUND: ({ index }) =>
    `rule.ruleFilters.scheduleUuids[${index}] must be a schedule of the organization.`,
  LOCKDOWN_COMPONENT_NOT_FOUND: ({ index }) =>
    `${RULE_CHANGES}[${index}].componentCompositeUuid must be a door or an elevator landing of the organization.`,
  LOCKDOWN_EXPIRY_MISSING: ({ index, strategy }) =>
    strategy === 'TIME_DELAY'
      ? `${RULE_CHANGES}[${index}].expireTimeDelaySeconds is required with TIME_DELAY.`
      : `${RULE_CHANGES}[${index}].expireTimeOfDayLocalSeconds is required with TIME_OF_DAY_LOCAL.`,
  LOCKDOWN_WEBHOOK_INVALID: ({ index, part, reason }) => `${RULE_WEBHOOKS}[${index}].${part}: ${reason}`,
  LOCKDOWN_OAUTH_CLIENT_INCOMPLETE: ({ index }) =>
    `${RULE_WEBHOOKS}[${index}]: oauthUrl, oauthClientId and oauthClientSecret must be given together.`,
  LOCKDOWN_OAUTH_URL_INSECURE: ({ index }) =>
    `${RULE_WEBHOOKS}[${index}].oauthUrl must be an https URL, because the client secret is sent there.`,
  LOCKDOWN_OAUTH_GRANT_UNSUPPORTED: ({ index }) =>
    `${RULE_WEBHOOKS}[${index}].oauthGrantType must be client_credentials.`,
  DELIVERY_CAUSE_NOT_FOUND: () => 'causeUuid must be a lockdown rule or a webhook of the organization.',
  TOO_MANY_BADGE_DOORS: () => 'badgeVendorASettings.doorInfoMap must have at most 10000 entries.',
};

const PAUSED_THINGS: Readonly<Record<PausedSubjects, string>> = {
  componentCompositeUuids: 'a door, an elevator landing or a part of a door',
  locationUuids: 'a location',
};

const STILLS: Readonly<Record<string, Sentence>> = {
  FRAME_NOT_RECORDED: ({ beforeMs, afterMs }) => {
    const nearest = [beforeMs, afterMs].filter((ms) => ms !== undefined).join(' and ');
    const advice =
      nearest === ''
        ? 'Send the current time to get the newest image, or a time at which the camera was recorded.'
        : `The nearest times with a picture are ${nearest}.`;
    return `timestampMs: there is no recording of this time, and the last seconds in memory do not have it. ${advice}`;
  },
  FRAME_IN_FUTURE: () => 'timestampMs must not be in the future. It is in milliseconds since 1970.',
  FRAME_CROP_INVALID: () =>
    'permyriadCropX and permyriadCropWidth, and permyriadCropY and permyriadCropHeight, must add up to at most 10000, ' +
    'and the width and height must be at least 1.',
};

const CLIPS: Readonly<Record<string, Sentence>> = {
  CLIP_CAMERA_NOT_FOUND: ({ device }) =>
    `deviceUuids has ${device}, which is not a camera of the organization.`,
  CLIP_WITHOUT_CAMERA: () => 'deviceUuids must name at least one camera.',
  CLIP_AHEAD: () => 'startTimeMillis must not be in the future.',
  TIMELAPSE_AHEAD: () => 'startTime must not be in the future.',
  TIMELAPSE_TOO_SHORT: () => 'stopTime must be at least videoDuration seconds after startTime.',
  TIMELAPSE_RANGE_TOO_LONG: () => 'stopTime must be at most 366 days after startTime.',
  TIMELAPSE_FORMAT_UNSUPPORTED: () =>
    'videoFormat must be MPEG, .mp4 or .mov: another format would need the video to be encoded again.',
  TIMELAPSE_GROUP_EMPTY: () => 'timelapseUuids must name at least one timelapse.',
  SHARED_TIMELAPSE_NOT_FOUND: ({ index }) =>
    `timelapseUuids[${index}] must be a timelapse of the organization.`,
  TIMELAPSE_NOT_FOUND: ({ timelapse }) => `clipUuids has ${timelapse}, which is not a timelapse.`,
  SHARED_CLIP_NOT_FOUND: ({ index }) =>
    `uuids[${index}] must name a saved clip of the organization in eventUuid, or in alertUuid an alert that was saved as one.`,
  SHARED_CLIP_WITHOUT_VIDEO: ({ index }) =>
    `uuids[${index}]: the clip was reported without its video, so there is nothing to share.`,
};

const SHARES: Readonly<Record<string, Sentence>> = {
  SCHEDULE_INVALID: scheduleSentence,
  SCHEDULE_TIME_ZONE_UNKNOWN: () => 'tz must be an IANA time zone such as America/New_York.',
  TOO_MANY_BULK_SHARES: ({ limit }) => `sharedLiveVideoStreamUuids must have at most ${limit} entries.`,
  SHARE_NAME_TOO_LONG: ({ limit }) => `name must have at most ${limit} characters.`,
  SHARE_PASSWORD_TOO_LONG: ({ limit }) => `password must have at most ${limit} characters.`,
  SHARE_SCHEDULE_NOT_FOUND: ({ device }) =>
    `${device === undefined ? '' : `deviceScheduleMap.${device}.`}scheduleUuid: there is no schedule with this UUID.`,
  GROUP_EMPTY: () => 'uuids must name at least one clip.',
  VIDEO_WALL_UNNAMED: () => 'videoWall.displayName must not be blank.',
  VIDEO_WALL_CAMERA_NOT_FOUND: ({ index }) =>
    `videoWall.deviceList[${index}] must be a camera of the organization.`,
  VIDEO_WALL_CAMERA_TWICE: ({ index }) => `videoWall.deviceList[${index}] is in the list twice.`,
  VIDEO_WALL_TOO_LARGE: ({ part, limit }) =>
    part === 'deviceList'
      ? `videoWall.deviceList must have at most ${limit} cameras.`
      : `videoWall.${part} must have at most ${limit} characters${part === 'settings' ? ' as JSON' : ''}.`,
  VIDEO_WALL_LAYOUT_INVALID: layoutSentence,
  WALL_SHARE_DEVICE_UNKNOWN: ({ device }) =>
    `deviceScheduleMap.${String(device).slice(0, 40)} must be a camera of the wall.`,
  SHARE_SSO_UNSUPPORTED: ({ missing }) =>
    missing === 'oidc.allowedDomains'
      ? 'ssoProtected: the configuration does not say whose accounts may watch. Set oidc.allowedDomains, and restart the gateway.'
      : 'ssoProtected: single sign-on is not available, so a share cannot require it. Set oidc.issuer, oidc.clientId, ' +
        'oidc.clientSecret and oidc.allowedDomains in the configuration, and restart the gateway.',
  SHARE_TALK_NEEDS_AUDIO: () =>
    'talk needs includeAudio: viewers who cannot hear the camera cannot talk to it.',
  SHARE_EXPIRY_INVALID: ({ expirationTimeSecs: sent }) =>
    Number(sent) < 1
      ? `expirationTimeSecs must be at least 1, got ${sent}. Send how many seconds the share should last, such as ` +
        '3600, or leave the field out for a share that does not expire.'
      : `expirationTimeSecs must be in the future, and no later than the year 9999; got the epoch second ${sent}. ` +
        'Numbers below 1000000000 mean seconds from now.',
};

const POLICIES: Readonly<Record<string, Sentence>> = {
  ALERT_PAUSE_OF_NOTHING: () => 'componentCompositeUuids, deviceUuids or locationUuids must have an entry.',
  ALERT_PAUSE_OVER: () => 'scheduledTimestampSec must be such that the pause ends in the future.',
  ALERT_PAUSE_SUBJECT_NOT_FOUND: ({ list, index }) =>
    `${list}[${index}] must be ${PAUSED_THINGS[list as PausedSubjects]} of the organization.`,
  TOO_MANY_CLIMATE_BACKOFFS: ({ limit }) => `policy.backoffAlertSecs must have at most ${limit} entries.`,
  CLIMATE_SCHEDULE_NOT_FOUND: ({ index }) =>
    `policy.scheduledTriggers[${index}].scheduleUuid: there is no schedule with this UUID.`,
};

const PTZ_PARTS: Readonly<Record<PtzPart, string>> = {
  axis: 'pan, tilt or zoom is required.',
  timeout: 'timeoutMs is required with mode CONTINUOUS.',
  'pan-tilt': 'pan and tilt are required together with mode ABSOLUTE.',
  zoom: 'zoom must be from 0 to 1 with mode ABSOLUTE.',
};

const ONVIF: Readonly<Record<string, Sentence>> = {
  ONVIF_REFUSED: ({ reason }) =>
    reason === undefined ? 'The camera refused the ONVIF request.' : `The camera refused: ${reason}`,
  ONVIF_PTZ_MOVE_MISSING: ({ mode, missing }) => `The camera has no ${mode} moves of ${missing}.`,
};

const SYSTEM: Readonly<Record<string, Sentence>> = {
  COUNTED_CAMERA_NOT_FOUND: () => 'cameraUuid: there is no camera with this UUID.',
  CONFIG_RELOAD_REFUSED: ({ problems, further }) =>
    `The configuration file is invalid, so nothing changed: ${problems}${
      Number(further) > 0 ? `; and ${further} more` : ''
    }.`,
};

const SYSTEM_SETTINGS: Readonly<Record<string, Sentence>> = {
  SETTING_UNKNOWN: ({ path }) => `${path}: there is no such setting.`,
  SETTING_LOCKED: ({ path, lock, variable }) => `${path}: ${LOCK_SENTENCES[String(lock)]?.(variable) ?? ''}`,
  SETTINGS_INVALID: ({ problems, further }) =>
    `The settings would be invalid, so nothing was saved: ${problems}${
      Number(further) > 0 ? `; and ${further} more` : ''
    }.`,
  SETTINGS_CHANGED_MEANWHILE: ({ by, paths }) =>
    `${by} changed ${paths} in the meantime, so nothing was saved. Read the settings again.`,
};

const LOCK_SENTENCES: Readonly<Record<string, (variable: unknown) => string>> = {
  environment: (variable) => `the environment variable ${variable} sets it.`,
  start: () => 'the gateway needs it before it can read what the console saved. Change it in the file.',
  machine: () => 'it names a program or a folder of the machine. Change it in the file.',
};

const DEVICES: Readonly<Record<string, Sentence>> = {
  MASK_INVALID: ({ index }) => `masks[${index}] needs 3 to 32 points that are not all on one line.`,
  NOT_A_DOORBELL_CAMERA: () => 'This camera is not a doorbell camera. Use the endpoints under /api/camera/.',
  SERIAL_NUMBER_BLANK: () => 'serialNumber must not be blank.',
  NVR_UNNAMED: () => 'name must not be blank.',
  CAMERA_UNNAMED: () => 'name must not be blank.',
  HARDWARE_REGISTERED: () =>
    'serialNumber: an NVR with this serial number is already announced or registered.',
  LOCATION_UNNAMED: () => 'location.name must not be blank.',
  LOCATION_TIME_ZONE_UNKNOWN: () => 'location.tz must be an IANA time zone such as America/New_York.',
  LOCATION_PARENT_NOT_FOUND: () => 'parentLocationUuid: there is no location with this UUID.',
  LOCATION_TOO_DEEP: ({ limit }) => `parentLocationUuid: locations can be nested at most ${limit} deep.`,
  CAMERA_NETWORK_INVALID: ({ index }) =>
    `networks[${index}] must be an IP address or a network such as 10.0.0.0/8.`,
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS: ({ address, networks }) =>
    `${address} is outside the networks in which the organization’s cameras may be: ${networks}. An administrator can change them with org/updateCameraNetworks.`,
  DIRECT_OUTSIDE_OPERATOR_NETWORKS: ({ address, networks }) =>
    `${address} is outside the networks in which sources.networks of the gateway allows cameras: ${networks}.`,
  RTSP_URL_INVALID: () =>
    'rtspUrl must be a URL with a host, such as rtsp://192.0.2.10/stream1; write # / ? @ in a password as %23 %2F %3F %40.',
  RTSP_ENDPOINT_NOT_NAMED: () => 'rtspUrl is required if you give no MAC address.',
  RTSP_ENDPOINT_AMBIGUOUS: () => 'rtspUrl is required: the camera has several RTSP endpoints.',
  RTSP_ENDPOINT_NOT_GOOD: ({ status }) => `rtspUrl was ${status} when last tried. Authenticate it first.`,
  NVR_NOT_FOUND: ({ list, nvr }) =>
    list === undefined ? 'There is no NVR with this UUID.' : `${list}: there is no NVR with the UUID ${nvr}.`,
  NVR_FILTER_EMPTY: () => 'deviceFilter and locationFilter match no NVR of the organization.',
  CAMERA_ADDRESS_INVALID: () => 'ipAddress must be an IP address, such as 192.0.2.10 or 192.0.2.10:8000.',
  CAMERA_SOURCE_URL_INVALID: ({ field }) =>
    field === 'onvifUrl'
      ? 'onvifUrl must be an http:// or https:// URL with a host. Send the user name and the password in fields of their own.'
      : `${field} must be an rtsp, rtsps, rtsp+http, rtsp+https, http, https, rtmp, rtmps or srt URL with a host, such as rtsp://192.0.2.10/stream1. Send the user name and the password in fields of their own.`,
  CAMERA_PASSWORD_NEEDED: ({ field }) =>
    field === 'tls'
      ? 'password is required: with this tls, the stored password could go to another camera.'
      : `password is required: ${field} leads to another scheme, host or port than the stored password is for.`,
  PTZ_MOVE_INCOMPLETE: ({ part }) => PTZ_PARTS[part as PtzPart],
  CAMERA_TLS_INVALID: () =>
    'tls must be any, verify, or sha256: and the fingerprint of the certificate, 64 hexadecimal digits.',
  ASSIGNMENT_NEEDS_NVR: () => 'nvrUuid is required with autoAssign.',
  CAMERA_CONFIG_SCHEDULE_NOT_FOUND: ({ setting }) =>
    `config.${setting}: there is no schedule with this UUID.`,
  CAMERA_RECORDING_SCHEDULE_NEEDED: () =>
    'config.recording_schedule_uuid is required with config.recording schedule.',
  CAMERA_CONFIG_TOO_LARGE: () =>
    'config is too large. All stored fields of a camera together can have 262,144 characters.',
  PROXIMITY_TAG_IMAGE_INVALID: () => 'imageUrl must be a URL that begins with http:// or https://.',
};

/** By error code. */
export const REQUEST_SENTENCES: ReadonlyMap<string, Sentence> = new Map(
  Object.entries({
    ...ACCOUNTS,
    ...ACCESS_CONTROL,
    ...CLIPS,
    ...DEVICES,
    ...ONVIF,
    ...POLICIES,
    ...MAIL,
    ...REPORTS,
    ...SHARES,
    ...STILLS,
    ...SYSTEM,
    ...SYSTEM_SETTINGS,
  }),
);

/** The sentence of a response: names the field if the error is about one. */
export function requestSentence({
  code,
  context,
  message,
}: Pick<GatewayError, 'code' | 'context' | 'message'>): string {
  const sentence = REQUEST_SENTENCES.get(code);
  if (sentence !== undefined) return sentence(context);
  return typeof context.sentence === 'string' ? context.sentence : message;
}
