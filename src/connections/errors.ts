/** Error codes of the listeners. */

import { defineErrors } from '../core/errors.ts';

export const CONNECTION_ERRORS = defineErrors({
  TLS_FILE_UNREADABLE: {
    kind: 'invalid-input',
    message: 'A file of the TLS certificate cannot be read.',
  },
  TLS_CERTIFICATE_INVALID: {
    kind: 'invalid-input',
    message: 'The file of the TLS certificate does not hold certificates in PEM that can be used.',
  },
  TLS_KEY_INVALID: {
    kind: 'invalid-input',
    message: 'The file of the TLS key does not hold a private key in PEM without a password.',
  },
  TLS_KEY_MISMATCH: {
    kind: 'conflict',
    message:
      'The TLS key does not belong to the certificate. The first certificate in the file must be its own.',
  },
});
