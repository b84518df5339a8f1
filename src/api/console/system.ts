/** How the gateway is doing: state, counters, log, and a file for support. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  dateTime,
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { URGENCIES } from '../../stream/media/urgency.ts';
import { STREAM_COUNTERS, SYSTEM_COUNTERS } from '../../system/counter-history.ts';
import { LOG_LEVELS } from '../../system/log-tail.ts';
import { jsonColumns } from '../../system/support-bundle.ts';
import type { GatewayState } from '../../system/system-state.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { RETENTION_FORECAST_FIELDS } from '../types/retention-forecast.ts';
import { OPERATORS_ONLY } from './console-types.ts';

const THREAD = namedType('SystemThread', {
  name: plainText(
    '`gateway` carries the media, `api` the management API, `viewers` are the threads that viewers connect to, together.',
  ),
  state: oneOf(['running', 'idle', 'restarting'], '`idle`: it starts when there is work.'),
  starts: nullable(int32('How often it was started. More than one means that it failed.')),
  busySec: nullable(double('Seconds for which its event loop was busy.')),
  heapBytes: nullable(int64('Memory of its JavaScript objects.')),
});

const RUNNING_WORKER_FIELDS = {
  purpose: oneOf(
    ['camera', 'h264', 'mask', 'past', 'sound', 'picture', 'clip', 'other'],
    '`camera`: it reads a camera that needs one. `h264`: H.264 for players that do not know H.265. `mask`: privacy masks. `past`: H.264 of recordings. `sound`: AAC. ' +
      '`picture`: still images. `clip`: an uploaded file.',
  ),
  cameraUuid: nullable(ruuid('Its camera; absent: several, or none.')),
  cameraName: nullable(plainText('Its name.')),
  cores: double('Cores that it is expected to use.'),
  isYielding: flag('Whether it is audio or a conversion, which gives way to other work.'),
  ageMs: int64('For how long it has been running, or waiting, in milliseconds.'),
};

const RUNNING_WORKER = namedType('SystemWorker', {
  ...RUNNING_WORKER_FIELDS,
  memoryBytes: nullable(int64('Resident memory of its processes.')),
});

const WAITING_WORKER = namedType('SystemWaitingWorker', {
  ...RUNNING_WORKER_FIELDS,
  urgency: oneOf(URGENCIES, 'Whom it is for: an alarm partner, another viewer, a recording, a still image.'),
  ahead: int32('Starts that are admitted earlier, as things are.'),
  waitsFor: oneOf(
    ['workers', 'cores', 'earlier'],
    '`workers`: `ffmpeg.maxWorkers` run. `cores`: `ffmpeg.maxCores` are in use. `earlier`: only starts before it.',
  ),
});

const WORKERS = namedType('SystemWorkers', {
  running: int32('Running ffmpeg workers.'),
  maxWorkers: int32('How many can run at the same time.'),
  cores: double('Cores that the running ones are expected to use.'),
  waiting: mapOf(
    int32('Starts.'),
    'Starts that wait, by what for: `alarm`, `viewer`, `recording`, `picture`, `yielding`.',
  ),
  refused: int32('Starts that were refused since the gateway started.'),
  maxCores: nullable(double('Cores that all workers may use; absent: no limit.')),
  active: listOf(RUNNING_WORKER, 'What runs, the oldest first; the first 64.'),
  line: listOf(WAITING_WORKER, 'What waits, in the order in which it starts; the first 64.'),
});

const REDIS = namedType('SystemRedis', {
  isConnected: flag('Whether Redis answers now.'),
  since: dateTime('Since when it has been connected, or away.'),
  lastError: nullable(plainText('Why the connection was last lost.')),
});

const CLUSTER_NODE = namedType('SystemClusterNode', {
  nodeId: plainText('As in `cluster.nodeId`.'),
  isSelf: flag('Whether it is the node that answers.'),
  address: plainText('Where other nodes reach it.'),
  version: plainText('Of Sluice.'),
  isDraining: flag('Whether it gives its cameras to others and takes no new ones: it is about to stop.'),
  isReached: flag(
    'Whether the node that answers has a link to it. If not, cameras that it pulls do not play through the node that answers.',
  ),
  clockOffsetMs: nullable(
    int64(
      'By how much its clock is ahead of that of the node that answers, in milliseconds, to two seconds.',
    ),
  ),
  ownedCameras: int32('Cameras that it pulls. Other nodes have them from there.'),
  openStreams: int32('Cameras that are open there, pulled or from another node.'),
  viewers: int32('Viewers who are connected to it.'),
  busyShare: double('Share of the last seconds that its event loop was busy, from 0 to 1.'),
});

const CLUSTER = namedType('SystemCluster', {
  name: plainText('As in `cluster.name`.'),
  size: int32('Live nodes.'),
  nodes: listOf(
    CLUSTER_NODE,
    'What the live nodes say of themselves, half a second ago at most; the first 64.',
  ),
});

const DATABASE = namedType('SystemDatabase', {
  kind: oneOf(['sqlite', 'postgres'], 'SQLite in the data folder, or PostgreSQL.'),
  isReachable: flag('Whether it answers now.'),
  state: plainText('`ok`, or the code of the error.'),
  sizeBytes: nullable(int64('What it takes on its disk.')),
});

const DISK = namedType('SystemDisk', {
  use: oneOf(['data', 'recordings'], 'What the folder is for.'),
  folder: plainText('Its path.'),
  freeBytes: nullable(int64('Room that is left. Absent if the folder does not exist yet.')),
  totalBytes: nullable(int64('Size of the disk.')),
});

const FORECAST = namedType('SystemRecordingForecast', {
  ...RETENTION_FORECAST_FIELDS,
  longestKeptMs: int64('The same of the camera whose recordings stay longest.'),
  diskFullInMs: nullable(
    int64(
      'Time until the disk is full and its oldest recordings are deleted, in milliseconds. 0: it is full. Absent: there is room for all that is kept.',
    ),
  ),
});

const RECORDER = namedType('SystemRecorder', {
  activeStreams: int32('Streams that are recorded now.'),
  failedStreams: int32('Streams that cannot be written.'),
  unreadableFiles: int32('Recording files that cannot be read.'),
  waitingBytes: int64('Video that waits for the disk.'),
  isUploadFailing: flag('Whether finished recordings cannot be uploaded to S3 now.'),
  isClipUploadFailing: flag('Whether finished clips cannot be uploaded to S3 now.'),
  isH264CacheFailing: flag('Whether H.264 of recordings cannot be kept on the disk now.'),
  spoolBytes: int64('Recordings that wait for S3.'),
  spoolAgeSec: double('Age of the oldest one that waits, in seconds.'),
  minFreeBytes: int64('Room that recordings leave on the disk.'),
  use: nullable(
    Type.Object({
      recordedBytes: int64('Bytes of recordings on the disk.'),
      heldBytes: int64('Of these, what legal holds keep.'),
    }),
  ),
  forecast: nullable(FORECAST),
});

const SYSTEM_STATE_SCHEMA = namedType('SystemState', {
  version: plainText('Of Sluice.'),
  nodeId: plainText('In a cluster, that of the node; otherwise of this process, another one for each start.'),
  hostName: plainText('Of the machine.'),
  nodeVersion: plainText('Of Node.js.'),
  platform: plainText('Operating system and processor.'),
  startedAt: dateTime('When the gateway started.'),
  uptimeMs: int64('How long it has been running, in milliseconds, whatever its clock did.'),
  wallClockStepMs: int64('By how much the clock of the machine was set since the start, in milliseconds.'),
  threads: listOf(THREAD, 'Its threads.'),
  memory: listOf(
    Type.Object({ part: plainText('What takes it.'), bytes: int64('How much.') }),
    'Memory by part. `process` is all of it; the others can contain each other.',
  ),
  cameras: mapOf(int32('Cameras.'), 'Cameras of all organizations, by the state of their main stream.'),
  pausedOffline: int32('Offline cameras that are paused for maintenance.'),
  openStreams: int32('Streams that are open.'),
  liveStreams: int32('Streams that have video.'),
  viewers: int32('Viewers of all cameras.'),
  workers: WORKERS,
  redis: nullable(REDIS),
  cluster: nullable(CLUSTER),
  database: DATABASE,
  disks: listOf(DISK, 'Disks that the gateway writes to.'),
  recorder: RECORDER,
});

const SYSTEM_FINDING_SCHEMA = namedType('SystemFinding', {
  code: plainText('A stable code.'),
  severity: oneOf(['error', 'warning'], '`error`: someone must act now.'),
  sentence: plainText('What is wrong.'),
  whatToDo: plainText('What to do about it.'),
});

type SystemState = Static<typeof SYSTEM_STATE_SCHEMA>;

const getSystemState = defineEndpoint({
  path: '/api/console/getSystemState',
  summary: 'Reads how the gateway is doing.',
  description:
    `${OPERATORS_ONLY} \`findings\` says what is not as it should be, and what to do about it; the worst come first. ` +
    'An empty list means that nothing needs attention.',
  isExtension: true,
  request: Type.Object({}),
  response: {
    state: SYSTEM_STATE_SCHEMA,
    findings: listOf(SYSTEM_FINDING_SCHEMA, 'What is not as it should be.'),
  },
  example: {
    request: {},
    response: {
      state: {
        version: '0.1.0',
        nodeId: 'qqqqqqqqqqqqqqqqqqqqqg',
        hostName: 'nvr-1',
        nodeVersion: 'v26.0.0',
        platform: 'linux x64',
        startedAt: isoOf(EXAMPLE_TIME_MS),
        uptimeMs: 86_400_000,
        wallClockStepMs: 0,
        threads: [{ name: 'gateway', state: 'running', starts: 1, busySec: 512.5, heapBytes: 48_000_000 }],
        memory: [{ part: 'process', bytes: 310_000_000 }],
        cameras: { live: 12, offline: 1 },
        pausedOffline: 0,
        openStreams: 14,
        liveStreams: 13,
        viewers: 21,
        workers: {
          running: 1,
          maxWorkers: 4,
          cores: 0.3,
          waiting: { viewer: 0 },
          refused: 0,
          maxCores: 2,
          active: [
            {
              purpose: 'camera',
              cameraUuid: EXAMPLE_CAMERA_UUID,
              cameraName: 'Lobby',
              cores: 0.3,
              isYielding: false,
              ageMs: 61_000,
              memoryBytes: 84_000_000,
            },
          ],
          line: [],
        },
        redis: { isConnected: true, since: isoOf(EXAMPLE_TIME_MS), lastError: null },
        cluster: null,
        database: { kind: 'sqlite', isReachable: true, state: 'ok', sizeBytes: 4_100_000 },
        disks: [
          { use: 'recordings', folder: '/var/lib/sluice/recordings', freeBytes: 8e11, totalBytes: 1e12 },
        ],
        recorder: {
          activeStreams: 12,
          failedStreams: 0,
          unreadableFiles: 0,
          waitingBytes: 0,
          isUploadFailing: false,
          isClipUploadFailing: false,
          isH264CacheFailing: false,
          spoolBytes: 0,
          spoolAgeSec: 0,
          minFreeBytes: 4_294_967_296,
          use: { recordedBytes: 80_000_000_000, heldBytes: 2_000_000_000 },
          forecast: {
            bytesPerDay: 72_000_000_000,
            keptMs: 984_960_000,
            longestKeptMs: 2_592_000_000,
            decidedBy: 'disk',
            diskFullInMs: 864_000_000,
          },
        },
      },
      findings: [
        {
          code: 'CAMERAS_OFFLINE',
          severity: 'warning',
          sentence: '1 camera of this gateway is offline and not paused.',
          whatToDo: 'Each camera says why. `sluice check` tries them all.',
        },
      ],
    },
  },
  async handler({ caller, services }) {
    const { state, findings } = await services.system.state(caller);
    return { state: responseOf(state), findings: [...findings] };
  },
});

function responseOf({ startedAtEpochMs, redis, cluster, database, ...state }: GatewayState): SystemState {
  return {
    ...state,
    threads: [...state.threads],
    workers: {
      ...state.workers,
      active: [...state.workers.active],
      line: [...state.workers.line],
    },
    memory: [...state.memory],
    disks: [...state.disks],
    startedAt: isoOf(startedAtEpochMs),
    redis:
      redis === null
        ? null
        : {
            isConnected: redis.isConnected,
            since: isoOf(redis.sinceEpochMs),
            lastError: redis.lastError,
          },
    cluster: cluster === null ? null : { ...cluster, nodes: [...cluster.nodes] },
    database: { ...database, isReachable: database.state === 'ok' },
  };
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const getCounters = defineEndpoint({
  path: '/api/console/getCounters',
  summary: 'Reads the counters of the last hour, every ten seconds.',
  description:
    `${OPERATORS_ONLY} Without \`cameraUuid\`, those of the gateway: ${named(SYSTEM_COUNTERS)}. With it, those of one stream ` +
    `of a camera of the organization: ${named(STREAM_COUNTERS)}. All arrays are as long as \`timesMs\`; null means that ` +
    'the value was not known at that time, because the stream was closed or the gateway was too busy to look. Values per second ' +
    'are means of the ten seconds before; `droppedFrames` counts those of the ten seconds. `framesPerSec` counts frames of video ' +
    'and audio, `videoFramesPerSec` those of the video alone; both include dropped ones. `bytesInPerSec` is the media of ' +
    'open cameras as it is packaged. `cpuPercent` is of one core, so that several cores can make more than 100. ' +
    '`viewers` of a stream are those of its camera, whichever of its streams they play. The history begins with the start of ' +
    'the gateway. If its clock is set, the times of all samples follow.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: Type.Optional(deviceUuid('A camera; absent: the gateway.')),
    profile: Type.Optional(
      oneOf(
        ['main', 'sub', 'h264'],
        'A stream of the camera; `h264` is the main stream, transcoded. Default `main`.',
      ),
    ),
    sinceMs: Type.Optional(
      int64('Only samples after this time, in milliseconds since 1970. Default: all.', 0),
    ),
  }),
  response: {
    intervalMs: int32('Time between two samples, in milliseconds.'),
    timesMs: listOf(int64('Milliseconds since 1970.'), 'The times of the samples, oldest first.'),
    counters: COUNTER_COLUMNS,
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, profile: 'main', sinceMs: EXAMPLE_TIME_MS },
    response: {
      intervalMs: 10_000,
      timesMs: [EXAMPLE_TIME_MS + 10_000, EXAMPLE_TIME_MS + 20_000],
      counters: { bitsPerSec: [4_012_300, null], videoFramesPerSec: [25, null] },
    },
  },
  async handler({ caller, services }, { cameraUuid, profile = 'main', sinceMs = null }) {
    const stream = cameraUuid === undefined ? null : { cameraUuid, profile };
    const history = await services.system.counters(caller, { stream, sinceEpochMs: sinceMs });
    const { firstEpochMs, intervalMs, samples } = history;
    return {
      intervalMs,
      timesMs: Array.from({ length: samples }, (_each, i) => firstEpochMs + i * intervalMs),
      counters: jsonColumns(history),
    };
  },
});

const MAX_RECORDS = 500;
const DEFAULT_RECORDS = 100;

const LOG_RECORD_SCHEMA = namedType('LogRecord', {
  id: int64('Ascending, until the gateway restarts.'),
  thread: oneOf(['gateway', 'api'], 'The thread that wrote it.'),
  level: oneOf(LOG_LEVELS, 'Its severity.'),
  timestampMs: nullable(int64('When it was written, in milliseconds since 1970.')),
  message: plainText('A constant for each kind of record.'),
  fieldsJson: plainText('Its other fields, as a JSON object.'),
});

const getLogTail = defineEndpoint({
  path: '/api/console/getLogTail',
  summary: 'Reads the newest records of the log.',
  description:
    `${OPERATORS_ONLY} The gateway holds the last 2,000 records, and at most 4 MiB of them, of both of its threads. Passwords, keys ` +
    'and credentials in URLs are left out, as in the log itself. Records that `log.level` suppresses are not there. Without ' +
    '`afterId`, the newest records that match; with it, those that follow, oldest first. To follow the log, send `lastId` as the ' +
    'next `afterId`. If `lastId` is smaller than `afterId`, the gateway was restarted: leave `afterId` out once.',
  isExtension: true,
  request: Type.Object({
    afterId: Type.Optional(int64('Only records that are newer than this one.', 0)),
    level: Type.Optional(oneOf(LOG_LEVELS, 'The lowest severity. Default `debug`.')),
    text: Type.Optional(text('Only records that contain this, in upper or lower case.', 200)),
    limit: Type.Optional(int32(`How many records at most. Default ${DEFAULT_RECORDS}.`, 1, MAX_RECORDS)),
  }),
  response: {
    records: listOf(LOG_RECORD_SCHEMA, 'Oldest first.'),
    lastId: int64('The newest record that was looked at.'),
  },
  example: {
    request: { level: 'warn', limit: 1 },
    response: {
      records: [
        {
          id: 412,
          thread: 'gateway',
          level: 'warn',
          timestampMs: EXAMPLE_TIME_MS,
          message: 'camera offline',
          fieldsJson: '{"camera":"Lobby","code":"DIRECT_UNREACHABLE"}',
        },
      ],
      lastId: 420,
    },
  },
  async handler({ caller, services }, body) {
    const { afterId = null, level = 'debug', text: wanted = '', limit = DEFAULT_RECORDS } = body;
    const tail = await services.system.logTail(caller, { afterId, level, text: wanted, limit });
    return {
      records: tail.records.map(({ atMs, ...record }) => ({ ...record, timestampMs: atMs })),
      lastId: tail.lastId,
    };
  },
});

const createSupportBundle = defineEndpoint({
  path: '/api/console/createSupportBundle',
  summary: 'Makes a file to send to support.',
  description:
    `${OPERATORS_ONLY} The file is one JSON object, compressed with gzip, of at most 8 MiB: the state of the gateway and its ` +
    'findings, the configuration outside its lists, the counters of the last hour, the states of all camera streams by UUID, and ' +
    'the log that is in memory. It has no passwords, keys or tokens. The log can have names and addresses of cameras and of callers: ' +
    'look at it before you send it.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: {
    fileName: plainText('A name for the file.'),
    contentBase64: plainText('The file, as Base64 (RFC 4648 section 4).'),
    sizeBytes: int32('The size of the file.'),
  },
  example: {
    request: {},
    response: {
      fileName: 'sluice-support-2026-01-01T000000Z.json.gz',
      contentBase64: 'H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==',
      sizeBytes: 22,
    },
  },
  async handler({ caller, services }) {
    const { bytes, createdAtEpochMs } = await services.system.bundle(caller);
    const time = new Date(createdAtEpochMs).toISOString().replace(/\.\d+/, '').replaceAll(':', '');
    return {
      fileName: `sluice-support-${time}.json.gz`,
      contentBase64: bytes.toString('base64'),
      sizeBytes: bytes.length,
    };
  },
});

export const SYSTEM_ENDPOINTS: readonly Endpoint[] = [
  getSystemState,
  getCounters,
  getLogTail,
  createSupportBundle,
];
