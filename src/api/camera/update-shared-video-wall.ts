/**
 * POST /api/camera/updateSharedVideoWall: changes a share of a video wall. Specific to Sluice, with the specification's
 * convention for changes (docs/spec/conventions.md#changes-by-flags): a value counts if its `…Updated` flag is true.
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { appliedFields, appliedFlag } from '../types/device-update.ts';
import { EXAMPLE_SHARED_WALL } from '../types/examples.ts';
import {
  NEW_WALL_SHARE_PROPERTIES,
  SHARED_WALL_SCHEMA,
  sharedWallAnswer,
  warnOfWallShare,
} from '../types/wall-fields.ts';

const { videoWallUuid: _videoWallUuid, ...CHANGEABLE } = NEW_WALL_SHARE_PROPERTIES;
const CHANGES = [
  ...(['password', 'expirationTimeSecs', 'scheduleUuid', 'invertSchedule'] as const),
  ...(['unscheduledMessage', 'deviceScheduleMap', 'vodEnabled'] as const),
] as const;

export const updateSharedVideoWall = defineEndpoint({
  path: '/api/camera/updateSharedVideoWall',
  summary: 'Changes a shared video wall.',
  description:
    'A value counts if its `…Updated` flag is true. A flag without a value clears the setting: no password, no ' +
    'expiration, no schedule, no past. `deviceScheduleMap` is replaced as a whole. The link stays the same. A changed ' +
    'password ends all current views; a schedule that hides a camera ends the views of that camera.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    ...CHANGEABLE,
    passwordUpdated: appliedFlag('password'),
    expirationTimeSecsUpdated: appliedFlag('expirationTimeSecs'),
    scheduleUuidUpdated: appliedFlag('scheduleUuid'),
    invertScheduleUpdated: appliedFlag('invertSchedule'),
    unscheduledMessageUpdated: appliedFlag('unscheduledMessage'),
    deviceScheduleMapUpdated: appliedFlag('deviceScheduleMap'),
    vodEnabledUpdated: appliedFlag('vodEnabled'),
  }),
  response: { sharedVideoWall: SHARED_WALL_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SHARED_WALL.uuid, vodEnabled: true, vodEnabledUpdated: true },
    response: { sharedVideoWall: { ...EXAMPLE_SHARED_WALL, vodEnabled: true } },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const changes = appliedFields(body, CHANGES);
    const share = await services.wallShares.update(orgUuid, body.uuid, changes);
    await warnOfWallShare(context, changes.password === undefined ? {} : body, share);
    return { sharedVideoWall: sharedWallAnswer(share, services.wallShares.pageUrl(share)) };
  },
});
