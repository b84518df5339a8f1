/** Metrics for Prometheus at /metrics. Values are read from their owners on request, not pushed on hot paths. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { BY_CLOCK, type ClockMetricsSource } from './clock-metrics.ts';
import { BY_ROLE, CLUSTER_METRICS, type ClusterMetricsSource } from './cluster-metrics.ts';
import { MEMORY_METRICS, type MemoryMetricsSource } from './memory-metrics.ts';
import { REAL_TIME_METRICS, type RealTimeMetricsSource } from './real-time-metrics.ts';
import { BY_RECORDING, RECORDING_METRICS, type RecordingMetricsSource } from './recording-metrics.ts';
import { BY_RTMP_REFUSAL, RTMP_METRICS, type RtmpMetricsSource } from './rtmp-metrics.ts';
import { RTSP_METRICS, type RtspMetricsSource } from './rtsp-metrics.ts';
import { registerServiceMetrics, SERVICE_METRICS, type ServiceMetricsSource } from './service-metrics.ts';
import { BY_CERTIFICATE, type TlsMetricsSource } from './tls-metrics.ts';
import { BY_UPLOAD_FAILURE, UPLOAD_METRICS, type UploadMetricsSource } from './upload-metrics.ts';
import { BY_URGENCY, WORKER_METRICS, type WorkerMetricsSource } from './worker-metrics.ts';

/** A camera's rendition as the hub counts it. */
export interface RenditionSample {
  readonly camera: string;
  /** The camera's. */
  readonly name: string;
  readonly rendition: string;
  readonly isLive: boolean;
  readonly frames: number;
  readonly droppedFrames: number;
  readonly joiningFrames: number;
  readonly segments: number;
  readonly windowBytes: number;
  readonly overdueBytes: number;
  readonly instances: number;
}

/** Number of cameras by state of their connection. */
export interface CameraCount {
  readonly state: string;
  readonly cameras: number;
}

/** A camera stream that is offline, and why. Empty strings: unknown. */
export interface OfflineSample {
  readonly camera: string;
  readonly name: string;
  readonly profile: string;
  readonly reason: string;
  readonly code: string;
  readonly host: string;
  readonly port: string;
  readonly errno: string;
}

/** A share that is or was watched. Empty strings: counted together with others. */
export interface ShareSample {
  readonly share: string;
  readonly name: string;
  readonly camera: string;
  readonly cameraName: string;
  readonly viewers: number;
  readonly sentBytes: number;
}

/** Totals that other parts keep. */
export interface MetricsSources
  extends RealTimeMetricsSource,
    RecordingMetricsSource,
    UploadMetricsSource,
    RtmpMetricsSource,
    RtspMetricsSource,
    TlsMetricsSource,
    MemoryMetricsSource,
    ClockMetricsSource,
    ClusterMetricsSource,
    WorkerMetricsSource {
  readonly service: ServiceMetricsSource;
  cameras(): readonly CameraCount[];
  offline(): readonly OfflineSample[];
  shares(): readonly ShareSample[];
  renditions(): readonly RenditionSample[];
  viewers(): number;
  mediaConnections(): { readonly open: number; readonly madeRoom: number; readonly refused: number };
  mediaResponses(): {
    readonly size: number;
    cuts(): Readonly<Record<'access' | 'too-slow' | 'recalled', number>>;
  };
  sharedMedia(): { readonly responses: number; readonly bytes: number };
  stills(): {
    readonly counts: {
      readonly made: number;
      readonly failed: number;
      readonly shared: number;
      readonly makingSec: number;
    };
    readonly cachedBytes: number;
  };
  pastBudget(): { readonly requests: number; readonly bytes: number; readonly refused: number };
  apiThread(): { readonly starts: number; readonly busySec: number };
  /** Zeros if there are none. */
  viewerThreads(): { readonly starts: number; readonly busySec: number; readonly windows: number };
  /** Zeros if there are none. */
  cameraThreads(): { readonly starts: number; readonly busySec: number; readonly streams: number };
}

interface MetricDefinition<Source> {
  readonly name: string;
  readonly help: string;
  /** A counter only grows while its camera is open. */
  readonly type: 'gauge' | 'counter';
  /** null: no series. */
  readonly value: (source: Source) => number | null;
}

/** One series for each of many things. */
interface SampledMetrics<Sample> {
  readonly labelNames: readonly string[];
  readonly samples: (sources: MetricsSources) => readonly Sample[];
  readonly labels: (sample: Sample) => Record<string, string>;
  readonly metrics: readonly MetricDefinition<Sample>[];
}

/** Metrics of open renditions. */
const PER_RENDITION: readonly MetricDefinition<RenditionSample>[] = [
  {
    name: 'sluice_stream_live',
    help: '1 while the stream has video',
    type: 'gauge',
    value: (s) => (s.isLive ? 1 : 0),
  },
  {
    name: 'sluice_stream_frames_total',
    help: 'Video and audio frames that arrived, including dropped ones',
    type: 'counter',
    value: (s) => s.frames,
  },
  {
    name: 'sluice_stream_dropped_frames_total',
    help: 'Frames dropped',
    type: 'counter',
    value: (s) => s.droppedFrames,
  },
  {
    name: 'sluice_stream_joining_frames_total',
    help: 'Frames that came before the first key frame of a connection or of this rendition, and were left out; not a loss',
    type: 'counter',
    value: (s) => s.joiningFrames,
  },
  {
    name: 'sluice_stream_segments_total',
    help: 'Media segments started',
    type: 'counter',
    value: (s) => s.segments,
  },
  {
    name: 'sluice_stream_window_bytes',
    help: 'Bytes of media held in memory',
    type: 'gauge',
    value: (s) => s.windowBytes,
  },
  {
    name: 'sluice_stream_overdue_bytes',
    help: 'Bytes of media that left the live window while they were being sent',
    type: 'gauge',
    value: (s) => s.overdueBytes,
  },
  {
    name: 'sluice_stream_instances_total',
    help: 'Connections that streamed video',
    type: 'counter',
    value: (s) => s.instances,
  },
];

const PER_GATEWAY: readonly MetricDefinition<MetricsSources>[] = [
  {
    name: 'sluice_cdn_responses_total',
    help: 'Segments and parts sent under paths that viewers share: what caches fetched',
    type: 'counter',
    value: (s) => s.sharedMedia().responses,
  },
  {
    name: 'sluice_cdn_sent_bytes_total',
    help: 'Bytes of these, which count for no share',
    type: 'counter',
    value: (s) => s.sharedMedia().bytes,
  },
  {
    name: 'sluice_api_thread_busy_seconds_total',
    help: "Seconds that the event loop of the API's thread was busy",
    type: 'counter',
    value: (s) => s.apiThread().busySec,
  },
  {
    name: 'sluice_api_thread_starts_total',
    help: "Starts of the API's thread; more than one means that it failed",
    type: 'counter',
    value: (s) => s.apiThread().starts,
  },
  {
    name: 'sluice_camera_threads_busy_seconds_total',
    help: 'Time for which the event loops of the camera threads were busy, together',
    type: 'counter',
    value: (s) => s.cameraThreads().busySec,
  },
  {
    name: 'sluice_camera_threads_starts_total',
    help: 'Camera threads started: more than threads.cameras means that one failed',
    type: 'counter',
    value: (s) => s.cameraThreads().starts,
  },
  {
    name: 'sluice_camera_threads_streams',
    help: 'Streams of cameras that the camera threads read, together',
    type: 'gauge',
    value: (s) => s.cameraThreads().streams,
  },
  {
    name: 'sluice_viewer_threads_busy_seconds_total',
    help: 'Time for which the event loops of the viewer threads were busy, together',
    type: 'counter',
    value: (s) => s.viewerThreads().busySec,
  },
  {
    name: 'sluice_viewer_threads_starts_total',
    help: 'Viewer threads started: more than threads.viewers means that one failed',
    type: 'counter',
    value: (s) => s.viewerThreads().starts,
  },
  {
    name: 'sluice_viewer_threads_windows',
    help: 'Live windows that the viewer threads mirror, together',
    type: 'gauge',
    value: (s) => s.viewerThreads().windows,
  },
  ...RECORDING_METRICS,
  ...UPLOAD_METRICS,
  ...RTMP_METRICS,
  ...RTSP_METRICS,
  ...MEMORY_METRICS,
  ...WORKER_METRICS,
  {
    name: 'sluice_viewers',
    help: 'Viewers seen recently on this node',
    type: 'gauge',
    value: (s) => s.viewers(),
  },
  {
    name: 'sluice_media_connections',
    help: 'Open connections to the media listener',
    type: 'gauge',
    value: (s) => s.mediaConnections().open,
  },
  {
    name: 'sluice_media_connections_closed_total',
    help: 'Idle connections to the media listener that were closed to make room for new ones',
    type: 'counter',
    value: (s) => s.mediaConnections().madeRoom,
  },
  {
    name: 'sluice_media_connections_refused_total',
    help: 'Connections that the media listener had no room for',
    type: 'counter',
    value: (s) => s.mediaConnections().refused,
  },
  {
    name: 'sluice_media_answers',
    help: 'Media responses being sent',
    type: 'gauge',
    value: (s) => s.mediaResponses().size,
  },
  {
    name: 'sluice_media_answers_cut_total',
    help: 'Media responses that were cut off: access ended, read too slowly, or memory recalled',
    type: 'counter',
    value: (s) => {
      const cuts = s.mediaResponses().cuts();
      return cuts.access + cuts['too-slow'] + cuts.recalled;
    },
  },
  ...REAL_TIME_METRICS,
  {
    name: 'sluice_stills_made_total',
    help: 'Still images decoded and encoded',
    type: 'counter',
    value: (s) => s.stills().counts.made,
  },
  {
    name: 'sluice_stills_shared_total',
    help: 'Requests for still images that needed no new one',
    type: 'counter',
    value: (s) => s.stills().counts.shared,
  },
  {
    name: 'sluice_stills_failed_total',
    help: 'Still images that could not be made, or not in time',
    type: 'counter',
    value: (s) => s.stills().counts.failed,
  },
  {
    name: 'sluice_stills_making_seconds_total',
    help: 'Time from request to image, of the still images made',
    type: 'counter',
    value: (s) => s.stills().counts.makingSec,
  },
  {
    name: 'sluice_stills_cached_bytes',
    help: 'Still images kept in memory',
    type: 'gauge',
    value: (s) => s.stills().cachedBytes,
  },
  {
    name: 'sluice_playback_requests',
    help: 'Requests for recorded media that are being read',
    type: 'gauge',
    value: (s) => s.pastBudget().requests,
  },
  {
    name: 'sluice_playback_bytes',
    help: 'Bytes of recorded media in memory for viewers',
    type: 'gauge',
    value: (s) => s.pastBudget().bytes,
  },
  {
    name: 'sluice_playback_refused_total',
    help: 'Requests for recorded media that were refused because too many were being read',
    type: 'counter',
    value: (s) => s.pastBudget().refused,
  },
  ...CLUSTER_METRICS,
];

const BY_RENDITION: SampledMetrics<RenditionSample> = {
  labelNames: ['camera', 'name', 'rendition'],
  samples: (sources) => sources.renditions(),
  labels: ({ camera, name, rendition }) => ({ camera, name, rendition }),
  metrics: PER_RENDITION,
};

const BY_STATE: SampledMetrics<CameraCount> = {
  labelNames: ['state'],
  samples: (sources) => sources.cameras(),
  labels: ({ state }) => ({ state }),
  metrics: [
    {
      name: 'sluice_cameras',
      help: 'Cameras by state: not-checked, connecting, live, reachable (closed, and working at the last contact), offline',
      type: 'gauge',
      value: (s) => s.cameras,
    },
  ],
};

const BY_OFFLINE_STREAM: SampledMetrics<OfflineSample> = {
  labelNames: ['camera', 'name', 'profile', 'reason', 'code', 'host', 'port', 'errno'],
  samples: (sources) => sources.offline(),
  labels: (sample) => ({ ...sample }),
  metrics: [
    {
      name: 'sluice_camera_offline',
      help: 'Always 1: a camera stream whose last contact failed, and why',
      type: 'gauge',
      value: () => 1,
    },
  ],
};

/**
 * Metrics of shares that are watched, or have been since the start; deleted ones end, and those beyond 2,000 are one
 * series.
 */
const BY_SHARE: SampledMetrics<ShareSample> = {
  labelNames: ['share', 'name', 'camera', 'camera_name'],
  samples: (sources) => sources.shares(),
  labels: ({ share, name, camera, cameraName }) => ({ share, name, camera, camera_name: cameraName }),
  metrics: [
    {
      name: 'sluice_share_viewers',
      help: 'Viewers of the share seen recently on this node',
      type: 'gauge',
      value: (s) => s.viewers,
    },
    {
      name: 'sluice_share_sent_bytes_total',
      help: 'Bytes of playlists and media sent to viewers of the share',
      type: 'counter',
      value: (s) => s.sentBytes,
    },
  ],
};

/** A timer measures the lag: at 10 ms, it would take a third of a percent of a core. It is part of the measured values. */
const LAG_RESOLUTION_MS = 50;

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
}

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
  registerSampled(registry, BY_RENDITION, sources);
  registerSampled(registry, BY_CLOCK, sources);
  registerSampled(registry, BY_URGENCY, sources);
  registerSampled(registry, BY_STATE, sources);
  registerSampled(registry, BY_OFFLINE_STREAM, sources);
  registerSampled(registry, BY_SHARE, sources);
  registerSampled(registry, BY_RECORDING, sources);
  registerSampled(registry, BY_UPLOAD_FAILURE, sources);
  registerSampled(registry, BY_RTMP_REFUSAL, sources);
  registerSampled(registry, BY_CERTIFICATE, sources);
  registerSampled(registry, BY_ROLE, sources);
  for (const { name, help, type, value } of PER_GATEWAY) {
    const Metric = type === 'counter' ? Counter : Gauge;
    new Metric({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(value(sources) ?? 0);
      },
    });
  }
  registerServiceMetrics(registry, sources.service);
  return { contentType: registry.contentType, render: () => registry.metrics() };
}

function registerSampled<Sample>(
  registry: Registry,
  { labelNames, samples, labels, metrics }: SampledMetrics<Sample>,
  sources: MetricsSources,
): void {
  for (const { name, help, type, value } of metrics) {
    const Metric = type === 'counter' ? Counter : Gauge;
    new Metric({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const sample of samples(sources)) {
          const amount = value(sample);
          if (amount !== null) this.inc(labels(sample), amount);
        }
      },
    });
  }
}

/** docs/reference/metrics.md. */
export function renderMetricsReference(): string {
  const row = (labels: string) => (metric: { name: string; help: string; type: string }) =>
    `| \`${metric.name}\` | ${metric.type} | ${labels} | ${metric.help} |`;
  const rowsOf = <Sample>({ labelNames, metrics }: SampledMetrics<Sample>): string[] =>
    metrics.map(row(labelNames.map((label) => `\`${label}\``).join(', ')));
  return [
    '# Metrics',
    '',
    'Generated from `src/app/metrics/metrics.ts` by `npm run docs`. The API listener serves these at `/metrics`, in the Prometheus',
    "text format, together with the runtime's own metrics (`process_…`, `nodejs_…`).",
    '',
    '| name | type | labels | meaning |',
    '|---|---|---|---|',
    ...rowsOf(BY_RENDITION),
    ...rowsOf(BY_CLOCK),
    ...rowsOf(BY_URGENCY),
    ...rowsOf(BY_STATE),
    ...rowsOf(BY_OFFLINE_STREAM),
    ...rowsOf(BY_SHARE),
    ...rowsOf(BY_RECORDING),
    ...rowsOf(BY_UPLOAD_FAILURE),
    ...rowsOf(BY_RTMP_REFUSAL),
    ...rowsOf(BY_CERTIFICATE),
    ...rowsOf(BY_ROLE),
    ...PER_GATEWAY.map(row('')),
    ...SERVICE_METRICS.map((metric) =>
      row(metric.labelNames.map((label) => `\`${label}\``).join(', '))(metric),
    ),
    '',
  ].join('\n');
}
