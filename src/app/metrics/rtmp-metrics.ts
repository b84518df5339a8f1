/** Metrics of devices that push video. */

import type { RtmpCounts } from '../../sources/rtmp/rtmp-listener.ts';

export interface RtmpMetricsSource {
  rtmp(): RtmpCounts;
}

interface RtmpMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge';
  readonly value: (source: RtmpMetricsSource) => number;
}

export const RTMP_METRICS: readonly RtmpMetric[] = [
  {
    name: 'sluice_rtmp_publishers',
    help: 'Devices that push video with an accepted key',
    type: 'gauge',
    value: (s) => s.rtmp().publishers,
  },
  {
    name: 'sluice_rtmp_pending',
    help: 'Connections to the RTMP listener without an accepted key',
    type: 'gauge',
    value: (s) => s.rtmp().pending,
  },
];

type Refusals = readonly [code: string, count: number];

export const BY_RTMP_REFUSAL = {
  labelNames: ['code'],
  samples: (source: RtmpMetricsSource): readonly Refusals[] => [...source.rtmp().refused],
  labels: ([code]: Refusals) => ({ code }),
  metrics: [
    {
      name: 'sluice_rtmp_refused_total',
      help: 'Connections to the RTMP listener that ended before a key was accepted, by the code of the error',
      type: 'counter',
      value: ([, count]: Refusals) => count,
    },
  ],
} as const;
