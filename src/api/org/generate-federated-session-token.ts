/** POST /api/org/generateFederatedSessionToken: a short-lived token for pages. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { deviceUuid as deviceUuidField, int32, ruuid, text } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';

const DEFAULT_DURATION_SEC = 3_600;
const MAX_DURATION_SEC = 86_400;
/** RFC 1035 §2.3.4. */
const MAX_DOMAIN_LENGTH = 253;

export const generateFederatedSessionToken = defineEndpoint({
  path: '/api/org/generateFederatedSessionToken',
  summary: 'Makes a short-lived token for pages.',
  description:
    'A page brings it in `x-auth-ft`, with `x-auth-scheme: federated-token`, and needs no API key. It reads what pages ' +
    'show and changes nothing: the `get…` and `find…` operations of cameras, doorbell cameras, events, videos and ' +
    'locations, and `/api/integrations/validateToken`. A token for one device (`deviceUuid`) reads only what ' +
    '`/api/camera/getFullCameraState` and `/api/camera/getUptimeWindows` tell of that device, without its ' +
    'configuration; everything else refuses it. It ends by itself, and with the key that made it. It is shown this once.',
  request: Type.Object({
    deviceUuid: Type.Optional(
      deviceUuidField(
        'The one camera or NVR that the token may look at; all that the key may read when absent.',
      ),
    ),
    domain: Type.Optional(
      text(
        'The host whose pages, and those of hosts below it, may use the token; all when absent.',
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
