/** POST /api/camera/getSharedStreamVisibility: what a link shows at a chosen time, and why. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { LINK_KINDS } from '../../sharing/share-catalog.ts';
import type { LinkVisibility } from '../../sharing/share-overview.ts';
import { EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { LINK_INPUT } from './viewer-types.ts';
import {
  NOT_VISIBLE_REASON,
  notVisibleReason,
  VISIBILITY_CHANGE_SCHEMA,
  visibilityChangeAnswer,
} from './visibility-types.ts';

/** 2026-12-01T14:00Z, 9:00 in New York. */
const EXAMPLE_AT_MS = 1_796_133_600_000;

const SENTENCE = plainText('The same as a sentence, with the local time of the camera.');

const WALL_CAMERA_SCHEMA = namedType('SharedVideoWallCameraVisibility', {
  cameraUuid: ruuid('The camera.'),
  cameraName: plainText('Its name.'),
  isVisible: flag('Whether its tile shows video.'),
  reason: NOT_VISIBLE_REASON,
  sentence: SENTENCE,
  nextChange: nullable(VISIBILITY_CHANGE_SCHEMA),
});

export const getSharedStreamVisibility = defineEndpoint({
  path: '/api/camera/getSharedStreamVisibility',
  summary: 'Says what a link shows at a chosen time, and why.',
  description:
    'Asks the access decision that viewers are let in by, as someone who has the link and its password. It knows the ' +
    'rules as they are now, for times in the past too. A shared video wall is visible while one of its cameras is. ' +
    'Whether the camera is online then, no one can say.',
  isExtension: true,
  request: Type.Object({
    uuid: LINK_INPUT,
    atMs: Type.Optional(int64('The time, in epoch milliseconds; now if absent.', 0, MAX_TIME_MS)),
  }),
  response: {
    kind: oneOf(LINK_KINDS, 'What the link opens.'),
    atMs: int64('The time that the response is about, epoch milliseconds.'),
    timeZone: plainText(
      'The time zone of the camera’s location; UTC if it has none, or the link shows several.',
    ),
    isVisible: flag('Whether the link shows something.'),
    reason: NOT_VISIBLE_REASON,
    sentence: SENTENCE,
    nextChange: nullable(VISIBILITY_CHANGE_SCHEMA),
    passwordProtected: flag('Whether viewers must enter a password first.'),
    cameras: listOf(WALL_CAMERA_SCHEMA, 'The cameras of a shared video wall, in order; otherwise empty.'),
  },
  example: {
    request: { uuid: EXAMPLE_SHARE_UUID, atMs: EXAMPLE_AT_MS },
    response: {
      ...{ kind: 'STREAM', atMs: EXAMPLE_AT_MS, timeZone: 'America/New_York', isVisible: true, reason: null },
      sentence: 'Visible at 2026-12-01 09:00 because the schedule ‘Office hours’ is active.',
      nextChange: { atMs: EXAMPLE_AT_MS + 28_800_000, isVisible: false, reason: 'hidden-by-schedule' },
      passwordProtected: false,
      cameras: [],
    },
  },
  async handler(context, { uuid, atMs }) {
    const { orgUuid, services } = context;
    const found = await services.shareOverview.visibility(orgUuid, uuid, atMs);
    const { link, timeZone, cameras } = found;
    if (found.atMs < link.createdAtMs) context.warn('The link was created after this time.');
    return {
      ...{ kind: link.kind, atMs: found.atMs, timeZone, ...shownAnswer(found) },
      passwordProtected: link.isProtected,
      cameras: cameras.map((camera) => ({
        ...{ cameraUuid: camera.cameraUuid, cameraName: camera.name },
        ...shownAnswer(camera),
      })),
    };
  },
});

function shownAnswer({
  visibility,
  sentence,
  next,
}: Pick<LinkVisibility, 'visibility' | 'sentence' | 'next'>): Omit<
  Static<typeof WALL_CAMERA_SCHEMA>,
  'cameraUuid' | 'cameraName'
> {
  const { isVisible, reason } = visibility;
  const nextChange = visibilityChangeAnswer(next);
  return { isVisible, reason: notVisibleReason(reason), sentence, nextChange };
}
