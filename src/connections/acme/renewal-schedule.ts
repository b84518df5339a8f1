/**
 * When the gateway orders a certificate: when a third of the life of the one in use is left, and after a failure, later each time. Pure:
 * certificate-renewal.ts has the clocks and files.
 */

import { doubledMs } from '../../core/backoff.ts';

/** The stored attempts, by the clock of this machine, so that restarts do not forget them. */
export interface RenewalRecord {
  /** null: never. */
  readonly attemptedAtEpochMs: number | null;
  /** In a row. */
  readonly failures: number;
  /** No attempt before this much time after the last one, because the ACME server said so. */
  readonly retryAfterMs: number;
  /** When this machine got the certificate in use; null: not known. */
  readonly issuedAtEpochMs: number | null;
  /** Code of the last failure; null: the last attempt worked, or has not ended yet. */
  readonly failure: string | null;
}

export const NO_ATTEMPTS: RenewalRecord = {
  attemptedAtEpochMs: null,
  failures: 0,
  retryAfterMs: 0,
  issuedAtEpochMs: null,
  failure: null,
};

/** The certificate in use. */
export interface HeldCertificate {
  readonly validFromEpochMs: number;
  readonly validToEpochMs: number;
  /** Issued by the ACME server, for the domains that are configured. */
  readonly isWanted: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Wait after the first failure; doubled by each further one. */
export const FIRST_RETRY_MS = 5 * MINUTE_MS;
export const LAST_RETRY_MS = 6 * HOUR_MS;
/** The longest wait that an ACME server can request. */
export const MAX_RETRY_AFTER_MS = 7 * 24 * HOUR_MS;
/** Between two certificates, even if the clock jumps; less for those that live for less than six hours. */
const SPACING_MS = HOUR_MS;
const SPACING_SHARE = 1 / 6;
/** Between any two attempts: however short the certificates live, and however many requests there are. */
export const MIN_SPACING_MS = 10_000;
/** Share of its life after which a certificate is renewed. */
const RENEWED_AT_SHARE = 2 / 3;
/** Up to this much earlier, so that gateways that started together do not order together. */
const JITTER_SHARE = 1 / 20;
const RETRY_JITTER_SHARE = 1 / 4;

/** How long to wait for the next attempt; 0: now. `jitter`: from 0 to 1, the same for the same certificate or attempt. */
export function attemptDelayMs(
  certificate: HeldCertificate,
  record: RenewalRecord,
  nowEpochMs: number,
  jitter: number,
): number {
  return Math.max(
    0,
    untilDueMs(certificate, record, nowEpochMs, jitter),
    untilAllowedMs(certificate, record, nowEpochMs, jitter),
  );
}

/** The same if someone requests an attempt now: the wait after a failure is cut short, but not the wait that the ACME server requested. */
export function requestedDelayMs(
  { attemptedAtEpochMs, retryAfterMs }: RenewalRecord,
  nowEpochMs: number,
): number {
  if (attemptedAtEpochMs === null) return 0;
  const sinceMs = Math.max(0, nowEpochMs - attemptedAtEpochMs);
  return Math.max(0, Math.max(MIN_SPACING_MS, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)) - sinceMs);
}

function untilDueMs(
  { validFromEpochMs, validToEpochMs, isWanted }: HeldCertificate,
  { issuedAtEpochMs }: RenewalRecord,
  nowEpochMs: number,
  jitter: number,
): number {
  if (!isWanted) return 0;
  const lifetimeMs = validToEpochMs - validFromEpochMs;
  // By this machine's own clock: where that is wrong for good, a fresh certificate must not look old. But if it was ahead
  // at that time and is right now, the certificate knows better.
  const isKnown = issuedAtEpochMs !== null && issuedAtEpochMs <= nowEpochMs;
  const ageMs = Math.max(0, nowEpochMs - (isKnown ? issuedAtEpochMs : validFromEpochMs));
  return lifetimeMs * (RENEWED_AT_SHARE - jitter * JITTER_SHARE) - ageMs;
}

function untilAllowedMs(
  { validFromEpochMs, validToEpochMs, isWanted }: HeldCertificate,
  { attemptedAtEpochMs, failures, retryAfterMs }: RenewalRecord,
  nowEpochMs: number,
  jitter: number,
): number {
  if (attemptedAtEpochMs === null) return 0;
  // A clock that was set back makes the wait start over; it never makes it longer.
  const sinceMs = Math.max(0, nowEpochMs - attemptedAtEpochMs);
  if (failures === 0) {
    const lifetimeMs = isWanted ? validToEpochMs - validFromEpochMs : Number.POSITIVE_INFINITY;
    return Math.max(MIN_SPACING_MS, Math.min(SPACING_MS, lifetimeMs * SPACING_SHARE)) - sinceMs;
  }
  const retryMs = doubledMs({ firstMs: FIRST_RETRY_MS, lastMs: LAST_RETRY_MS }, failures);
  const requestedMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return Math.max(retryMs, requestedMs) * (1 + jitter * RETRY_JITTER_SHARE) - sinceMs;
}
