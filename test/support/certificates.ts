/** Self-signed certificates that tests make with openssl. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

export class CertificateFolder {
  #issued = 0;
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));

  /** Files `<name>.pem` and `<name>.key`, for localhost and 127.0.0.1. `days`: -1 for an expired certificate. */
  make(name: string, { days = 30 }: { readonly days?: number } = {}): MadeCertificate {
    const [cert, key] = [this.path(`${name}.pem`), this.path(`${name}.key`)];
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const request = this.path(`${name}.csr`);
    run('req', '-new', ...NEW_KEY, ...subject, '-keyout', key, '-out', request);
    const signed = ['-in', request, '-key', key, '-copy_extensions', 'copy', '-days', String(days)];
    run('x509', '-req', ...signed, '-out', cert);
    return { cert, key };
  }

  /** The same for `domain`, signed by another that is made with it. */
  makeIssued(domain: string, { days }: { readonly days: number }): MadeCertificate {
    const name = `issued-${this.#issued++}`;
    const [cert, key, request] = [
      this.path(`${name}.pem`),
      this.path(`${name}.key`),
      this.path(`${name}.csr`),
    ];
    const issuer = this.make(`${name}-issuer`);
    const subject = ['-subj', '/CN=issued', '-addext', `subjectAltName=DNS:${domain}`];
    run('req', '-new', ...NEW_KEY, ...subject, '-keyout', key, '-out', request);
    const by = ['-CA', issuer.cert, '-CAkey', issuer.key, '-CAcreateserial'];
    run(
      'x509',
      '-req',
      '-in',
      request,
      ...by,
      '-copy_extensions',
      'copy',
      '-days',
      String(days),
      '-out',
      cert,
    );
    return { cert, key };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function run(...args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
