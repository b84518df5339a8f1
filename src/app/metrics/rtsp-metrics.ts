/** Metrics of viewers who watch by RTSP. */

export interface RtspMetricsSource {
  /** Zeros if RTSP is off. */
  rtsp(): {
    readonly views: number;
    readonly counts: { readonly sentFrames: number; readonly droppedFrames: number };
  };
}

interface RtspMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: RtspMetricsSource) => number;
}

export const RTSP_METRICS: readonly RtspMetric[] = [
  {
    name: 'sluice_rtsp_viewers',
    help: 'Connections that opened a link by RTSP',
    type: 'gauge',
    value: (s) => s.rtsp().views,
  },
  {
    name: 'sluice_rtsp_frames_total',
    help: 'Frames of video and audio sent by RTSP, each viewer counted',
    type: 'counter',
    value: (s) => s.rtsp().counts.sentFrames,
  },
  {
    name: 'sluice_rtsp_dropped_frames_total',
    help: 'Frames that viewers by RTSP did not get because they were behind',
    type: 'counter',
    value: (s) => s.rtsp().counts.droppedFrames,
  },
];
