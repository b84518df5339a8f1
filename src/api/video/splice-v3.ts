/** POST /api/video/spliceV3: makes a clip of a time of recordings. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, mapOf, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { CLIP_ACCESS_SETTINGS_SCHEMA, CLIP_VISIBILITIES } from '../types/clip-access-type.ts';
import { ALTER_MAP } from '../types/clip-view-type.ts';
import { EXAMPLE_CLIP_UUID } from '../types/examples.ts';
import { SPLICE_DESCRIPTION, SPLICE_EXAMPLE, SPLICE_FIELDS } from './splice-request.ts';

const NO_OTHER_STORAGE = 'clips are stored by the gateway alone';

export const spliceV3 = defineEndpoint({
  path: '/api/video/spliceV3',
  summary: 'Makes a clip of recordings.',
  description: SPLICE_DESCRIPTION,
  repetition: 'once',
  request: Type.Object({
    ...SPLICE_FIELDS,
    audioIncluded: Type.Optional(flag('Whether the clip has the audio of the recordings. Default true.')),
    accessSettings: Type.Optional(CLIP_ACCESS_SETTINGS_SCHEMA),
    clipVisibility: Type.Optional(
      oneOf(CLIP_VISIBILITIES, 'Who can see it, unless `accessSettings` says so. Default ORG_WIDE.'),
    ),
    alteredViewMap: Type.Optional(ignored(ALTER_MAP, 'the video is copied as it was recorded')),
    integrationUploadMap: Type.Optional(
      ignored(mapOf(flag('Whether to send it.'), 'Integrations that receive it.'), NO_OTHER_STORAGE),
    ),
    saveToConsole: Type.Optional(ignored(flag('Whether to list the clip.'), 'each clip is listed')),
    sendToSharedStorage: Type.Optional(ignored(flag('Whether to store it elsewhere.'), NO_OTHER_STORAGE)),
    sendToUserStorage: Type.Optional(ignored(flag('Whether to store it elsewhere.'), NO_OTHER_STORAGE)),
  }),
  response: {
    clipUuid: ruuid('The clip.'),
    clipUuidList: listOf(ruuid('The clip.'), 'The same: a clip of several cameras is one clip.'),
  },
  example: {
    request: { ...SPLICE_EXAMPLE, audioIncluded: false },
    response: { clipUuid: EXAMPLE_CLIP_UUID, clipUuidList: [EXAMPLE_CLIP_UUID] },
  },
  async handler({ orgUuid, caller, services }, body) {
    const { deviceUuids, startTimeMillis, durationSec, title, description, audioIncluded = true } = body;
    const {
      clipVisibility,
      accessSettings = clipVisibility === undefined ? undefined : { visibility: clipVisibility },
    } = body;
    const clipUuid = await services.clips.splice(orgUuid, {
      userUuid: caller.actor.uuid,
      ...{ devices: deviceUuids, startMs: startTimeMillis, durationSec, hasAudio: audioIncluded },
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(accessSettings === undefined ? {} : { accessSettings }),
    });
    return { clipUuid, clipUuidList: [clipUuid] };
  },
});
