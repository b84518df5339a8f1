/** POST /api/video/getExactFrameData: the image of an instant. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { plainText } from '../../http/fields/field-types.ts';
import {
  EXACT_FRAME_DESCRIPTION,
  EXACT_FRAME_EXAMPLE,
  EXACT_FRAME_REQUEST,
  exactFrameOf,
} from './exact-frame-request.ts';

export const getExactFrameData = defineEndpoint({
  path: '/api/video/getExactFrameData',
  summary: 'Reads the image of a camera at an instant.',
  description: EXACT_FRAME_DESCRIPTION,
  request: EXACT_FRAME_REQUEST,
  response: { frameData: plainText('The JPEG, in Base64.') },
  example: {
    request: EXACT_FRAME_EXAMPLE,
    response: { frameData: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD…' },
  },
  async handler({ orgUuid, services }, body) {
    const still = await services.cameraStills.exactFrame(orgUuid, body.cameraUuid, exactFrameOf(body, false));
    return { frameData: Buffer.from(still.bytes).toString('base64') };
  },
});
