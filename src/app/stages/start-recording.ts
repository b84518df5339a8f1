/**
 * The recorder, as the gateway wires it: before the cameras, so that nothing they publish is missed, and closed after
 * them. Its thread starts with the first camera that is recorded, or if there are recordings to look after.
 */

import { ClipUse } from '../../clips/clip-use.ts';
import { RecordingCluster } from '../../cluster/adapters/recording-cluster.ts';
import type { ClusterStage } from '../../cluster/cluster-stage.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraNotices } from '../../devices/camera-notices.ts';
import type { ReadJob } from '../../playback/read-protocol.ts';
import { readThread } from '../../playback/read-thread.ts';
import { type PastMedia, recordedMedia } from '../../playback/recorded-media.ts';
import { RecordingPeers, readsOfAllNodes } from '../../playback/recording-peers.ts';
import { RecordingReads } from '../../playback/recording-reads.ts';
import { recentEvents } from '../../policies/recorded-events.ts';
import { RECORDED_RENDITION, RecordedCameras } from '../../recording/recorded-cameras.ts';
import { Recorder, type RecordingSample } from '../../recording/recorder.ts';
import { recorderThread } from '../../recording/recorder-thread.ts';
import { RecordingBlocks } from '../../recording/recording-blocks.ts';
import { RecordingCatalog } from '../../recording/recording-catalog.ts';
import { RecordingImports } from '../../recording/recording-imports.ts';
import { RecordingKeeper } from '../../recording/recording-keeper.ts';
import { NO_RULE } from '../../recording/recording-rule.ts';
import { RecordingRules } from '../../recording/recording-rules.ts';
import type { RecordingTap } from '../../recording/recording-tap.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import { createRingMemory } from '../../recording/shared-ring.ts';
import type { LiveCameras, RenditionName } from '../../stream/media/live-media.ts';
import { readRecordingRules } from '../config/read-recording-rules.ts';
import { recordingStorage } from '../config/recording-storage.ts';
import type { CameraConfig, Config } from '../config/schema.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { StoreStage } from './start-store.ts';

/** What was written within this time can be lost in a power cut. */
const SYNC_INTERVAL_MS = 5_000;
const MS_PER_SEC = 1_000;
/** Events of the time before a start that may still be going on: the longest post-roll. */
const RESUMED_MS = 3_600_000;

export interface RecordingStage {
  readonly catalog: RecordingCatalog;
  /** What was recorded. */
  readonly media: PastMedia;
  readonly imports: RecordingImports;
  /** An organization wants to hand over files of this size, and the disk is full: its own oldest recordings go. */
  makeRoom(orgUuid: Ruuid, byteLength: number): void;
  /** Bytes of a file that is on another node's disk; null: there are no such files. */
  readonly readElsewhere: ((job: ReadJob) => Promise<Buffer>) | null;
  /** From now on, reads are shared out by organization. null: the camera is not known. */
  shareReads(organizationOf: (cameraUuid: string) => string | null): void;
  /** The taps of a camera's renditions; null: this one is never recorded. */
  tapFor(cameraUuid: Ruuid, rendition: RenditionName): RecordingTap | null;
  /** Records what the configuration and the API say, from now on. */
  begin(cameras: LiveCameras): Promise<void>;
  /** Reads again what is to be recorded: for commits whose event was not sent. Rejects like the store. */
  refresh(): Promise<void>;
  /** The file's cameras have been read again. */
  configure(cameras: readonly CameraConfig[]): Promise<void>;
  /**
   * Something happened in front of the camera, epoch milliseconds. A camera that records events writes it, with pre-roll
   * and post-roll; for any other, nothing happens.
   */
  recordAround(cameraUuid: Ruuid, fromMs: number, toMs: number): void;
  samples(): RecordingSample[];
  /** Whether the recorder's thread runs. */
  isRunning(): boolean;
  /** Bytes waiting for the disk. */
  waitingBytes(): number;
  /** Finished files cannot be uploaded now. */
  isUploadFailing(): boolean;
  /** The same for finished clips, which the API's thread uploads. */
  readonly clipUploads: { isFailing: boolean };
  /** What waits for S3. */
  spool(): { readonly byteLength: number; readonly oldestAgeSec: number };
  deletedFiles(): number;
}

interface RecordingParts extends Pick<StoreStage, 'store' | 'secrets'> {
  readonly apiThread: Pick<StoreStage['apiThread'], 'notify'>;
  readonly notices: Pick<CameraNotices, 'recording'>;
  /** null: this gateway is alone. */
  readonly cluster: ClusterStage | null;
}

export function startRecording(
  { config, clock, log, surroundings }: GatewayOptions,
  { store, apiThread, notices, secrets, cluster }: RecordingParts,
  cleanup: Cleanup,
): RecordingStage {
  const { recording: settings, hls } = config;
  const { recordings } = store;
  const nodes = cluster === null ? null : new RecordingCluster(cluster.node, store, clock);
  const hasAllFiles = config.s3.bucket === null;
  const blocks: RecordingBlocks | null =
    nodes === null
      ? null
      : new RecordingBlocks({
          ...{ blocks: store.recordingBlocks, nodes },
          recorder: { call: (call) => recorder.call(call) },
        });
  const recorder: Recorder = new Recorder({
    launch: (surroundings?.recorder ?? recorderThread)({
      storage: recordingStorage(config, secrets),
      isEncrypting: settings.encrypt,
      isNumbered: nodes !== null,
      limits: {
        fileBytes: settings.fileSizeBytes,
        syncIntervalMs: SYNC_INTERVAL_MS,
        // Old recordings are deleted long before that.
        minFreeBytes: settings.minFreeBytes / 2,
        heldBytes: settings.preRollBufferBytes,
      },
    }),
    createRing: () => createRingMemory(settings.bufferBytes),
    ...{ clock, log },
    reserveNumbers: blocks === null ? undefined : (stream) => blocks.reserve(stream),
    onFile: (file) => keeper.finished(file),
    onUnfinished: (stream, number) => keeper.repair(stream, number),
    onStarted: () => keeper.begin(),
    onFull: () => keeper.sweepSoon(),
    onState: ({ cameraUuid }, recording) => notices.recording(cameraUuid, recording),
  });
  const openFile: ConstructorParameters<typeof RecordingCatalog>[0]['openFile'] = (stream) =>
    recorder.openFile(stream);
  const catalog: RecordingCatalog = new RecordingCatalog({
    ...{ recordings, openFile, clock, log },
    elsewhere: async (stream) => peers?.unlisted(stream) ?? [],
  });
  const reads = new RecordingReads({
    launch: readThread(recordingStorage(config, secrets)),
    ...{ clock, log },
  });
  const peers =
    cluster === null
      ? null
      : new RecordingPeers({
          links: cluster.links,
          linkToOwner: (cameraUuid) => cluster.linkToOwner(cameraUuid),
          linksToOthers: () => cluster.linksToOthers(),
          unlisted: (stream) => catalog.ownUnlisted(stream),
          ...{ reads, log },
        });
  const readElsewhere = peers === null || hasAllFiles ? null : (job: ReadJob) => peers.read(job);
  const limits = {
    keepMs: settings.keepMs,
    keepForSharesMs: settings.keepForSharesMs,
    maxCameraBytes: settings.maxSizePerCameraBytes,
    minFreeBytes: settings.minFreeBytes,
  };
  let rules: RecordingRules | null = null;
  const imports = new RecordingImports({
    ...{ recorder, recordings, keeper: () => keeper },
    reserveNumbers: blocks === null ? undefined : (stream, count) => blocks.reserve(stream, count),
  });
  const isReserved = async (stream: RecordedStream, number: number): Promise<boolean> => {
    if (imports.isReserved(stream, number)) return true;
    if (nodes === null || stream.rendition !== 'uploaded') return false;
    // Another node may import it, or have left it to whoever goes on with the upload.
    return (await store.uploads.unfinished()).some(
      ({ cameraUuid, recordingNumber }) => cameraUuid === stream.cameraUuid && recordingNumber === number,
    );
  };
  const clipUse = new ClipUse(store, clock);
  const keeper = new RecordingKeeper({
    ...{ recorder, catalog, recordings, limits, isReserved, clock, log },
    ownRetention: (cameraUuid) => rules?.ruleOf(cameraUuid) ?? NO_RULE,
    others: {
      // What an organization reports fills the same disk.
      bytes: async () =>
        config.database === null
          ? sumByKey(await clipUse.bytes(), await store.use.bytesByOrganization())
          : clipUse.bytes(),
      evict: (orgUuid, byteLength) => apiThread.notify({ kind: 'clipsTooMany', orgUuid, byteLength }),
    },
    cluster: nodes === null || blocks === null ? undefined : { blocks, nodes, hasAllFiles },
  });
  cluster?.node.registry.onChange(({ kind }) => {
    if (kind === 'left') keeper.nodeLeft();
  });
  cluster?.onPlaces((cameraUuid) => {
    if (cameraUuid === null) cameras?.lookSoon();
    else cameras?.lookAt(cameraUuid);
  });
  let cameras: RecordedCameras | null = null;
  let declared: Config['cameras'] = config.cameras;
  let reading: Promise<void> = Promise.resolve();
  const reread = (): Promise<void> => {
    const read = reading.then(async () => {
      rules?.put(await readRecordingRules(store, declared));
      cameras?.look();
    });
    reading = read.catch(() => undefined);
    return read;
  };
  const follow = (): void => {
    reread().catch((thrown) => {
      log.error({ err: toGatewayError(thrown) }, 'recording settings not read');
    });
  };
  const unsubscribe = store.onChange(({ entity }) => {
    if (entity === 'cameraConfig') follow();
  });
  cleanup.add('recordings', async () => {
    unsubscribe();
    cameras?.close();
    rules?.close();
    const kept = keeper.close();
    await recorder.close();
    await kept;
    await catalog.close();
    reads.close();
  });
  return {
    ...{ catalog, imports, readElsewhere },
    shareReads: (organizationOf) => {
      reads.organizationOf = organizationOf;
      recorder.organizationOf = organizationOf;
    },
    makeRoom: (orgUuid, byteLength) => {
      if (recorder.isRunning) keeper.makeRoom(orgUuid, byteLength);
    },
    media: recordedMedia(catalog, readElsewhere === null ? reads : readsOfAllNodes(reads, readElsewhere)),
    tapFor: (cameraUuid, rendition) =>
      rendition === RECORDED_RENDITION ? recorder.tap({ cameraUuid, rendition }) : null,
    begin: async (live) => {
      for (const { cameraUuid, recordingNumber } of await store.uploads.unfinished()) {
        if (recordingNumber !== null) imports.keep(cameraUuid, recordingNumber);
      }
      rules = await RecordingRules.open({ store, clock, log, onChange: () => cameras?.lookSoon() });
      cameras = new RecordedCameras({
        ...{ cameras: live, rules, recorder, clock, idleStopMs: hls.idleStopMs },
        ...(cluster === null ? {} : { isPlaced: (camera: Ruuid) => cluster.isPlacedHere(camera) }),
        ...{ preRollMs: settings.preRollMs, postRollMs: settings.postRollMs },
      });
      // A node may have files that no row names, and other nodes record its cameras meanwhile.
      if (cluster !== null || (await recordings.oldest(1)).length > 0) recorder.start();
      await reread();
      // What happened just before a restart may still have its post-roll to come.
      const nowMs = clock.epochMs();
      for (const { cameraUuid, fromMs, toMs } of await recentEvents(store, nowMs, RESUMED_MS)) {
        cameras.recordAround(cameraUuid, fromMs, toMs);
      }
    },
    refresh: async () => {
      await rules?.refresh();
      await reread();
    },
    configure: (reloaded) => {
      declared = reloaded;
      return reread();
    },
    recordAround: (cameraUuid, fromMs, toMs) => {
      const wanted = cameras?.recordAround(cameraUuid, fromMs, toMs) ?? null;
      if (wanted === null) return;
      catalog
        .claim({ cameraUuid, rendition: RECORDED_RENDITION }, wanted.fromMs, wanted.toMs)
        .catch((thrown) => {
          log.error(
            { camera: cameraUuid, err: toGatewayError(thrown) },
            'recording of an event kept for shares only',
          );
        });
    },
    samples: () => recorder.samples(),
    isRunning: () => recorder.isRunning,
    waitingBytes: () => recorder.waitingBytes,
    isUploadFailing: () => recorder.isUploadFailing,
    clipUploads: { isFailing: false },
    spool: () => {
      const { byteLength, oldestEpochMs } = recorder.spool;
      // The clock may have been set back since.
      const oldestAgeMs = oldestEpochMs === null ? 0 : Math.max(0, clock.epochMs() - oldestEpochMs);
      return { byteLength, oldestAgeSec: oldestAgeMs / MS_PER_SEC };
    },
    deletedFiles: () => keeper.deletedFiles,
  };
}

function sumByKey(a: ReadonlyMap<Ruuid, number>, b: ReadonlyMap<Ruuid, number>): ReadonlyMap<Ruuid, number> {
  return new Map([...a.keys(), ...b.keys()].map((key) => [key, (a.get(key) ?? 0) + (b.get(key) ?? 0)]));
}
