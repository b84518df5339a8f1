/** Certificates for tests that start no process. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateWithKey } from './acme/self-signed.ts';
import { writeCertificate } from './acme/x509.ts';
import type { CertificateFiles } from './certificate.ts';

const DAY_MS = 86_400_000;

/** A self-signed certificate for localhost and 127.0.0.1. Valid for `days` from now; if negative, expired that many days ago. */
export function selfSignedFor(name: string, days = 30): CertificateWithKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nowEpochMs = Math.floor(Date.now() / 1_000) * 1_000;
  const certPem = writeCertificate({
    subject: name,
    issuer: name,
    domains: ['localhost'],
    addresses: [Buffer.of(127, 0, 0, 1)],
    fromEpochMs: nowEpochMs + Math.min(0, 2 * days * DAY_MS),
    toEpochMs: nowEpochMs + days * DAY_MS,
    publicKey,
    issuerKey: privateKey,
  });
  return { certPem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** A certificate for `domain`, signed by another key. Valid for `days` from `nowEpochMs`. */
export function issuedFor(domain: string, days: number, nowEpochMs: number): CertificateWithKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certPem = writeCertificate({
    subject: 'issued',
    issuer: 'issuer',
    domains: [domain],
    fromEpochMs: nowEpochMs,
    toEpochMs: nowEpochMs + days * DAY_MS,
    publicKey,
    issuerKey: issuer.privateKey,
  });
  return { certPem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** A temporary folder with certificates. Call `remove` in the end. */
export class MadeCertificates {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));

  /** Files `<name>.pem` and `<name>.key` of `selfSignedFor`. */
  make(name: string, { days = 30 }: { readonly days?: number } = {}): CertificateFiles {
    const { certPem, keyPem } = selfSignedFor(name, days);
    const files = { cert: this.path(`${name}.pem`), key: this.path(`${name}.key`) };
    writeFileSync(files.cert, certPem);
    writeFileSync(files.key, keyPem);
    return files;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
