/** Error codes for ONVIF requests to cameras. */

import { defineErrors } from '../core/errors.ts';

export const ONVIF_ERRORS = defineErrors({
  ONVIF_UNREACHABLE: { kind: 'peer-protocol', message: 'No ONVIF service responds at this address.' },
  ONVIF_BAD_ANSWER: {
    kind: 'peer-protocol',
    message: 'The response does not follow the ONVIF standard.',
  },
  ONVIF_NOT_AUTHENTICATED: { kind: 'peer-refused', message: 'The camera requires a different ONVIF login.' },
  ONVIF_REFUSED: { kind: 'peer-refused', message: 'The camera refused an ONVIF request.' },
});
