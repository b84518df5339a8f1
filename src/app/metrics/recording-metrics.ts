/** Metrics of recordings. */

/** A stream that is or was recorded. */
export interface RecordingMetrics {
  readonly camera: string;
  readonly name: string;
  readonly rendition: string;
  readonly isRecording: boolean;
  readonly hasFailed: boolean;
  readonly segments: number;
  readonly droppedSegments: number;
  readonly byteLength: number;
}

/** Figures of the recorder. */
export interface RecordingMetricsSource {
  recordings(): readonly RecordingMetrics[];
  recorder(): {
    readonly waitingBytes: number;
    readonly deletedFiles: number;
    readonly unreadableFiles: number;
    readonly isUploadFailing: boolean;
    readonly isClipUploadFailing: boolean;
  };
}

interface RecordingMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: RecordingMetricsSource) => number;
}

export const RECORDING_METRICS: readonly RecordingMetric[] = [
  {
    name: 'sluice_recording_waiting_bytes',
    help: 'Bytes of media that wait for the disk of the recordings',
    type: 'gauge',
    value: (s) => s.recorder().waitingBytes,
  },
  {
    name: 'sluice_recording_deleted_files_total',
    help: 'Recording files deleted for their age, the size of a camera or room on the disk',
    type: 'counter',
    value: (s) => s.recorder().deletedFiles,
  },
  {
    name: 'sluice_recording_unreadable_files',
    help: 'Recording files that no list shows, because they are damaged, their key is lost, or a newer version wrote them',
    type: 'gauge',
    value: (s) => s.recorder().unreadableFiles,
  },
  {
    name: 'sluice_recording_upload_failing',
    help: 'Whether finished recordings cannot be uploaded to S3 now (1 or 0)',
    type: 'gauge',
    value: (s) => (s.recorder().isUploadFailing ? 1 : 0),
  },
  {
    name: 'sluice_clip_upload_failing',
    help: 'Whether finished clips cannot be uploaded to S3 now (1 or 0)',
    type: 'gauge',
    value: (s) => (s.recorder().isClipUploadFailing ? 1 : 0),
  },
];

/** Metrics of cameras that are recorded, or were since the start. */
export const BY_RECORDING = {
  labelNames: ['camera', 'name', 'rendition'],
  samples: (sources: RecordingMetricsSource) => sources.recordings(),
  labels: ({ camera, name, rendition }: RecordingMetrics) => ({ camera, name, rendition }),
  metrics: [
    {
      name: 'sluice_recording_active',
      help: '1 while the stream is being written',
      type: 'gauge',
      value: (s: RecordingMetrics) => (s.isRecording ? 1 : 0),
    },
    {
      name: 'sluice_recording_failed',
      help: '1 while the stream cannot be written: the disk is full or reports errors',
      type: 'gauge',
      value: (s: RecordingMetrics) => (s.hasFailed ? 1 : 0),
    },
    {
      name: 'sluice_recording_segments_total',
      help: 'Segments written',
      type: 'counter',
      value: (s: RecordingMetrics) => s.segments,
    },
    {
      name: 'sluice_recording_dropped_segments_total',
      help: 'Segments that were left out, or cut short, because the disk was too slow, full or broken',
      type: 'counter',
      value: (s: RecordingMetrics) => s.droppedSegments,
    },
    {
      name: 'sluice_recording_bytes_total',
      help: 'Bytes of media written',
      type: 'counter',
      value: (s: RecordingMetrics) => s.byteLength,
    },
  ],
} as const;
