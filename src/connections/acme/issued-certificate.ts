/**
 * Checks a certificate from an ACME server before it replaces one that works: it is the one that was ordered, and a listener can use it.
 */

import { X509Certificate } from 'node:crypto';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { CERTIFICATE, checkCertificate, type ListenerCertificate, MAX_PEM_BYTES } from '../certificate.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import type { CertificateWithKey } from './self-signed.ts';

/** The file names in failures of checkCertificate, which are not passed on. */
const NO_FILES = { cert: '', key: '' };

/** The same without the certificates that are not part of the chain. Fails ACME_CERTIFICATE_INVALID. */
export function expectWanted(
  { certPem, keyPem }: CertificateWithKey,
  domains: readonly string[],
): CertificateWithKey {
  // Certificate and key will be one file: a key that comes with the chain would be read in place of ours.
  const chain = certPem.match(CERTIFICATE) ?? [];
  const wanted = { certPem: `${chain.join('\n')}\n`, keyPem };
  if (wanted.certPem.length + keyPem.length > MAX_PEM_BYTES) throw invalid('too large');
  const { validFromEpochMs, validToEpochMs } = usable(wanted);
  // Also refuses invalid times.
  if (!(validToEpochMs > validFromEpochMs)) throw invalid('never valid');
  const certificate = new X509Certificate(wanted.certPem);
  if (certificate.checkIssued(certificate)) throw invalid('signed by itself');
  if (!domains.every((domain) => isFor(certificate, domain))) throw invalid('other domains');
  return wanted;
}

/** By its names alone, as browsers look at it. */
export function isFor(certificate: X509Certificate, domain: string): boolean {
  return certificate.checkHost(domain, { subject: 'never' }) !== undefined;
}

function usable({ certPem, keyPem }: CertificateWithKey): ListenerCertificate {
  try {
    return checkCertificate(certPem, keyPem, NO_FILES);
  } catch (thrown) {
    throw invalid(toGatewayError(thrown).code);
  }
}

function invalid(reason: string): GatewayError {
  return new GatewayError(CONNECTION_ERRORS.ACME_CERTIFICATE_INVALID, { reason });
}
