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
  ACME_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The ACME server does not respond. Check tls.acme.directory and the connection to it.',
  },
  ACME_REFUSED: {
    kind: 'peer-refused',
    message: 'The ACME server refused a request.',
  },
  ACME_RATE_LIMITED: {
    kind: 'rate-limited',
    message: 'The ACME server wants no more requests for now.',
  },
  ACME_DOMAIN_NOT_PROVEN: {
    kind: 'peer-refused',
    message:
      'The ACME server did not get the proof for a domain. Requests to port 80 of the domain must reach tls.acme.http.',
  },
  ACME_ANSWER_INVALID: {
    kind: 'peer-protocol',
    message: 'The ACME server sent something that is not ACME.',
  },
  ACME_TIMEOUT: {
    kind: 'timeout',
    message: 'The ACME server did not issue the certificate in time.',
  },
  ACME_CERTIFICATE_INVALID: {
    kind: 'peer-protocol',
    message:
      'The certificate that the ACME server issued does not have the key or the domains that were asked for.',
  },
  ACME_FILES_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The files of the ACME account and certificate in the data folder cannot be read or written.',
  },
});
