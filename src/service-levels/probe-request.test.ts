/** How the synthetic viewer classifies errors of requests. */

import { describe, expect, it } from 'vitest';
import { failureOf } from './probe-response.ts';

describe('a certificate', () => {
  it.each([
    ['CERT_NOT_YET_VALID', 'tls', 'certificate-not-yet-valid'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 'certificate-untrusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'certificate-untrusted'],
    ['CERT_REVOKED', 'tls', null],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', null],
    ['ENOTFOUND', 'connect', null],
    ['ERR_HTTP2_SESSION_ERROR', 'cut-off', null],
    ['ENOMEM', 'other', null],
  ])('and other errors have a class: %s', (code, error, reason) => {
    expect(failureOf(Object.assign(new Error('no'), { code }))).toEqual({ kind: 'error', error, reason });
  });
});
