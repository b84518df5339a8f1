/** Metrics of clips that are handed over, and of recordings that wait for S3. */

/** Figures of their owners. */
export interface UploadMetricsSource {
  uploads(): {
    readonly running: number;
    readonly unfinished: number;
    readonly receivedBytes: number;
    readonly imported: number;
    readonly failures: readonly UploadFailures[];
  };
  spool(): { readonly byteLength: number; readonly oldestAgeSec: number };
}

/** Requests and imports that failed with one code since the start. */
export interface UploadFailures {
  readonly reason: string;
  readonly count: number;
}

interface UploadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: UploadMetricsSource) => number;
}

export const UPLOAD_METRICS: readonly UploadMetric[] = [
  {
    name: 'sluice_uploads_running',
    help: 'Requests that are sending bytes of clips',
    type: 'gauge',
    value: (s) => s.uploads().running,
  },
  {
    name: 'sluice_uploads_unfinished',
    help: 'Clips that were announced and are not in the recordings yet',
    type: 'gauge',
    value: (s) => s.uploads().unfinished,
  },
  {
    name: 'sluice_upload_bytes_total',
    help: 'Bytes of clips received',
    type: 'counter',
    value: (s) => s.uploads().receivedBytes,
  },
  {
    name: 'sluice_uploads_imported_total',
    help: 'Clips put into the recordings',
    type: 'counter',
    value: (s) => s.uploads().imported,
  },
  {
    name: 'sluice_recording_spool_bytes',
    help: 'Bytes of recordings on the disk that are not in S3 yet; 0 without S3',
    type: 'gauge',
    value: (s) => s.spool().byteLength,
  },
  {
    name: 'sluice_recording_spool_oldest_seconds',
    help: 'How long the oldest finished recording has been waiting for its upload to S3; 0: none is waiting',
    type: 'gauge',
    value: (s) => s.spool().oldestAgeSec,
  },
];

export const BY_UPLOAD_FAILURE = {
  labelNames: ['reason'],
  samples: (source: UploadMetricsSource) => source.uploads().failures,
  labels: ({ reason }: UploadFailures) => ({ reason }),
  metrics: [
    {
      name: 'sluice_upload_failures_total',
      help: 'Requests and imports of clips that failed, by the code of the error',
      type: 'counter',
      value: (s: UploadFailures) => s.count,
    },
  ],
} as const;
