/**
 * The self-signed certificate that a listener has until the ACME server has issued one: no client trusts it, but the port is open. X.509
 * (RFC 5280) with a key on P-256.
 */

import { generateKeyPairSync } from 'node:crypto';
import { writeCertificate } from './x509.ts';

export interface CertificateWithKey {
  readonly certPem: string;
  readonly keyPem: string;
}

const COMMON_NAME = 'Sluice without a certificate';
const LIFETIME_MS = 365 * 86_400_000;
/** Clients whose clock is a little behind. */
const BEFORE_MS = 3_600_000;

export function createSelfSigned(domains: readonly string[], nowEpochMs: number): CertificateWithKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certPem = writeCertificate({
    subject: COMMON_NAME,
    issuer: COMMON_NAME,
    domains,
    fromEpochMs: nowEpochMs - BEFORE_MS,
    toEpochMs: nowEpochMs + LIFETIME_MS,
    publicKey,
    issuerKey: privateKey,
  });
  return { certPem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}
