import { expect, it } from 'vitest';
import { SAMPLE_STATE } from './fake-system-calls.ts';
import { systemFindings } from './system-findings.ts';
import type { CertificateState } from './system-state.ts';

const DAY_MS = 86_400_000;
const NOW_MS = SAMPLE_STATE.startedAtEpochMs + SAMPLE_STATE.uptimeMs;

/** The findings about certificates alone. */
function found(daysLeft: number, more: Partial<CertificateState> = {}) {
  const certificate = { listener: 'media', lifetimeMs: 90 * DAY_MS, failure: null, acme: null, ...more };
  const certificates = [{ ...certificate, validToEpochMs: NOW_MS + daysLeft * DAY_MS }];
  return systemFindings({ ...SAMPLE_STATE, certificates }).map(({ code, severity }) => [code, severity]);
}

it('a certificate is mentioned when it ends soon, for its lifetime, and when it has ended', () => {
  expect(found(20)).toEqual([]);
  expect(found(13)).toEqual([['TLS_CERTIFICATE_EXPIRES_SOON', 'warning']]);
  expect(found(0)).toEqual([['TLS_CERTIFICATE_EXPIRED', 'error']]);
  // One that lives for six days is renewed every three.
  expect(found(3, { lifetimeMs: 6 * DAY_MS })).toEqual([]);
  expect(found(1, { lifetimeMs: 6 * DAY_MS })).toEqual([['TLS_CERTIFICATE_EXPIRES_SOON', 'warning']]);
});

it('one of an ACME server is mentioned until it is issued for all domains, and when it is not renewed', () => {
  const issued = { isSelfSigned: false, missingDomains: 0, failure: null };
  expect(found(60, { acme: issued })).toEqual([]);
  expect(found(60, { acme: { ...issued, isSelfSigned: true } })).toEqual([
    ['TLS_CERTIFICATE_NOT_ISSUED', 'error'],
  ]);
  expect(found(60, { acme: { ...issued, missingDomains: 2, failure: 'ACME_REFUSED' } })).toEqual([
    ['TLS_CERTIFICATE_INCOMPLETE', 'error'],
  ]);
  expect(found(28, { acme: { ...issued, failure: 'ACME_UNREACHABLE' } })).toEqual([
    ['TLS_CERTIFICATE_NOT_RENEWED', 'warning'],
  ]);
});

it('and when the one that should replace it is wrong', () => {
  expect(found(20, { failure: 'TLS_KEY_MISMATCH' })).toEqual([['TLS_CERTIFICATE_NOT_RELOADED', 'warning']]);
});
