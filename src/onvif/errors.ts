/** Error codes for ONVIF requests to cameras. */

import { defineErrors } from '../core/errors.ts';

export const ONVIF_ERRORS = defineErrors({
  ONVIF_UNREACHABLE: { kind: 'peer-protocol', message: 'No ONVIF service responds at this address.' },
  ONVIF_BAD_ANSWER: {
    kind: 'peer-protocol',
    message: 'The response does not follow the ONVIF standard.',
  },
  ONVIF_CERTIFICATE_REFUSED: {
    kind: 'peer-protocol',
    message:
      "The certificate of the camera's ONVIF service is not the one that the camera's tls setting requires.",
  },
  ONVIF_NOT_AUTHENTICATED: { kind: 'peer-refused', message: 'The camera requires a different ONVIF login.' },
  ONVIF_NOT_SUPPORTED: { kind: 'peer-refused', message: 'The camera does not support an ONVIF request.' },
  ONVIF_PTZ_MISSING: { kind: 'peer-refused', message: 'The camera cannot be moved over ONVIF.' },
  ONVIF_PTZ_MOVE_MISSING: {
    kind: 'peer-refused',
    message: 'The camera does not support this kind of move.',
  },
  ONVIF_REFUSED: { kind: 'peer-refused', message: 'The camera refused an ONVIF request.' },
});
