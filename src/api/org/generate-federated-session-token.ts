/** POST /api/org/generateFederatedSessionToken: a short-lived token for pages. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid as deviceUuidField, int32, ruuid, text } from '../../http/fields/field-types.ts';

const DEFAULT_DURATION_SEC = 3_600;
const MAX_DURATION_SEC = 86_400;
/** RFC 1035 §2.3.4. */
const MAX_DOMAIN_LENGTH = 253;

export const generateFederatedSessionToken = defineEndpoint({
  path: '/api/org/generateFederatedSessionToken',
  summary: 'Creates a short-lived token for web pages.',
  description:
    'A page sends it in `x-auth-ft`, with `x-auth-scheme: federated-token`, and needs no API key. It can read what ' +
    'pages show and cannot change anything: the `get…` and `find…` operations of cameras, doorbell cameras, events, ' +
    'videos and locations, and `/api/integrations/validateToken`. It can also play the media of cameras ' +
    '(`/api/camera/getMediaUris`). A token for one device (`deviceUuid`) can play only that device, and read only ' +
    'what `/api/camera/getFullCameraState`, `/api/camera/getUptimeWindows` and the `getMediaUris` operations say ' +
    'about it, without its configuration; every other call refuses it. It expires on its own, and ends with the key ' +
    'that made it; views that began with it end too. It is shown only once.',
  repetition: 'expires',
  request: Type.Object({
    deviceUuid: Type.Optional(
      deviceUuidField(
        'The one camera or NVR that the token can read; default: everything that the key can read.',
      ),
    ),
    domain: Type.Optional(
      text(
        'The host whose pages, including its subdomains, can use the token; default: all hosts.',
        MAX_DOMAIN_LENGTH,
      ),
    ),
    durationSec: Type.Optional(
      int32(`How long it works, seconds. Default ${DEFAULT_DURATION_SEC}.`, 1, MAX_DURATION_SEC),
    ),
  }),
  response: {
    federatedSessionToken: ruuid('The token.'),
    expiresInSec: int32('How long it works, seconds.', 1, MAX_DURATION_SEC),
  },
  example: {
    request: { domain: 'desk.example.com', durationSec: 900 },
    response: { federatedSessionToken: deriveRuuid('example', 'federated session token'), expiresInSec: 900 },
  },
  async handler(
    { caller, services },
    { deviceUuid = null, domain = null, durationSec = DEFAULT_DURATION_SEC },
  ) {
    const wanted = { deviceUuid, domain, durationSec };
    const token = await services.federatedSessions.create(caller, wanted);
    return { federatedSessionToken: token, expiresInSec: durationSec };
  },
});
