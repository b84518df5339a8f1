/** The certificates of the listeners, which both threads use: the gateway's reads them and notices new ones. */

import { CertificateWatch } from '../connections/certificate-watch.ts';
import type { CertificateState } from '../system/system-state.ts';
import type { Cleanup } from './cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';

export interface Certificates {
  /** null: no TLS. */
  readonly media: CertificateWatch | null;
  readonly api: CertificateWatch | null;
}

/** Fails with a code of CONNECTION_ERRORS, whose context names the file. */
export async function openCertificates(
  { config, clock, log }: GatewayOptions,
  cleanup: Cleanup,
): Promise<Certificates> {
  const open = async (listener: keyof Certificates): Promise<CertificateWatch | null> => {
    const { cert, key } = config.tls[listener];
    if (cert === null || key === null) return null;
    const watch = await CertificateWatch.open({ listener, files: { cert, key }, clock, log });
    cleanup.add(`certificate of ${listener}`, () => watch.close());
    return watch;
  };
  return { media: await open('media'), api: await open('api') };
}

/** Reads all files now. Never rejects. */
export async function reloadCertificates({ media, api }: Certificates): Promise<void> {
  await Promise.all([media?.reload(), api?.reload()]);
}

export function certificateStates({ media, api }: Certificates): CertificateState[] {
  return Object.entries({ media, api }).flatMap(([listener, watch]) => {
    if (watch === null) return [];
    const { validFromEpochMs, validToEpochMs } = watch.current;
    return {
      ...{ listener, validToEpochMs },
      lifetimeMs: validToEpochMs - validFromEpochMs,
      failure: watch.failure?.code ?? null,
    };
  });
}
