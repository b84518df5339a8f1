/** Metrics of viewers in real time: WebSockets with access units, and with sound. */

/** Figures of their owners. */
export interface RealTimeMetricsSource {
  pictureSockets(): {
    readonly size: number;
    readonly counts: { readonly sentFrames: number; readonly droppedFrames: number };
  };
  soundSockets(): { readonly size: number };
}

interface RealTimeMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: RealTimeMetricsSource) => number;
}

export const REAL_TIME_METRICS: readonly RealTimeMetric[] = [
  {
    name: 'sluice_realtime_sockets',
    help: 'Open WebSockets of real-time viewers',
    type: 'gauge',
    value: (s) => s.pictureSockets().size,
  },
  {
    name: 'sluice_realtime_frames_total',
    help: 'Frames sent to real-time viewers, each viewer counted',
    type: 'counter',
    value: (s) => s.pictureSockets().counts.sentFrames,
  },
  {
    name: 'sluice_realtime_dropped_frames_total',
    help: 'Frames that real-time viewers did not get because they were behind',
    type: 'counter',
    value: (s) => s.pictureSockets().counts.droppedFrames,
  },
  {
    name: 'sluice_realtime_sound_sockets',
    help: 'Open WebSockets with live sound',
    type: 'gauge',
    value: (s) => s.soundSockets().size,
  },
];
