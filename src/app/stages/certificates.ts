/** The certificates of the listeners, which both threads use: the gateway's reads them and notices new ones. */

import { CertificateWatch } from '../../connections/certificate-watch.ts';
import type { CertificateState } from '../../system/system-state.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type AcmeCertificate, startAcme } from './start-acme.ts';

export interface Certificates {
  /** null: no TLS. */
  readonly media: CertificateWatch | null;
  readonly api: CertificateWatch | null;
  /** null: no listener has its certificate from an ACME server. */
  readonly acme: AcmeCertificate | null;
}

const LISTENERS = ['media', 'api'] as const;

/** Fails with a code of CONNECTION_ERRORS, whose context names the file, or as startAcme. */
export async function openCertificates(options: GatewayOptions, cleanup: Cleanup): Promise<Certificates> {
  const { config, clock, log } = options;
  const isAcme = LISTENERS.some((listener) => config.tls[listener].acme);
  const acme = isAcme ? await startAcme(options, cleanup) : null;
  const open = async (listener: (typeof LISTENERS)[number]): Promise<CertificateWatch | null> => {
    const { cert, key, acme: usesAcme } = config.tls[listener];
    const files = usesAcme && acme !== null ? { cert: acme.file, key: acme.file } : { cert, key };
    if (files.cert === null || files.key === null) return null;
    const watch = await CertificateWatch.open({
      listener,
      clock,
      log,
      files: { cert: files.cert, key: files.key },
    });
    cleanup.add(`certificate of ${listener}`, () => watch.close());
    if (usesAcme) acme?.renewal.onRenewed(() => void watch.reload());
    return watch;
  };
  return { media: await open('media'), api: await open('api'), acme };
}

/** Reads all files now, and orders certificates that the ACME server did not issue. Never rejects. */
export async function reloadCertificates({ media, api, acme }: Certificates): Promise<void> {
  acme?.renewal.retry();
  await Promise.all([media?.reload(), api?.reload()]);
}

export function certificateStates({ media, api, acme }: Certificates): CertificateState[] {
  return Object.entries({ media, api }).flatMap(([listener, watch]) => {
    if (watch === null) return [];
    const { validFromEpochMs, validToEpochMs } = watch.current;
    return {
      listener,
      validToEpochMs,
      lifetimeMs: validToEpochMs - validFromEpochMs,
      failure: watch.failure?.code ?? null,
      acme: acme !== null && watch.file === acme.file ? acme.renewal.state : null,
    };
  });
}
