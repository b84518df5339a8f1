/** The recordings of this gateway: the recorder, the files that it and others wrote, and their retention. */

import { statfs } from 'node:fs/promises';
import { ClipUse } from '../../clips/clip-use.ts';
import { RecordingCluster } from '../../cluster/adapters/recording-cluster.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraNotices } from '../../devices/camera-notices.ts';
import type { ReadJob } from '../../playback/read-protocol.ts';
import { readThread } from '../../playback/read-thread.ts';
import { RecordingPeers } from '../../playback/recording-peers.ts';
import { RecordingReads } from '../../playback/recording-reads.ts';
import { type DecodeThumbnail, ThumbnailMaker } from '../../playback/thumbnail-maker.ts';
import type { NumberBlock } from '../../recording/file-numbers.ts';
import { type LaunchRecorder, Recorder } from '../../recording/recorder.ts';
import type { SigningSettings } from '../../recording/recorder-protocol.ts';
import { recorderThread } from '../../recording/recorder-thread.ts';
import { RecordingBlocks } from '../../recording/recording-blocks.ts';
import { RecordingCatalog } from '../../recording/recording-catalog.ts';
import { RecordingImports } from '../../recording/recording-imports.ts';
import { RecordingKeeper, type RecordingKeeperOptions } from '../../recording/recording-keeper.ts';
import type { RecordingRule } from '../../recording/recording-rule.ts';
import { RecordingThinner } from '../../recording/recording-thinner.ts';
import { RetentionForecasts } from '../../recording/retention-forecasts.ts';
import type { RetentionLimits } from '../../recording/retention-rules.ts';
import { type RecordedStream, recordingName } from '../../recording/segment-index.ts';
import { createRingMemory } from '../../recording/shared-ring.ts';
import type { Store } from '../../store/store.ts';
import { recordingsFolder } from '../config/data-folder.ts';
import { recordingStorage } from '../config/recording-storage.ts';
import type { Config } from '../config/schema.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { StoreStage } from './start-store.ts';

/** A power cut can lose writes of this time. */
const SYNC_INTERVAL_MS = 5_000;

export interface RecordingParts extends Pick<StoreStage, 'store' | 'secrets'> {
  readonly apiThread: Pick<StoreStage['apiThread'], 'notify'>;
  readonly notices: Pick<CameraNotices, 'recording'>;
  /** The key that signs recordings. */
  readonly signing: SigningSettings;
  /** null: recordings get no thumbnails. */
  readonly decodeThumbnail: DecodeThumbnail | null;
  /** null: this gateway is alone. */
  readonly cluster: Cluster | null;
}

export interface RecordingFiles {
  readonly recorder: Recorder;
  readonly catalog: RecordingCatalog;
  readonly reads: RecordingReads;
  readonly imports: RecordingImports;
  /** Copies of what video recorders have. */
  readonly pulls: RecordingImports;
  readonly keeper: RecordingKeeper;
  /** null: there are none. */
  readonly thumbnails: ThumbnailMaker | null;
  readonly forecasts: RetentionForecasts;
  /** As in RecordingStage. */
  readonly readElsewhere: ((job: ReadJob) => Promise<Buffer>) | null;
  /** Called with the name of each file that this gateway deletes. */
  readonly onDeleted: Set<(name: string) => void>;
  /** Rejects like the store. */
  close(): Promise<void>;
}

/** `ruleOf`: a camera's rule in the configuration and the API. */
export function openRecordingFiles(
  options: GatewayOptions,
  parts: RecordingParts,
  ruleOf: (cameraUuid: Ruuid) => RecordingRule,
): RecordingFiles {
  const { config, clock, log } = options;
  const { store, secrets, notices, cluster } = parts;
  const { recordings } = store;
  const nodes = cluster === null ? null : new RecordingCluster(cluster.node, store, clock);
  const hasAllFiles = config.s3.bucket === null;
  const limits = retentionLimits(config.recording);
  const blocks: RecordingBlocks | null =
    nodes === null
      ? null
      : new RecordingBlocks({
          blocks: store.recordingBlocks,
          nodes,
          recorder: { call: (call) => recorder.call(call) },
        });
  const recorder: Recorder = new Recorder({
    launch: launchRecorder(options, parts, nodes !== null),
    createRing: () => createRingMemory(config.recording.bufferBytes),
    clock,
    log,
    reserveNumbers: blocks === null ? undefined : (stream) => blocks.reserve(stream),
    onSegment: (stream, number, segment) => thumbnails?.recorded(stream, number, segment),
    onFile: (file) => {
      keeper.finished(file);
      thumbnails?.finished(file, file.number);
    },
    onUnfinished: (stream, number) => keeper.repair(stream, number),
    onStarted: () => keeper.begin(),
    onFull: () => keeper.sweepSoon(),
    onState: (cameraUuid, recording) => notices.recording(cameraUuid, recording),
  });
  const catalog: RecordingCatalog = new RecordingCatalog({
    recordings,
    clock,
    log,
    openFile: (stream: RecordedStream) => recorder.openFile(stream),
    elsewhere: async (stream) => peers?.unlisted(stream) ?? [],
  });
  const reads = new RecordingReads({
    launch: readThread(recordingStorage(config, secrets)),
    clock,
    log,
  });
  const thumbnails: ThumbnailMaker | null = openThumbnails(parts.decodeThumbnail, recorder, reads, log);
  const peers = cluster === null ? null : openPeers(cluster, catalog, reads, log);
  const importing = {
    recorder,
    recordings,
    keeper: () => keeper,
    reserveNumbers:
      blocks === null
        ? undefined
        : (stream: RecordedStream, count: number): Promise<NumberBlock> => blocks.reserve(stream, count),
  };
  const imports = new RecordingImports(importing);
  const pulls = new RecordingImports({ ...importing, rendition: 'pulled' });
  const keyFrames = new RecordingImports({ ...importing, rendition: 'key-frames' });
  const onDeleted = new Set<(name: string) => void>();
  const keeper = new RecordingKeeper({
    recorder,
    catalog,
    recordings,
    clock,
    log,
    limits,
    isReserved: reservations(store, [imports, pulls, keyFrames], nodes !== null),
    thinner: new RecordingThinner({ recorder, recordings, catalog, imports: keyFrames, log }),
    ownRetention: ruleOf,
    onDeleted: (stream, number) => {
      for (const listener of onDeleted) listener(recordingName(stream, number));
    },
    others: otherUse(config, parts, new ClipUse(store, clock)),
    cluster: nodes === null || blocks === null ? undefined : { blocks, nodes, hasAllFiles },
  });
  cluster?.node.registry.onChange(({ kind }) => {
    if (kind === 'left') keeper.nodeLeft();
  });
  return {
    recorder,
    catalog,
    reads,
    imports,
    pulls,
    keeper,
    thumbnails,
    forecasts: new RetentionForecasts({
      recordings,
      recordingHolds: store.recordingHolds,
      limits,
      ownRetention: ruleOf,
      freeBytes: () => freeBytesFor(config),
      clock,
    }),
    readElsewhere: peers === null || hasAllFiles ? null : (job) => peers.read(job),
    onDeleted,
    close: async () => {
      await thumbnails?.close();
      const kept = keeper.close();
      await recorder.close();
      await kept;
      await catalog.close();
      reads.close();
    },
  };
}

function openThumbnails(
  decode: DecodeThumbnail | null,
  recorder: Recorder,
  reads: RecordingReads,
  log: Log,
): ThumbnailMaker | null {
  if (decode === null) return null;
  return new ThumbnailMaker({
    decode,
    read: (name, offset, length) => reads.read({ name, offset, length }),
    store: (of, number, chunk) => recorder.call({ name: 'addThumbnails', of, number, chunk }),
    end: (of, number) => recorder.call({ name: 'endThumbnails', of, number }),
    openFile: (of) => recorder.openFile(of),
    organizationOf: (cameraUuid) => recorder.organizationOf(cameraUuid),
    log,
  });
}

function launchRecorder(
  { config, surroundings }: GatewayOptions,
  { secrets, signing }: Pick<RecordingParts, 'secrets' | 'signing'>,
  isNumbered: boolean,
): LaunchRecorder {
  const { recording: settings } = config;
  return (surroundings?.recorder ?? recorderThread)({
    storage: recordingStorage(config, secrets),
    isEncrypting: settings.encrypt,
    signing,
    isNumbered,
    limits: {
      fileBytes: settings.fileSizeBytes,
      syncIntervalMs: SYNC_INTERVAL_MS,
      // Old recordings are deleted long before that.
      minFreeBytes: settings.minFreeBytes / 2,
      heldBytes: settings.preRollBufferBytes,
    },
  });
}

function openPeers(
  cluster: Cluster,
  catalog: RecordingCatalog,
  reads: RecordingReads,
  log: Log,
): RecordingPeers {
  return new RecordingPeers({
    links: cluster.links,
    linkToOwner: (cameraUuid) => cluster.linkToOwner(cameraUuid),
    linksToOthers: () => cluster.linksToOthers(),
    unlisted: (stream) => catalog.ownUnlisted(stream),
    reads,
    log,
  });
}

function retentionLimits(settings: Config['recording']): RetentionLimits {
  return {
    keepMs: settings.keep.mainMs,
    keepSubMs: settings.keep.subMs,
    keepKeyFramesMs: settings.keep.keyFramesMs,
    keepForSharesMs: settings.keepForSharesMs,
    maxCameraBytes: settings.maxSizePerCameraBytes,
    maxOrganizationBytes: settings.maxSizePerOrganizationBytes,
    minFreeBytes: settings.minFreeBytes,
  };
}

/** null: recordings are in S3, or their folder does not exist yet. */
async function freeBytesFor(config: Config): Promise<number | null> {
  if (config.s3.bucket !== null) return null;
  try {
    const { bavail, bsize } = await statfs(recordingsFolder(config));
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Whether a file is being imported. */
function reservations(
  { uploads }: Pick<Store, 'uploads'>,
  imports: readonly RecordingImports[],
  hasOtherNodes: boolean,
): NonNullable<RecordingKeeperOptions['isReserved']> {
  return async (stream, number) => {
    if (imports.some((each) => each.isReserved(stream, number))) return true;
    if (!hasOtherNodes || stream.rendition !== 'uploaded') return false;
    // Another node may import it, or have left it to the node that continues the upload.
    return (await uploads.unfinished()).some(
      ({ cameraUuid, recordingNumber }) => cameraUuid === stream.cameraUuid && recordingNumber === number,
    );
  };
}

/** Other files that fill the disk. */
function otherUse(
  { database }: Config,
  { store, apiThread }: RecordingParts,
  clips: ClipUse,
): NonNullable<RecordingKeeperOptions['others']> {
  return {
    // An organization's reports fill the same disk.
    bytes: async () =>
      database === null
        ? sumByKey(await clips.bytes(), await store.use.bytesByOrganization())
        : clips.bytes(),
    evict: (orgUuid, byteLength) => apiThread.notify({ kind: 'clipsTooMany', orgUuid, byteLength }),
  };
}

function sumByKey(a: ReadonlyMap<Ruuid, number>, b: ReadonlyMap<Ruuid, number>): ReadonlyMap<Ruuid, number> {
  return new Map([...a.keys(), ...b.keys()].map((key) => [key, (a.get(key) ?? 0) + (b.get(key) ?? 0)]));
}
