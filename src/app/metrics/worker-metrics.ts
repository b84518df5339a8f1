/** Metrics of ffmpeg workers: how many run, who waits for one, and how long. */

import type { PoolSample } from '../../ffmpeg/pool-overview.ts';

export interface WorkerMetricsSource {
  ffmpegWorkers(): PoolSample;
}

interface WorkerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: WorkerMetricsSource) => number;
}

export const WORKER_METRICS: readonly WorkerMetric[] = [
  {
    name: 'sluice_ffmpeg_workers',
    help: 'Running ffmpeg workers',
    type: 'gauge',
    value: (s) => s.ffmpegWorkers().running,
  },
  {
    name: 'sluice_ffmpeg_cores',
    help: 'Cores that the running ffmpeg workers are expected to use',
    type: 'gauge',
    value: (s) => s.ffmpegWorkers().cores,
  },
  {
    name: 'sluice_ffmpeg_starts_total',
    help: 'Starts of ffmpeg workers, with or without a wait',
    type: 'counter',
    value: (s) => s.ffmpegWorkers().admitted,
  },
  {
    name: 'sluice_ffmpeg_wait_seconds_total',
    help: 'Time that these starts waited for a free worker',
    type: 'counter',
    value: (s) => s.ffmpegWorkers().waitedMs / 1_000,
  },
  {
    name: 'sluice_ffmpeg_refused_total',
    help: 'Starts that were refused because too many were waiting, or the wait was too long',
    type: 'counter',
    value: (s) => s.ffmpegWorkers().refused,
  },
  {
    name: 'sluice_ffmpeg_taken_total',
    help: 'Workers that ended because another organization had less than an equal part',
    type: 'counter',
    value: (s) => s.ffmpegWorkers().taken,
  },
];

/** Starts that wait, of one kind. */
export interface WaitingStarts {
  readonly urgency: string;
  readonly starts: number;
}

export const BY_URGENCY = {
  labelNames: ['urgency'],
  samples: (source: WorkerMetricsSource): readonly WaitingStarts[] =>
    Object.entries(source.ffmpegWorkers().waiting).map(([urgency, starts]) => ({ urgency, starts })),
  labels: ({ urgency }: WaitingStarts) => ({ urgency }),
  metrics: [
    {
      name: 'sluice_ffmpeg_queue',
      help: 'Streams that wait for an ffmpeg worker, by whom they are for: alarm, viewer, recording or picture; yielding: audio and conversions',
      type: 'gauge',
      value: (s: WaitingStarts) => s.starts,
    },
  ],
} as const;
