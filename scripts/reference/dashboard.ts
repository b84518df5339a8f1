/** deploy/grafana/sluice.json: the dashboard for Grafana, from a table of panels. */

/** A query, and how its series are called; `{{label}}` is a label's value. */
type Query = readonly [expr: string, legend: string];

interface Panel {
  readonly title: string;
  /** As Grafana calls it. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const WIDTH = 24;
const PANELS_PER_LINE = 3;
const PANEL_HEIGHT = 8;
const NODE = '{instance=~"$node"}';
const PER_NODE = '{{instance}}';
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({
  title,
  unit,
  queries,
});
/** Queries the chosen nodes, one series for each. */
const gauge = (metric: string): Query => [`sum by (instance) (${metric}${NODE})`, PER_NODE];
const rateOf = (metric: string): string => `rate(${metric}${NODE}[$__rate_interval])`;
const rate = (metric: string): Query => [`sum by (instance) (${rateOf(metric)})`, PER_NODE];
const named = ([expr]: Query, legend: string): Query => [expr, `${legend} ${PER_NODE}`];
const quantile = (share: number, metric: string): Query => [
  `histogram_quantile(${share}, sum by (le, source) (${rateOf(`${metric}_bucket`)}))`,
  `p${share * 100} {{source}}`,
];
const ratio = (part: string, whole: string): Query => [
  `sum by (source) (${rateOf(part)}) / sum by (source) (${rateOf(whole)})`,
  '{{source}}',
];

const ROWS: readonly Row[] = [
  {
    title: 'What viewers see',
    panels: [
      panel('Viewers', 'short', gauge('sluice_viewers')),
      panel('Delay behind live', 's', ...[0.5, 0.99].map((p) => quantile(p, 'sluice_service_delay_seconds'))),
      panel(
        'First picture',
        's',
        ...[0.5, 0.99].map((p) => quantile(p, 'sluice_service_first_picture_seconds')),
      ),
      panel(
        'Time stalled',
        'percentunit',
        ratio('sluice_service_stalled_seconds_total', 'sluice_service_played_seconds_total'),
      ),
      panel('Failed requests', 'reqps', [
        `sum by (reason) (${rateOf('sluice_service_request_errors_total')})`,
        '{{reason}}',
      ]),
      panel(
        'Last 24 hours against the goal',
        'percentunit',
        [`min by (goal, source) (sluice_service_attained_ratio${NODE})`, '{{goal}} {{source}}'],
        [`max by (goal) (sluice_service_goal_ratio${NODE})`, '{{goal}}: goal'],
      ),
    ],
  },
  {
    title: 'Cameras',
    panels: [
      // Each node counts all cameras.
      panel('Cameras by state', 'short', [`max by (state) (sluice_cameras${NODE})`, '{{state}}']),
      panel('Streams offline', 'short', [
        `count by (reason) (max by (camera, profile, reason) (sluice_camera_offline${NODE}))`,
        '{{reason}}',
      ]),
      panel('Renditions with video', 'short', gauge('sluice_stream_live')),
      panel('Dropped frames', 'cps', rate('sluice_stream_dropped_frames_total')),
      panel('New connections to cameras', 'cps', rate('sluice_stream_instances_total')),
      panel('Devices that push', 'short', gauge('sluice_rtmp_publishers')),
    ],
  },
  {
    title: 'Delivery',
    panels: [
      panel(
        'Sent',
        'Bps',
        named(rate('sluice_share_sent_bytes_total'), 'viewers'),
        named(rate('sluice_cdn_sent_bytes_total'), 'caches'),
      ),
      panel('Connections', 'short', gauge('sluice_media_connections')),
      panel(
        'Refused and cut off',
        'cps',
        named(rate('sluice_media_connections_refused_total'), 'refused'),
        named(rate('sluice_media_answers_cut_total'), 'cut off'),
        named(rate('sluice_playback_refused_total'), 'recorded refused'),
      ),
      panel('Real-time viewers', 'short', gauge('sluice_realtime_sockets')),
      panel('Real-time frames dropped', 'cps', rate('sluice_realtime_dropped_frames_total')),
      panel(
        'Still images',
        'cps',
        named(rate('sluice_stills_made_total'), 'made'),
        named(rate('sluice_stills_failed_total'), 'failed'),
      ),
    ],
  },
  {
    title: 'Nodes',
    panels: [
      panel(
        'Busy threads',
        'short',
        named(rate('sluice_viewer_threads_busy_seconds_total'), 'viewers'),
        named(rate('sluice_camera_threads_busy_seconds_total'), 'cameras'),
        named(rate('sluice_api_thread_busy_seconds_total'), 'API'),
      ),
      panel('Event loop lag (p99)', 's', gauge('nodejs_eventloop_lag_p99_seconds')),
      panel('Processor', 'short', rate('process_cpu_seconds_total')),
      panel(
        'Memory',
        'bytes',
        named(gauge('process_resident_memory_bytes'), 'process'),
        named(gauge('sluice_media_blocks_used_bytes'), 'live video'),
      ),
      panel(
        'Descriptors',
        'short',
        named(gauge('process_open_fds'), 'open'),
        named(gauge('process_max_fds'), 'limit'),
      ),
      panel('Redis answers', 'short', gauge('sluice_redis_up')),
    ],
  },
  {
    title: 'Workers',
    panels: [
      panel('ffmpeg workers', 'short', gauge('sluice_ffmpeg_workers')),
      panel('Cores they are expected to use', 'short', gauge('sluice_ffmpeg_cores')),
      panel('Waiting for a worker', 'short', [
        `sum by (urgency) (sluice_ffmpeg_queue${NODE})`,
        '{{urgency}}',
      ]),
    ],
  },
  {
    title: 'Recording',
    panels: [
      panel(
        'Streams',
        'short',
        named(gauge('sluice_recording_active'), 'recorded'),
        named(gauge('sluice_recording_failed'), 'failed'),
      ),
      panel('Written', 'Bps', rate('sluice_recording_bytes_total')),
      panel('Dropped segments', 'cps', rate('sluice_recording_dropped_segments_total')),
      panel('Not uploaded yet', 'bytes', gauge('sluice_recording_spool_bytes')),
      panel('Oldest of these', 's', gauge('sluice_recording_spool_oldest_seconds')),
      panel('Uploads to S3 fail', 'short', gauge('sluice_recording_upload_failing')),
      panel('Uploads of clips to S3 fail', 'short', gauge('sluice_clip_upload_failing')),
    ],
  },
];

/** The text of deploy/grafana/sluice.json. */
export function renderDashboard(): string {
  const dashboard = {
    uid: 'sluice',
    title: 'Sluice',
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasourceVariable(), nodeVariable()] },
    panels: placedPanels(),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function datasourceVariable() {
  return { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' };
}

function nodeVariable() {
  const query = 'label_values(sluice_viewers, instance)';
  return {
    name: 'node',
    type: 'query',
    label: 'Node',
    datasource: DATASOURCE,
    query,
    refresh: 2,
    multi: true,
    includeAll: true,
    current: { text: 'All', value: '$__all' },
  };
}

/** Rows from top to bottom, each with its panels from left to right. */
function placedPanels(): object[] {
  const placed: object[] = [];
  const width = WIDTH / PANELS_PER_LINE;
  let y = 0;
  for (const { title, panels } of ROWS) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
      panels: [],
    });
    y += 1;
    panels.forEach(({ title, unit, queries }, index) => {
      const line = Math.floor(index / PANELS_PER_LINE);
      const gridPos = {
        x: (index % PANELS_PER_LINE) * width,
        y: y + line * PANEL_HEIGHT,
        w: width,
        h: PANEL_HEIGHT,
      };
      placed.push({
        id: placed.length + 1,
        type: 'timeseries',
        title,
        datasource: DATASOURCE,
        gridPos,
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: queries.map(([expr, legendFormat], target) => ({
          refId: String.fromCharCode('A'.charCodeAt(0) + target),
          expr,
          legendFormat,
        })),
      });
    });
    y += Math.ceil(panels.length / PANELS_PER_LINE) * PANEL_HEIGHT;
  }
  return placed;
}
