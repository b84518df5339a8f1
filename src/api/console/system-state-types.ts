/** The types of what the gateway says about itself. */

import { Type } from 'typebox';
import {
  dateTime,
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
} from '../../http/fields/field-types.ts';
import { URGENCIES } from '../../stream/media/urgency.ts';

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
    ['camera', 'h264', 'sound', 'picture', 'clip', 'other'],
    '`camera`: it reads a camera that needs one. `h264`: H.264 for players that do not know H.265. `sound`: AAC. ' +
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
  maxWorkers: int32('How many can run at once.'),
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

const RECORDER = namedType('SystemRecorder', {
  activeStreams: int32('Streams that are recorded now.'),
  failedStreams: int32('Streams that cannot be written.'),
  waitingBytes: int64('Video that waits for the disk.'),
  isUploadFailing: flag('Whether finished recordings cannot be uploaded to S3 now.'),
  isClipUploadFailing: flag('Whether finished clips cannot be uploaded to S3 now.'),
  spoolBytes: int64('Recordings that wait for S3.'),
  spoolAgeSec: double('Age of the oldest one that waits, in seconds.'),
  minFreeBytes: int64('Room that recordings leave on the disk.'),
});

export const SYSTEM_STATE_SCHEMA = namedType('SystemState', {
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

export const SYSTEM_FINDING_SCHEMA = namedType('SystemFinding', {
  code: plainText('A stable code.'),
  severity: oneOf(['error', 'warning'], '`error`: someone must act now.'),
  sentence: plainText('What is wrong.'),
  whatToDo: plainText('What to do about it.'),
});
