/** POST /api/camera/inspectOnvifCamera: what an ONVIF camera is, and where its streams are. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, listOf, namedType, nullable, plainText, text } from '../../http/fields/field-types.ts';
import { requestSentence } from '../../http/request-sentences.ts';

const MAX_TLS_LENGTH = 102;
const MAX_ADDRESS_LENGTH = 64;

const PROFILE_SCHEMA = namedType('OnvifProfileType', {
  profileToken: plainText('Its name in the camera.'),
  codec: nullable(plainText('As RTP names it, such as `h264`.')),
  width: nullable(int32('Width in pixels.')),
  height: nullable(int32('Height in pixels.')),
  mainUrl: plainText('Where it is, for `/api/camera/createCamera`.'),
  substreamUrl: nullable(plainText('The smaller stream that goes with it; absent: there is none.')),
});

export const inspectOnvifCamera = defineEndpoint({
  path: '/api/camera/inspectOnvifCamera',
  summary: 'Asks an ONVIF camera what it is and where its streams are.',
  description:
    'Stores nothing. The call does not fail if the camera does not answer or refuses the login: `found` is false then, ' +
    'and `failureSentence` says why. It takes up to 8 seconds and counts as a new address ' +
    '(`/api/camera/probeCamera`). A wrong login is tried once.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    ipAddress: text(
      'Its address, followed by a colon and the port unless that is 80, or 443 with `tls`.',
      MAX_ADDRESS_LENGTH,
    ),
    tls: Type.Optional(
      text(
        'Asks over HTTPS, and says what the certificate must prove, as in `createCamera`. Default: HTTP.',
        MAX_TLS_LENGTH,
      ),
    ),
    username: Type.Optional(text('User name.')),
    password: Type.Optional(text('Password. Neither stored nor returned.')),
  }),
  response: {
    found: flag('Whether the camera answered and accepted the login.'),
    loginRefused: flag('Whether it requires another login.'),
    failureCode: nullable(plainText('Why it was not found.')),
    failureSentence: nullable(plainText('The same as a sentence.')),
    onvifUrl: nullable(plainText('Its service, for `/api/camera/createCamera`.')),
    manufacturer: nullable(plainText('Its manufacturer.')),
    model: nullable(plainText('Its model.')),
    profiles: listOf(PROFILE_SCHEMA, 'Its streams, the main stream first.'),
  },
  example: {
    request: { ipAddress: '192.0.2.10', username: 'viewer', password: 'correct horse' },
    response: {
      ...{ found: true, loginRefused: false, failureCode: null, failureSentence: null },
      onvifUrl: 'http://192.0.2.10/onvif/device_service',
      ...{ manufacturer: 'Example', model: 'Dome 4' },
      profiles: [
        {
          ...{ profileToken: 'main', codec: 'h264', width: 1_920, height: 1_080 },
          ...{ mainUrl: 'rtsp://192.0.2.10/stream1', substreamUrl: 'rtsp://192.0.2.10/stream2' },
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { ipAddress, tls, username, password }) {
    const request = { address: ipAddress, tls, username, password };
    const { device, failure } = await services.onvifCameras.inspect(orgUuid, request);
    return {
      found: device !== null,
      loginRefused: failure?.code === 'ONVIF_LOGIN_REFUSED',
      failureCode: failure?.code ?? null,
      failureSentence: failure === null ? null : requestSentence(failure),
      onvifUrl: device?.service ?? null,
      manufacturer: device?.manufacturer ?? null,
      model: device?.model ?? null,
      profiles: (device?.streams ?? []).map((stream) => ({
        ...{ profileToken: stream.profileToken, codec: stream.codec },
        ...{ width: stream.widthPx, height: stream.heightPx },
        ...{ mainUrl: stream.rtspUrl, substreamUrl: stream.substreamUrl },
      })),
    };
  },
});
