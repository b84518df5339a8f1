/** POST /api/video/getExactFrameUri: where the image of an instant can be read. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { plainText } from '../../http/fields/field-types.ts';
import {
  EXACT_FRAME_DESCRIPTION,
  EXACT_FRAME_EXAMPLE,
  EXACT_FRAME_REQUEST,
  exactFrameOf,
} from './exact-frame-request.ts';

export const getExactFrameUri = defineEndpoint({
  path: '/api/video/getExactFrameUri',
  summary: 'Makes the image of a camera at an instant and returns its URL.',
  description:
    `${EXACT_FRAME_DESCRIPTION} The image is made now and can be read at the URL for 5 minutes, without credentials: ` +
    'its name cannot be guessed, so give it only to those who may see the image.',
  request: EXACT_FRAME_REQUEST,
  response: { frameUri: plainText('URL of the JPEG, on the media listener.') },
  example: {
    request: EXACT_FRAME_EXAMPLE,
    response: { frameUri: 'https://media.example.com/frames/6l4mHqY0X2v3Ck1rTbNwZA.jpeg' },
  },
  async handler({ orgUuid, services }, body) {
    const still = await services.cameraStills.exactFrame(orgUuid, body.cameraUuid, exactFrameOf(body, true));
    return { frameUri: still.url ?? '' };
  },
});
