/** The certificate that comes from an ACME server: wired with the configuration and the data folder. */

import { readFile } from 'node:fs/promises';
import { AcmeFiles } from '../connections/acme/acme-files.ts';
import { orderCertificate } from '../connections/acme/acme-order.ts';
import { CertificateRenewal } from '../connections/acme/certificate-renewal.ts';
import { ChallengeResponder } from '../connections/acme/challenge-responder.ts';
import { CONNECTION_ERRORS } from '../connections/errors.ts';
import { GatewayError } from '../core/errors.ts';
import type { Cleanup } from './cleanup.ts';
import { acmeFolder } from './data-folder.ts';
import { APP_ERRORS } from './errors.ts';
import type { GatewayOptions } from './gateway-options.ts';

export interface AcmeCertificate {
  /** Certificate and key. */
  readonly file: string;
  readonly renewal: CertificateRenewal;
}

/** Fails CLI_LISTEN_FAILED, TLS_FILE_UNREADABLE or ACME_FILES_UNAVAILABLE; not because of the ACME server. */
export async function startAcme(
  { config, clock, log }: GatewayOptions,
  cleanup: Cleanup,
): Promise<AcmeCertificate> {
  const { domains, directory, email, ca, http } = config.tls.acme;
  const caPem = ca === null ? null : await readCa(ca);
  const files = await AcmeFiles.open(acmeFolder(config), directory);
  const accountKeyPem = await files.accountKeyPem();
  const responder = await openResponder(http);
  cleanup.add('responses to the ACME server', () => responder.close());
  const renewal = await CertificateRenewal.open({
    ...{ domains, files, clock, log, random: Math.random },
    order: (signal) =>
      orderCertificate({ directory, domains, email, accountKeyPem, caPem, responder, clock, signal }),
  });
  cleanup.add('certificate of the ACME server', () => renewal.close());
  return { file: files.certificate, renewal };
}

async function openResponder(address: { readonly host: string; readonly port: number }) {
  try {
    return await ChallengeResponder.open(address);
  } catch (cause) {
    const { host, port } = address;
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host, port, setting: 'tls.acme.http' }, cause);
  }
}

async function readCa(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw new GatewayError(CONNECTION_ERRORS.TLS_FILE_UNREADABLE, { file, reason: code });
  }
}
