/** Metrics of the listeners' certificates. */

import type { CertificateState } from '../../system/system-state.ts';

export interface TlsMetricsSource {
  certificates(): readonly CertificateState[];
}

export const BY_CERTIFICATE = {
  labelNames: ['listener'],
  samples: (source: TlsMetricsSource): readonly CertificateState[] => source.certificates(),
  labels: ({ listener }: CertificateState) => ({ listener }),
  metrics: [
    {
      name: 'sluice_tls_certificate_expiry_timestamp_seconds',
      help: 'When the certificate in use expires, in seconds since 1970',
      type: 'gauge',
      value: ({ validToEpochMs }: CertificateState) => validToEpochMs / 1_000,
    },
    {
      name: 'sluice_tls_certificate_stale',
      help: 'Whether the newest files of the certificate could not be used, or the ACME server did not issue or renew it (1), so that the one before is in use',
      type: 'gauge',
      value: ({ failure, acme }: CertificateState) =>
        failure !== null ||
        (acme !== null && (acme.isSelfSigned || acme.missingDomains > 0 || acme.failure !== null))
          ? 1
          : 0,
    },
  ],
} as const;
