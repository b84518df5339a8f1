/** What Prometheus reads at /metrics. Values are read from their owners when asked for, not pushed on hot paths. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A camera's rendition as the hub counts it. */
export interface RenditionSample {
  readonly camera: string;
  readonly rendition: string;
  readonly isLive: boolean;
  readonly frames: number;
  readonly droppedFrames: number;
  readonly segments: number;
  readonly windowBytes: number;
  readonly instances: number;
}

/** Totals that other parts keep. */
export interface MetricsSources {
  renditions(): readonly RenditionSample[];
  viewers(): number;
  waitingRequests(): number;
  ffmpegWorkers(): { readonly running: number; readonly waiting: number };
  redisUp(): boolean;
}

interface PerCamera {
  readonly name: string;
  readonly help: string;
  readonly value: (sample: RenditionSample) => number;
}

const PER_CAMERA: readonly PerCamera[] = [
  { name: 'sluice_stream_live', help: '1 while the stream has pictures', value: (s) => (s.isLive ? 1 : 0) },
  { name: 'sluice_stream_frames_total', help: 'Video frames packaged', value: (s) => s.frames },
  { name: 'sluice_stream_dropped_frames_total', help: 'Frames given up', value: (s) => s.droppedFrames },
  { name: 'sluice_stream_segments_total', help: 'Media segments completed', value: (s) => s.segments },
  { name: 'sluice_stream_window_bytes', help: 'Bytes of media held in memory', value: (s) => s.windowBytes },
  {
    name: 'sluice_stream_instances_total',
    help: 'Connections that delivered pictures',
    value: (s) => s.instances,
  },
];

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  /** One access decision that ended in a refusal. */
  countRefusal(reason: string): void;
}

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  for (const metric of PER_CAMERA) {
    new Gauge({
      name: metric.name,
      help: metric.help,
      labelNames: ['camera', 'rendition'],
      registers,
      collect() {
        this.reset();
        for (const sample of sources.renditions()) {
          this.set({ camera: sample.camera, rendition: sample.rendition }, metric.value(sample));
        }
      },
    });
  }
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('sluice_viewers', 'Viewers seen lately on this node', () => sources.viewers());
  gauge('sluice_waiting_requests', 'LL-HLS requests that wait for a part', () => sources.waitingRequests());
  gauge('sluice_ffmpeg_workers', 'ffmpeg workers that run', () => sources.ffmpegWorkers().running);
  gauge(
    'sluice_ffmpeg_queue',
    'Streams that wait for an ffmpeg worker',
    () => sources.ffmpegWorkers().waiting,
  );
  gauge('sluice_redis_up', '1 while Redis answers, or none is configured', () => (sources.redisUp() ? 1 : 0));
  const refusals = new Counter({
    name: 'sluice_access_refusals_total',
    help: 'Media requests refused, by reason',
    labelNames: ['reason'],
    registers,
  });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    countRefusal: (reason) => refusals.inc({ reason }),
  };
}
