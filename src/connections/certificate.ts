/** A listener's certificate and key: read from their files and checked, so that a wrong one is named before it is used. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { GatewayError } from '../core/errors.ts';
import { CONNECTION_ERRORS } from './errors.ts';

export interface CertificateFiles {
  /** The listener's certificate, then those that vouch for it. PEM. */
  readonly cert: string;
  /** Its private key. PEM, without a password. */
  readonly key: string;
}

/** Plain values, so that threads can pass it on. It holds the key: it must not be logged. */
export interface ListenerCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly validFromEpochMs: number;
  readonly validToEpochMs: number;
  /** The names in the certificate: at most MAX_NAMES_CHARS. */
  readonly names: string;
}

/** A chain has a few kilobytes. */
export const MAX_PEM_BYTES = 256 * 1_024;
const MAX_NAMES_CHARS = 256;
export const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Fails with a code of CONNECTION_ERRORS whose context names the file. */
export async function readCertificate(files: CertificateFiles): Promise<ListenerCertificate> {
  return checkCertificate(await readPem(files.cert), await readPem(files.key), files);
}

/** Authorities to trust, in PEM. Fails as readCertificate. */
export async function readAuthorities(file: string): Promise<string> {
  const pem = await readPem(file);
  const authorities = (pem.match(CERTIFICATE) ?? []).map((one) => parseCertificate(one, file));
  if (authorities.length > 0) return pem;
  throw new GatewayError(CONNECTION_ERRORS.TLS_CERTIFICATE_INVALID, { file });
}

/** Whether a listener can use it. `files`: the names in a failure. Fails with a code of CONNECTION_ERRORS. */
export function checkCertificate(
  certPem: string,
  keyPem: string,
  { cert, key }: CertificateFiles,
): ListenerCertificate {
  const chain = (certPem.match(CERTIFICATE) ?? []).map((pem) => parseCertificate(pem, cert));
  const [own] = chain;
  if (own === undefined) throw new GatewayError(CONNECTION_ERRORS.TLS_CERTIFICATE_INVALID, { file: cert });
  const privateKey = parseKey(keyPem, key);
  if (!own.checkPrivateKey(privateKey)) {
    throw new GatewayError(CONNECTION_ERRORS.TLS_KEY_MISMATCH, { file: key, certificate: cert });
  }
  try {
    createSecureContext({ cert: certPem, key: keyPem });
  } catch (thrown) {
    throw new GatewayError(CONNECTION_ERRORS.TLS_CERTIFICATE_INVALID, { file: cert, reason: codeOf(thrown) });
  }
  return {
    certPem,
    keyPem,
    validFromEpochMs: Date.parse(own.validFrom),
    validToEpochMs: Date.parse(own.validTo),
    names: (own.subjectAltName ?? own.subject ?? '').slice(0, MAX_NAMES_CHARS),
  };
}

async function readPem(file: string): Promise<string> {
  const fail = (reason: string): never => {
    throw new GatewayError(CONNECTION_ERRORS.TLS_FILE_UNREADABLE, { file, reason });
  };
  try {
    const handle = await open(file);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return fail('not a file');
      if (stats.size > MAX_PEM_BYTES) return fail(`larger than ${MAX_PEM_BYTES} bytes`);
      return await handle.readFile('latin1');
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    return fail(codeOf(thrown));
  }
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (thrown) {
    throw new GatewayError(CONNECTION_ERRORS.TLS_CERTIFICATE_INVALID, { file, reason: codeOf(thrown) });
  }
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (thrown) {
    // The cause stays out: OpenSSL's text about a key must not be logged.
    throw new GatewayError(CONNECTION_ERRORS.TLS_KEY_INVALID, { file, reason: codeOf(thrown) });
  }
}

function codeOf(thrown: unknown): string {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
