/** The state of the gateway's thread and of everything that it knows about: for the console and for support bundles. */

import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Clock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { pausedCameras } from '../../events/camera-pauses.ts';
import { shownConnectionState } from '../../stream/camera-connection.ts';
import type { CounterHistory } from '../../system/counter-history.ts';
import type { LogMemory } from '../../system/log-memory.ts';
import type { DiskState, GatewayState, MemoryPart, ThreadState } from '../../system/system-state.ts';
import { allBlockBytes } from '../camera-threads/all-block-bytes.ts';
import { recordingsFolder } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { residentBytes } from '../metrics/history-sources.ts';
import { countCameras } from '../metrics/metric-samples.ts';
import { residentBytesOfTree } from '../process/process-memory.ts';
import { readVersion } from '../process/version.ts';
import { certificateStates } from './certificates.ts';
import type { FrontDoorStage } from './start-front-door.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

/** Limit for each kind; a person does not read more. */
const MAX_LISTED_WORKERS = 64;

export interface GatewayStateParts {
  readonly stored: StoreStage;
  readonly media: MediaStage;
  readonly door: FrontDoorStage;
  readonly cluster: Cluster | null;
  readonly config: Config;
  readonly clock: Clock;
  readonly history: CounterHistory;
  readonly logMemory: LogMemory;
}

/** A function that reads the state. The time of this call is the time of the start. */
export function createGatewayState(parts: GatewayStateParts): () => Promise<GatewayState> {
  const { clock, config, stored, door, media, cluster } = parts;
  const nodeId = cluster?.nodeId ?? newRuuid();
  const version = readVersion();
  const startMonoMs = clock.monoMs();
  const startEpochMs = clock.epochMs();
  return async () => {
    const [database, disks, workers, pausedOffline, use, forecast] = await Promise.all([
      databaseState(stored, door, config),
      disksOf(config),
      workersOf(media),
      countPausedOffline(stored, media, clock.epochMs()),
      recordedUse(stored, config),
      media.recording.forecast().catch(() => null),
    ]);
    const uptimeMs = Math.round(clock.monoMs() - startMonoMs);
    return {
      version,
      nodeId,
      hostName: hostname(),
      nodeVersion: process.version,
      platform: `${process.platform} ${process.arch}`,
      startedAtEpochMs: startEpochMs,
      uptimeMs,
      wallClockStepMs: Math.round(clock.epochMs() - startEpochMs - uptimeMs),
      threads: threadsOf(parts),
      memory: memoryOf(parts),
      cameras: Object.fromEntries(countCameras(media.hub).map(({ state, cameras }) => [state, cameras])),
      pausedOffline,
      signatures: signaturesOf(media),
      ...streamsOf(media),
      viewers: door.sessions.viewers,
      workers,
      redis: door.counters.connection(),
      cluster: cluster?.state() ?? null,
      database,
      disks,
      certificates: certificateStates(stored.certificates),
      ignoredSettings: stored.settingsState.ignored,
      recorder: { ...recorderOf(media, config), use, forecast: forecast?.total ?? null },
    };
  };
}

function signaturesOf({ hub }: MediaStage): GatewayState['signatures'] {
  let [changed, stopped] = [0, 0];
  for (const { signing } of hub.all()) {
    if (signing.state === 'changed') changed++;
    else if (signing.state === 'stopped') stopped++;
  }
  return { changed, stopped };
}

async function workersOf({ decoders, hub }: MediaStage): Promise<GatewayState['workers']> {
  const { running, maxWorkers, cores, waiting, refused } = decoders.workers.sample;
  const { maxCores, running: active, waiting: line } = decoders.workers.overview(MAX_LISTED_WORKERS);
  const named = <Entry extends { readonly cameraUuid: Ruuid | null }>(entry: Entry) => ({
    ...entry,
    cameraName: entry.cameraUuid === null ? null : (hub.get(entry.cameraUuid)?.name ?? null),
  });
  return {
    running,
    maxWorkers,
    cores,
    waiting,
    refused,
    maxCores,
    line: line.map(named),
    active: await Promise.all(
      active.map(async ({ pid, ...entry }) => ({
        ...named(entry),
        memoryBytes: pid === null ? null : await residentBytesOfTree(pid),
      })),
    ),
  };
}

function threadsOf({ stored, media, door, config }: GatewayStateParts): ThreadState[] {
  const unknown = { starts: null, busySec: null, heapBytes: null };
  const gateway: ThreadState = {
    name: 'gateway',
    state: 'running',
    starts: 1,
    busySec: performance.eventLoopUtilization().active / 1_000,
    heapBytes: process.memoryUsage().heapUsed,
  };
  const { starts, busySec } = stored.apiThread;
  const threads: ThreadState[] = [
    gateway,
    { name: 'api', state: 'running', starts, busySec, heapBytes: null },
    ...viewerThreadsOf(door),
    ...cameraThreadsOf(media),
    { ...unknown, name: 'recorder', state: media.recording.isRunning() ? 'running' : 'idle' },
    { ...unknown, name: 'uploads', state: door.uploads.service.running.size > 0 ? 'running' : 'idle' },
  ];
  if (config.database === null) threads.push({ ...unknown, name: 'database', state: 'running' });
  return threads;
}

/** Together. */
function viewerThreadsOf({ viewerThreads }: FrontDoorStage): ThreadState[] {
  if (viewerThreads === null) return [];
  const { starts } = viewerThreads;
  return [
    { name: 'viewers', state: 'running', starts, busySec: viewerThreads.state().busySec, heapBytes: null },
  ];
}

/** Together. */
function cameraThreadsOf({ cameraThreads }: MediaStage): ThreadState[] {
  if (cameraThreads === null) return [];
  const { starts, busySec } = cameraThreads.state();
  return [{ name: 'cameras', state: 'running', starts, busySec, heapBytes: null }];
}

function memoryOf({ media, door, history, logMemory }: GatewayStateParts): MemoryPart[] {
  const { used, free } = allBlockBytes(media.cameraThreads);
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return [
    { part: 'process', bytes: residentBytes() ?? 0 },
    { part: 'gatewayHeap', bytes: heapUsed },
    { part: 'gatewayExternal', bytes: external },
    { part: 'gatewayBuffers', bytes: arrayBuffers },
    { part: 'liveVideo', bytes: used },
    { part: 'liveVideoFree', bytes: free },
    { part: 'recorderWaiting', bytes: media.recording.waitingBytes() },
    { part: 'playback', bytes: door.frontDoor.pastBudget.bytes },
    { part: 'stills', bytes: door.stills.cachedBytes },
    { part: 'counterHistory', bytes: history.byteLength },
    { part: 'logTail', bytes: logMemory.byteLength },
  ];
}

/** None if the store does not say. */
async function countPausedOffline(
  { store }: StoreStage,
  { hub }: MediaStage,
  nowMs: number,
): Promise<number> {
  const paused = await pausedCameras(store, nowMs).catch(() => new Set<Ruuid>());
  let count = 0;
  for (const uuid of paused) {
    const camera = hub.get(uuid);
    if (camera !== undefined && shownConnectionState(camera.report().main) === 'offline') count += 1;
  }
  return count;
}

function streamsOf({ hub }: MediaStage): { openStreams: number; liveStreams: number } {
  let openStreams = 0;
  let liveStreams = 0;
  for (const camera of hub.all()) {
    for (const profile of camera.profiles()) {
      const { state } = profile.state();
      if (state !== 'idle') openStreams += 1;
      if (state === 'live') liveStreams += 1;
    }
  }
  return { openStreams, liveStreams };
}

async function recordedUse({ store }: StoreStage, { s3 }: Config): Promise<GatewayState['recorder']['use']> {
  if (s3.bucket !== null) return null;
  try {
    const usage = await store.recordings.usage();
    const owners = new Set((await store.recordingHolds.list()).map(({ orgUuid }) => orgUuid));
    let heldBytes = 0;
    for (const owner of owners) heldBytes += await store.recordingHolds.byteLength(owner, null);
    return { recordedBytes: usage.reduce((sum, { byteLength }) => sum + byteLength, 0), heldBytes };
  } catch {
    // The state of the database says why.
    return null;
  }
}

function recorderOf(
  { recording }: MediaStage,
  config: Config,
): Omit<GatewayState['recorder'], 'use' | 'forecast'> {
  const states = recording.samples().map(({ state }) => state);
  const { byteLength, oldestAgeSec } = recording.spool();
  return {
    activeStreams: states.filter((state) => state === 'recording').length,
    failedStreams: states.filter((state) => state === 'failed').length,
    unreadableFiles: recording.unreadableFiles(),
    waitingBytes: recording.waitingBytes(),
    isUploadFailing: recording.isUploadFailing(),
    isClipUploadFailing: recording.clipUploads.isFailing,
    isH264CacheFailing: recording.h264Cache.isFailing(),
    spoolBytes: byteLength,
    spoolAgeSec: oldestAgeSec,
    minFreeBytes: config.recording.minFreeBytes,
  };
}

/** As for /readyz: the state is that of reading and of writing. */
async function databaseState(
  { store }: StoreStage,
  { readiness }: FrontDoorStage,
  { database }: Config,
): Promise<GatewayState['database']> {
  const { checks } = await readiness();
  const kind = database === null ? 'sqlite' : 'postgres';
  const state = checks.store ?? 'ok';
  try {
    return { kind, state, sizeBytes: await store.sizeBytes() };
  } catch (thrown) {
    return { kind, state: state === 'ok' ? toGatewayError(thrown).code : state, sizeBytes: null };
  }
}

/** A folder that does not exist yet has the room of its parent, so there is nothing to say about it. */
function disksOf(config: Config): Promise<DiskState[]> {
  const folders = [
    { use: 'data', folder: config.data },
    { use: 'recordings', folder: recordingsFolder(config) },
  ] as const;
  return Promise.all(
    folders.map(async ({ use, folder }) => {
      try {
        const { bavail, blocks, bsize } = await statfs(folder);
        return { use, folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
      } catch {
        // It is made when something is recorded.
        return { use, folder, freeBytes: null, totalBytes: null };
      }
    }),
  );
}
