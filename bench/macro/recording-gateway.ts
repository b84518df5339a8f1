/** Child module: the gateway's side of the recording benchmark, cameras in, live windows and recordings out. */

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { Recorder, type RecordingSample } from '../../src/recording/recorder.ts';
import { recorderThread } from '../../src/recording/recorder-thread.ts';
import { RecordingCatalog } from '../../src/recording/recording-catalog.ts';
import { RecordingKeeper } from '../../src/recording/recording-keeper.ts';
import type { RecordedStream } from '../../src/recording/segment-index.ts';
import { createRingMemory } from '../../src/recording/shared-ring.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { StreamHub } from '../../src/stream/hub.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { addCounts, CountedSource, type FrameCounts } from '../support/frame-ledger.ts';

export interface RecordingSampleOfAll {
  readonly usage: ProcessUsage;
  readonly frames: FrameCounts;
  /** Frames the packagers refused. */
  readonly unpackaged: number;
  readonly segments: number;
  readonly droppedSegments: number;
  readonly recordedBytes: number;
  readonly waitingBytes: number;
  readonly recordings: readonly RecordingSample['state'][];
}

export interface RecordingGatewayCalls {
  /** Opens the cameras; resolves when all play. Recordings go to `folder`, the store is in `database`. */
  open(options: {
    readonly urls: readonly string[];
    readonly folder: string;
    readonly database: string;
    readonly timeoutMs: number;
  }): Promise<void>;
  /** Records all cameras, or none. */
  record(isOn: boolean): void;
  sample(nothing: null): RecordingSampleOfAll;
  close(nothing: null): Promise<void>;
}

const TICKS_PER_FRAME = 3_600;
/** A quarter of the default: each camera begins a file in the measured minute. */
const FILE_BYTES = 32 * 1_048_576;
const RING_BYTES = 64 * 1_048_576;
const SYNC_INTERVAL_MS = 5_000;
const OPEN_INTERVAL_MS = 10;
const POLL_INTERVAL_MS = 50;
const LIMITS = {
  keepMs: 86_400_000,
  keepSubMs: 86_400_000,
  keepKeyFramesMs: null,
  keepForSharesMs: 86_400_000,
  maxCameraBytes: null,
  maxOrganizationBytes: null,
  minFreeBytes: 0,
};

interface Running {
  readonly hub: StreamHub;
  readonly recorder: Recorder;
  readonly keeper: RecordingKeeper;
  readonly catalog: RecordingCatalog;
  readonly store: Store;
}

const sources: CountedSource[] = [];
const streams: RecordedStream[] = [];
let running: Running | null = null;

async function start(folder: string, database: string): Promise<Running> {
  const fieldKey = Buffer.alloc(32, 7);
  const store = await openStore({ kind: 'sqlite', path: database, fieldKey, clock: systemClock });
  const { recordings } = store;
  const common = { clock: systemClock, log: silentLog };
  const recorder: Recorder = new Recorder({
    ...common,
    launch: recorderThread({
      storage: { folder, key: fieldKey, s3: null },
      isEncrypting: false,
      signing: { secret: fieldKey, generation: 1 },
      limits: { fileBytes: FILE_BYTES, syncIntervalMs: SYNC_INTERVAL_MS, minFreeBytes: 0, heldBytes: 0 },
    }),
    createRing: () => createRingMemory(RING_BYTES),
    onFile: (file) => keeper.finished(file),
    onUnfinished: (stream, number) => keeper.repair(stream, number),
    onStarted: () => keeper.begin(),
    onFull: () => keeper.sweepSoon(),
  });
  const openFile: ConstructorParameters<typeof RecordingCatalog>[0]['openFile'] = (stream) =>
    recorder.openFile(stream);
  const catalog = new RecordingCatalog({ ...common, recordings, openFile });
  const keeper = new RecordingKeeper({ ...common, recorder, catalog, recordings, limits: LIMITS });
  const hub = createBenchHub({ tapFor: (cameraUuid, rendition) => recorder.tap({ cameraUuid, rendition }) });
  return { hub, recorder, keeper, catalog, store };
}

const calls: RecordingGatewayCalls = {
  async open({ urls, folder, database, timeoutMs }) {
    running = await start(folder, database);
    const { hub } = running;
    for (const url of urls) {
      const uuid = newRuuid();
      const direct = new DirectRtspSource({
        url: new CredentialUrl(url),
        transport: 'tcp',
        clock: systemClock,
        log: silentLog,
      });
      const main = new CountedSource(direct, TICKS_PER_FRAME);
      sources.push(main);
      streams.push({ cameraUuid: uuid, rendition: 'main' });
      hub.put({ uuid, fingerprint: url, main, sub: null });
      hub.get(uuid)?.touch('sound');
      await delay(OPEN_INTERVAL_MS);
    }
    const deadlineMonoMs = systemClock.monoMs() + timeoutMs;
    while ([...hub.all()].some((camera) => camera.status().state !== 'live')) {
      if (systemClock.monoMs() > deadlineMonoMs)
        throw new Error(`not all cameras play after ${timeoutMs} ms`);
      await delay(POLL_INTERVAL_MS);
    }
  },
  record(isOn) {
    running!.recorder.start();
    for (const stream of streams) running!.recorder.turn(stream, isOn);
  },
  sample() {
    const { hub, recorder } = running!;
    let unpackaged = 0;
    for (const camera of hub.all()) {
      for (const profile of camera.profiles()) {
        for (const { packager } of profile.renditions.named()) unpackaged += packager.stats().droppedFrames;
      }
    }
    const recordings = recorder.samples();
    const sum = (of: (sample: RecordingSample) => number) =>
      recordings.reduce((total, sample) => total + of(sample), 0);
    return {
      usage: processUsage(),
      frames: addCounts(sources.map((source) => source.counts())),
      unpackaged,
      segments: sum(({ segments }) => segments),
      droppedSegments: sum(({ droppedSegments }) => droppedSegments),
      recordedBytes: sum(({ byteLength }) => byteLength),
      waitingBytes: recorder.waitingBytes,
      recordings: recordings.map(({ state }) => state),
    };
  },
  async close() {
    const { hub, recorder, keeper, catalog, store } = running!;
    await hub.close();
    const kept = keeper.close();
    await recorder.close();
    await kept;
    await catalog.close();
    await store.close();
  },
};

responseParent(calls);
