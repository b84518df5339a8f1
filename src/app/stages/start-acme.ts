/** The certificate that comes from an ACME server: wired with the configuration and the data folder. */

import { AcmeFiles } from '../../connections/acme/acme-files.ts';
import { orderCertificate } from '../../connections/acme/acme-order.ts';
import { CertificateRenewal } from '../../connections/acme/certificate-renewal.ts';
import { ChallengeResponder } from '../../connections/acme/challenge-responder.ts';
import { readAuthorities } from '../../connections/certificate.ts';
import { GatewayError } from '../../core/errors.ts';
import { acmeFolder } from '../config/data-folder.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { GatewayOptions } from './gateway-options.ts';

export interface AcmeCertificate {
  /** Certificate and key. */
  readonly file: string;
  readonly renewal: CertificateRenewal;
}

/** Fails CLI_LISTEN_FAILED, TLS_FILE_UNREADABLE, TLS_CERTIFICATE_INVALID or ACME_FILES_UNAVAILABLE; not because of the ACME server. */
export async function startAcme(
  { config, clock, log }: GatewayOptions,
  cleanup: Cleanup,
): Promise<AcmeCertificate> {
  const { domains, directory, email, ca, http } = config.tls.acme;
  const caPem = ca === null ? null : await readAuthorities(ca);
  // Before the files: a second gateway with the same configuration fails here, and leaves them alone.
  const responder = await openResponder(http);
  cleanup.add('responses to the ACME server', () => responder.close());
  const files = await AcmeFiles.open(acmeFolder(config), directory);
  const accountKeyPem = await files.accountKeyPem(log);
  const renewal = await CertificateRenewal.open({
    domains,
    files,
    clock,
    log,
    random: Math.random,
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
