/**
 * POST /api/camera/updateSharedLiveVideoStream: changes a share. Specific to Sluice, with the specification's convention
 * for changes (docs/spec/conventions.md#changes-by-flags): a value counts if its `…Updated` flag is true.
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, ruuid } from '../../http/fields/field-types.ts';
import { appliedFields } from '../types/device-update.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_SHARED_STREAM } from '../types/examples.ts';
import { warnOfIdleValues } from '../types/share-endpoints.ts';
import {
  CAMERA_SHARE_PROPERTIES,
  NEW_SHARE_PROPERTIES,
  SHARED_STREAM_SCHEMA,
  sharedStreamAnswer,
} from '../types/share-fields.ts';

const { name, password, expirationTimeSecs, scheduleUuid, invertSchedule } = NEW_SHARE_PROPERTIES;
const { ssoProtected, cdn } = CAMERA_SHARE_PROPERTIES;
const UPDATED = Type.Optional(flag('Whether to apply the value.'));

const CHANGES = [
  'name',
  'password',
  'expirationTimeSecs',
  'scheduleUuid',
  'invertSchedule',
  'ssoProtected',
  'cdn',
] as const;

export const updateSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/updateSharedLiveVideoStream',
  summary: 'Changes a shared live stream.',
  description:
    'A value counts if its `…Updated` flag is true. A flag without a value clears the setting: no password, no ' +
    'expiration, no schedule, the name `Unnamed`, `cdn` as the configuration says. Links stay the same. A changed password, or another `ssoProtected`, ends all current views.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    name,
    nameUpdated: UPDATED,
    password,
    passwordUpdated: UPDATED,
    expirationTimeSecs,
    expirationTimeSecsUpdated: UPDATED,
    scheduleUuid,
    scheduleUuidUpdated: UPDATED,
    invertSchedule,
    invertScheduleUpdated: UPDATED,
    ssoProtected,
    ssoProtectedUpdated: UPDATED,
    cdn,
    cdnUpdated: UPDATED,
  }),
  response: { sharedLiveVideoStream: SHARED_STREAM_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SHARE_UUID, name: 'Front desk', nameUpdated: true },
    response: { sharedLiveVideoStream: EXAMPLE_SHARED_STREAM },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const share = await services.shares.update(orgUuid, body.uuid, appliedFields(body, CHANGES));
    warnOfIdleValues(context, body, share);
    return { sharedLiveVideoStream: sharedStreamAnswer(share, services.shares.urls(share)) };
  },
});
