/** Fields of shared live streams that several endpoints take or return (docs/spec/rules.md#shared-live-streams). */

import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { CallContext } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  int64,
  MAX_NAME_LENGTH,
  MAX_PASSWORD_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { onlyFalse } from '../../http/fields/only-false.ts';
import { invalidField } from '../../http/request-body.ts';
import type { ShareLinks } from '../../sharing/share-service.ts';
import type { Share } from '../../store/entities.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_EXPIRY_SEC,
  EXAMPLE_ORG_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
} from './examples.ts';

export const STREAM_TYPES = [
  'USER',
  'ALARM_MONITORING',
  'DICE',
  'LUMEO',
  'INFORMACAST',
  'RAPIDSOS',
  'UNKNOWN',
] as const;

/** The device that a share shows. */
export function sharedDevice(description: string) {
  return keptWithoutEffect(deviceFacetUuid(description), 'the gateway streams one video per camera', ['v0']);
}

export const VOD_DESCRIPTION =
  'Whether viewers can also watch the past. The camera is recorded while such a share is shown.';

/** A minute, and as long as the page of a share looks back. */
const MIN_PAST_SEC = 60;
const MAX_PAST_SEC = 400 * 86_400;

/** Which part of the past viewers see, of a camera's share. */
export const VIEW_PROPERTIES = {
  showsUnmasked: Type.Optional(
    flag('Whether viewers see what the privacy masks of cameras cover. Default false: masks apply.'),
  ),
  vodPastSecs: Type.Optional(
    int32(
      'How far back from now viewers see the past, in seconds, also from before the share was created; to a full five ' +
        'minutes. If absent, they see nothing from before that. Needs `vodEnabled`.',
      MIN_PAST_SEC,
      MAX_PAST_SEC,
    ),
  ),
  vodExpirationTimeSecs: Type.Optional(
    int32(
      'When viewers stop seeing the past, while the share continues: like `expirationTimeSecs`. If absent, with the ' +
        'share.',
    ),
  ),
};

/** The same of a link. */
export const SHOWN_VIEW = {
  showsUnmasked: flag('Whether viewers see what the privacy masks of cameras cover.'),
  vodPastSecs: nullable(
    int32(
      'How far back from now viewers see the past; absent: to when the share was created, or the camera joined the wall.',
    ),
  ),
  vodExpirationTime: nullable(
    int64('The first epoch second at which viewers do not see the past; absent: as long as the share plays.'),
  ),
};

/** Only admins, who draw masks, decide that a link shows what they cover. Fails ROLE_REQUIRED. */
export function expectMayUnmask({ caller }: CallContext, showsUnmasked: boolean | null | undefined): void {
  if (showsUnmasked === true) expectRole(caller, 'admin');
}

/** Fields of a new share besides its camera. */
export const NEW_SHARE_PROPERTIES = {
  streamType: oneOf(STREAM_TYPES, 'What the stream is for.'),
  vodEnabled: flag(VOD_DESCRIPTION),
  audioGatewayUuid: Type.Optional(
    keptWithoutEffect(
      deviceFacetUuid('The audio gateway that belongs to the stream.'),
      'the gateway does not know an audio gateway with this UUID',
    ),
  ),
  expirationTimeSecs: Type.Optional(
    int32(
      'When the share ends: values below 1,000,000,000 are seconds from now, others epoch seconds. If absent, it ' +
        'never ends.',
    ),
  ),
  invertSchedule: Type.Optional(flag('Hides the stream during the schedule and shows it otherwise.')),
  name: Type.Optional(text('Its name; `Unnamed` if absent.', MAX_NAME_LENGTH)),
  password: Type.Optional(
    text('The password that viewers must enter; none if absent or blank.', MAX_PASSWORD_LENGTH),
  ),
  scheduleUuid: Type.Optional(
    ruuid('The schedule during which the stream is shown; if absent, it is always shown.'),
  ),
};

/** Fields of a camera's share in addition to those of a doorbell camera's. */
export const CAMERA_SHARE_PROPERTIES = {
  ...VIEW_PROPERTIES,
  includeAudio: Type.Optional(flag('Whether viewers can hear the camera. Default true.')),
  talk: Type.Optional(
    flag(
      'Whether viewers can talk to the camera, if it has a speaker. Needs `includeAudio`. Default false. Specific to Sluice.',
    ),
  ),
  ssoProtected: Type.Optional(
    flag(
      'Whether viewers must sign in with the provider of single sign-on. Refused unless `oidc` with ' +
        '`oidc.allowedDomains` is configured.',
    ),
  ),
  cdn: Type.Optional(
    flag(
      'Whether viewers get live HLS video under paths that they share, which a cache or CDN can serve. If absent, `cdn` of the ' +
        'configuration decides.',
    ),
  ),
};

/**
 * Replaces `ssoProtected` for every other link: ignoring the field would leave a link open that the caller wants to
 * protect.
 */
export const NO_SIGN_IN = {
  ssoProtected: Type.Optional(
    onlyFalse(
      'Only links of cameras can ask their viewers to sign in: true is refused.',
      'only links of cameras can ask their viewers to sign in. Leave it out, or set a password.',
    ),
  ),
};

/** Fields of a camera's new share: only the camera is required. */
export const NEW_CAMERA_SHARE_PROPERTIES = {
  ...NEW_SHARE_PROPERTIES,
  ...CAMERA_SHARE_PROPERTIES,
  streamType: Type.Optional(oneOf(STREAM_TYPES, 'What the stream is for. Default USER.')),
  vodEnabled: Type.Optional(flag(`${VOD_DESCRIPTION} Default false.`)),
};

/** Declares the twin of a call that creates a share: the same fields, but with a required password. */
export function behindPassword<Fields extends TProperties, Result>(
  twin: string,
  fields: Fields,
  create: (context: CallContext, body: Static<TObject<Fields>>) => Promise<Result>,
) {
  const password = text('The password that viewers must enter.', MAX_PASSWORD_LENGTH);
  return {
    description:
      `Like \`${twin}\`, except that \`password\` is required and must not be blank: this call never creates a share ` +
      'that is open to anyone who has its link.',
    repetition: 'once' as const,
    request: Type.Object({ ...fields, password }),
    async handler(context: CallContext, body: Static<TObject<Fields>> & { readonly password: string }) {
      if (body.password.trim() === '') throw invalidField('password must not be blank.');
      return create(context, body);
    },
  };
}

/** The response to a creation (docs/spec/rules.md#shared-live-streams). */
export const CREATED_SHARE_PROPERTIES = {
  sharedLiveVideoStreamUuid: ruuid('The new share.'),
  sharedLiveVideoStreamUrl: plainText('The page for viewers.'),
  sharedLiveM3U8StreamUrl: plainText('The HLS playlist for players and services.'),
  sharedLiveRtspStreamUrl: nullable(
    plainText('The live video by RTSP; absent: the gateway does not serve RTSP. Specific to Sluice.'),
  ),
};

export const SHARED_STREAM_SCHEMA = namedType('SharedLiveVideoStream', {
  uuid: ruuid('The share.'),
  orgUuid: ruuid('Its organization.'),
  name: plainText('Its name.'),
  streamType: oneOf(STREAM_TYPES, 'What the stream is for.'),
  cameraUuid: deviceFacetUuid('The camera, with its facet if one was given.'),
  deviceUuid: deviceFacetUuid('The same as `cameraUuid`.'),
  sharedLiveVideoStreamUrl: plainText('The page for viewers; empty for callers with the role `viewer`.'),
  sharedLiveM3U8StreamUrl: plainText('The HLS playlist for players and services; empty like the page.'),
  sharedLiveRtspStreamUrl: nullable(
    plainText('The live video by RTSP; absent: the gateway does not serve RTSP, or the page is empty.'),
  ),
  timestampMs: int64('When the share was created, epoch milliseconds.'),
  expirationTime: nullable(
    int64('The first epoch second at which the share does not play; absent: it never ends.'),
  ),
  passwordProtected: flag('Whether viewers must enter a password.'),
  scheduleUuid: nullable(ruuid('The schedule during which the stream is shown.')),
  invertSchedule: flag('Whether the schedule hides the stream instead.'),
  vodEnabled: flag('Whether to record the footage as a VOD.'),
  ...SHOWN_VIEW,
  audioGatewayUuid: nullable(deviceFacetUuid('The audio gateway that belongs to the stream.')),
  ssoProtected: flag('Whether viewers must sign in with the provider of single sign-on.'),
  cdn: nullable(
    flag('Whether a cache or CDN can serve its live HLS video; absent: as the configuration says.'),
  ),
  sharedWithMonitoringService: flag('Whether the stream type is ALARM_MONITORING.'),
  talk: flag('Whether viewers can talk to the camera. Specific to Sluice.'),
  audioPushToTalkEnabled: flag('The same as `talk`.'),
  hideOverlay: flag('Always false.'),
  unscheduledMessage: nullable(plainText('Always absent.')),
  deviceHwVar: nullable(plainText('Always absent.')),
  audioDeviceHwVar: nullable(plainText('Always absent.')),
});

export type SharedStreamResponse = Static<typeof SHARED_STREAM_SCHEMA>;

/** The share as callers see it: whether it has a password, never the password itself. */
export function sharedStreamResponse(share: Share, urls: ShareLinks): SharedStreamResponse {
  const camera = share.cameraFacet === '' ? share.cameraUuid : `${share.cameraUuid}.${share.cameraFacet}`;
  return {
    uuid: share.uuid,
    orgUuid: share.orgUuid,
    name: share.name,
    streamType: share.streamType,
    cameraUuid: camera,
    deviceUuid: camera,
    sharedLiveVideoStreamUrl: urls.pageUrl,
    sharedLiveM3U8StreamUrl: urls.m3u8Url,
    sharedLiveRtspStreamUrl: urls.rtspUrl,
    timestampMs: share.createdAtMs,
    expirationTime: share.expiresAtSec,
    passwordProtected: share.passwordHash !== null,
    scheduleUuid: share.scheduleUuid,
    invertSchedule: share.invertSchedule,
    vodEnabled: share.vodEnabled,
    showsUnmasked: share.showsUnmasked,
    vodPastSecs: share.vodPastSec,
    vodExpirationTime: share.vodExpiresAtSec,
    audioGatewayUuid: share.audioGatewayUuid,
    ssoProtected: share.ssoProtected,
    cdn: share.cdn,
    sharedWithMonitoringService: share.streamType === 'ALARM_MONITORING',
    talk: share.talk,
    audioPushToTalkEnabled: share.talk,
    hideOverlay: false,
    unscheduledMessage: null,
    deviceHwVar: null,
    audioDeviceHwVar: null,
  };
}

const EXAMPLE_SHARE: Share = {
  uuid: EXAMPLE_SHARE_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  cameraUuid: EXAMPLE_CAMERA_UUID,
  cameraFacet: '',
  name: 'Front desk',
  streamType: 'USER',
  vodEnabled: false,
  vodPastSec: null,
  vodExpiresAtSec: null,
  includeAudio: true,
  talk: false,
  showsUnmasked: false,
  audioGatewayUuid: null,
  ssoProtected: false,
  cdn: null,
  expiresAtSec: EXAMPLE_EXPIRY_SEC,
  scheduleUuid: null,
  invertSchedule: false,
  passwordHash: null,
  accessEpoch: 0,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_CREATED_SHARE = {
  sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID,
  sharedLiveVideoStreamUrl: 'https://media.example.com/share/TOKEN',
  sharedLiveM3U8StreamUrl: 'https://media.example.com/live/TOKEN/file.m3u8',
  sharedLiveRtspStreamUrl: 'rtsps://media.example.com:8322/live/TOKEN',
};

export const EXAMPLE_SHARED_STREAM: SharedStreamResponse = sharedStreamResponse(EXAMPLE_SHARE, {
  pageUrl: EXAMPLE_CREATED_SHARE.sharedLiveVideoStreamUrl,
  m3u8Url: EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl,
  rtspUrl: EXAMPLE_CREATED_SHARE.sharedLiveRtspStreamUrl,
});
