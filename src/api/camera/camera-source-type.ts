/** How a camera is opened, in requests and responses. Passwords are taken and never returned. */

import { type Static, Type } from 'typebox';
import type { CameraSourceFields, ShownSource } from '../../devices/camera-source.ts';
import { flag, namedType, nullable, oneOf, plainText, text } from '../../http/fields/field-types.ts';

const MAX_URL_LENGTH = 2_048;
/** `sha256:` and 32 bytes with colons in between. */
const MAX_TLS_LENGTH = 102;

const ENGINES = ['auto', 'direct', 'ffmpeg'] as const;
const TRANSPORTS = ['auto', 'tcp', 'udp', 'multicast', 'http'] as const;
const AUDIOS = ['auto', 'aac', 'off'] as const;
const CLOCKS = ['arrival', 'camera'] as const;

const LOGIN_RULE = 'Letters such as `@ : / #` need no escapes.';

/** What `sluice.yaml` can say about how a camera is opened; without `mainUrl`, which only new cameras require. */
export const SOURCE_INPUT_PROPERTIES = {
  substreamUrl: Type.Optional(
    text(
      'Where its smaller stream is, in the same form as `mainUrl`. An empty text: it has none.',
      MAX_URL_LENGTH,
    ),
  ),
  onvifUrl: Type.Optional(
    text(
      'Its ONVIF service, `http` or `https`; without a path, the usual one. What it notices becomes policy alerts. An ' +
        'empty text: it has none.',
      MAX_URL_LENGTH,
    ),
  ),
  username: Type.Optional(
    text(`The user name at all its addresses. ${LOGIN_RULE} An empty text and no password: no login.`),
  ),
  password: Type.Optional(text(`The password. ${LOGIN_RULE} Stored encrypted; never returned.`)),
  engine: Type.Optional(
    oneOf(ENGINES, '`auto` uses an ffmpeg worker for media that `direct` cannot carry. Default `auto`.'),
  ),
  transport: Type.Optional(
    oneOf(
      TRANSPORTS,
      'How media comes over RTSP. `auto` tries TCP, then UDP, then multicast. `http`: RTSP over HTTP. Default `auto`.',
    ),
  ),
  audio: Type.Optional(
    oneOf(
      AUDIOS,
      '`auto`: as browsers play it best; `aac`: always AAC, by a worker; `off`: none. Default `auto`.',
    ),
  ),
  clock: Type.Optional(
    oneOf(
      CLOCKS,
      'What dates its frames: their arrival, or its own clock if that is sane. Default `arrival`.',
    ),
  ),
  tls: Type.Optional(
    text(
      'What its certificate must prove: `any` accepts every certificate, `verify` requires one that is valid for the ' +
        'host, `sha256:` with a fingerprint requires exactly that one. Default `any`.',
      MAX_TLS_LENGTH,
    ),
  ),
};

export const MAIN_URL_INPUT = text(
  'Where its main stream is: an `rtsp`, `rtsps`, `rtsp+http`, `rtsp+https`, `http`, `https`, `rtmp`, `rtmps` or `srt` URL.',
  MAX_URL_LENGTH,
);

export const CAMERA_SOURCE_SCHEMA = namedType('CameraSourceType', {
  mainUrl: nullable(
    plainText(
      'Where its main stream is, without a login; absent if a device pushes it. `…` stands for a secret.',
    ),
  ),
  substreamUrl: nullable(plainText('Where its smaller stream is; absent if it has none.')),
  onvifUrl: nullable(plainText('Its ONVIF service; absent if none is known.')),
  username: nullable(plainText('The stored user name.')),
  hasPassword: flag('Whether a password is stored. It is never returned.'),
  engine: oneOf(ENGINES, 'As in the request.'),
  transport: oneOf(TRANSPORTS, 'As in the request.'),
  audio: oneOf(AUDIOS, 'As in the request.'),
  clock: oneOf(CLOCKS, 'As in the request.'),
  tls: plainText('As in the request.'),
});

export const EXAMPLE_SOURCE: Static<typeof CAMERA_SOURCE_SCHEMA> = {
  mainUrl: 'rtsp://192.0.2.10/stream1',
  substreamUrl: 'rtsp://192.0.2.10/stream2',
  onvifUrl: 'http://192.0.2.10/onvif/device_service',
  username: 'viewer',
  hasPassword: true,
  engine: 'auto',
  transport: 'auto',
  audio: 'auto',
  clock: 'arrival',
  tls: 'any',
};

/** Only what belongs to the source. */
export function sourceFieldsOf(body: CameraSourceFields): CameraSourceFields {
  const { mainUrl, substreamUrl, onvifUrl, username, password } = body;
  const { engine, transport, audio, clock, tls } = body;
  return {
    ...{ mainUrl, substreamUrl, onvifUrl, username, password, tls },
    ...(engine === undefined ? {} : { engine }),
    ...(transport === undefined ? {} : { transport }),
    ...(audio === undefined ? {} : { audio }),
    ...(clock === undefined ? {} : { clock }),
  };
}

export function sourceAnswer(source: ShownSource): Static<typeof CAMERA_SOURCE_SCHEMA> {
  const { mainUrl, substreamUrl, onvifUrl, username, hasPassword } = source;
  const { engine, transport, audio, clock, tls } = source;
  return {
    ...{ mainUrl, substreamUrl, onvifUrl, username, hasPassword },
    ...{ engine, transport, audio, clock, tls },
  };
}
