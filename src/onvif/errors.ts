/** Error codes of cameras that are asked over ONVIF. */

import { defineErrors } from '../core/errors.ts';

export const ONVIF_ERRORS = defineErrors({
  ONVIF_UNREACHABLE: { kind: 'peer-protocol', message: 'No ONVIF service answers at this address.' },
  ONVIF_BAD_ANSWER: {
    kind: 'peer-protocol',
    message: 'What answers does not speak ONVIF as the standard has it.',
  },
  ONVIF_NOT_AUTHENTICATED: { kind: 'peer-refused', message: 'The camera asks for another login over ONVIF.' },
  ONVIF_REFUSED: { kind: 'peer-refused', message: 'The camera refused an ONVIF request.' },
});
