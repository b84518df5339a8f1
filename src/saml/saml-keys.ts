/** Our RSA keys for SAML, each with a self-signed certificate: it carries the key, and no one follows a chain (SAML 2.0 Metadata §2.4.1.1). */

import { generateKeyPair, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { writeCertificate } from '../connections/acme/x509.ts';
import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import type { SamlKey } from './saml-party.ts';

const KEY_BITS = 3_072;
const MIN_KEY_BITS = 2_048;
const LIFETIME_MS = 10 * 365 * 86_400_000;
/** Clocks of providers that are a little behind. */
const BEFORE_MS = 3_600_000;
const MAX_CERTIFICATE_CHARS = 16_384;

const generate = promisify(generateKeyPair);

/** `host`: in the certificate's name. `bits`: fewer only in tests. */
export async function createSamlKey(host: string, nowMs: number, bits = KEY_BITS): Promise<SamlKey> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: bits });
  const name = `Sluice SAML ${host}`;
  const certificatePem = writeCertificate({
    subject: name,
    issuer: name,
    domains: [host],
    fromEpochMs: nowMs - BEFORE_MS,
    toEpochMs: nowMs + LIFETIME_MS,
    publicKey,
    issuerKey: privateKey,
  });
  return { privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, certificatePem };
}

/** A certificate of a provider as PEM, from PEM or its bare base64, as metadata have it. Fails SAML_CERTIFICATE_INVALID. */
export function checkedCertificate(text: string): string {
  const bare = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
  try {
    if (bare === '' || bare.length > MAX_CERTIFICATE_CHARS) throw new Error('empty or too long');
    const certificate = new X509Certificate(Buffer.from(bare, 'base64'));
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_KEY_BITS) {
      throw new Error('not RSA, or too short');
    }
    return certificate.toString();
  } catch (cause) {
    throw new GatewayError(SAML_ERRORS.SAML_CERTIFICATE_INVALID, {}, cause);
  }
}

/** What people compare. */
export interface CertificateFacts {
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

export function certificateFacts(pem: string): CertificateFacts {
  const { fingerprint256, subject, validFromDate, validToDate } = new X509Certificate(pem);
  return {
    fingerprint: fingerprint256,
    subject: (subject ?? '').replaceAll('\n', ', '),
    validFromMs: validFromDate.getTime(),
    validUntilMs: validToDate.getTime(),
  };
}
