/** POST /api/camera/getCameraUrlTemplates: where cameras of known vendors have their streams. */

import { Type } from 'typebox';
import { CAMERA_URL_TEMPLATES, type CameraUrlTemplate } from '../../devices/camera-url-templates.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, namedType, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';

const TEMPLATE_SCHEMA = namedType('CameraUrlTemplateType', {
  vendor: plainText('The vendor, for programs; `generic` for any other.'),
  name: plainText('The vendor, for people.'),
  scheme: oneOf(['rtsp', 'rtsps'], 'What the URL starts with.'),
  port: int32('The usual port.'),
  mainPath: plainText('Path and query of the main stream.'),
  substreamPath: nullable(plainText('Path and query of the smaller stream; absent if it is not known.')),
  note: nullable(plainText('What to know or to do first.')),
});

export const getCameraUrlTemplates = defineEndpoint({
  path: '/api/camera/getCameraUrlTemplates',
  summary: 'Lists where cameras of known vendors have their streams.',
  description:
    'A template is a first guess: `/api/camera/probeCamera` shows whether it is right. Replace what is in braces. ' +
    '`{channel}`: the input of a recorder or the lens of a camera, from 1; 1 for any other camera. `{channel0}`: the ' +
    'same from 0. `{channel2}`: with two digits. `{token}`: a text that the vendor’s app shows.',
  isExtension: true,
  request: Type.Object({}),
  response: { templates: listOf(TEMPLATE_SCHEMA, 'Sorted by name; `generic` last.') },
  example: { request: {}, response: { templates: CAMERA_URL_TEMPLATES.slice(1, 2).map(answerOf) } },
  async handler() {
    return { templates: CAMERA_URL_TEMPLATES.map(answerOf) };
  },
});

function answerOf({ vendor, name, scheme, port, mainPath, substreamPath, note }: CameraUrlTemplate) {
  return { vendor, name, scheme, port, mainPath, substreamPath, note };
}
