/** Everything between a request and the disk, for tests: real files, a real store, real recordings; no threads. */

import { join } from 'node:path';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { DecryptingStorage } from '../recording/decrypting-storage.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import type { FakeObjects } from '../recording/fake-objects.ts';
import { FakeRecorderThread } from '../recording/fake-recorder-thread.ts';
import { FileStorage } from '../recording/file-storage.ts';
import type { MediaStorage } from '../recording/media-storage.ts';
import { Recorder } from '../recording/recorder.ts';
import { RecordingCatalog } from '../recording/recording-catalog.ts';
import type { RecordingKeys } from '../recording/recording-cipher.ts';
import { BOOT_ID, testFolder } from '../recording/recording-fixture.ts';
import { RecordingImports } from '../recording/recording-imports.ts';
import { RecordingKeeper } from '../recording/recording-keeper.ts';
import { s3Storage } from '../recording/s3-fixture.ts';
import type { S3Storage } from '../recording/s3-storage.ts';
import { createRingMemory } from '../recording/shared-ring.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import type { Role } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { ClipClaims } from './clip-claims.ts';
import type { ClipConverter, ImportedClip } from './clip-import.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { OwnUploads } from './own-uploads.ts';
import type { Spool, SpoolCall } from './spool-protocol.ts';
import { SpoolSide } from './spool-side.ts';
import type { Uploader, UploadRights } from './upload-access.ts';
import type { UploadLimits } from './upload-room.ts';
import { UploadService } from './upload-service.ts';

export const NOW_MS = Date.UTC(2026, 5, 1);
export const KEEP_MS = 30 * 86_400_000;

const LIMITS: UploadLimits = {
  maxBytes: 64 * 1_048_576,
  atOncePerKey: 2,
  atOnce: 3,
  keepUnfinishedMs: 3_600_000,
  minFreeBytes: 0,
};

const READS_NOTHING: ClipConverter = {
  convert: async () => {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, {});
  },
};

export interface UploadFixture {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly disk: FakeDisk;
  readonly service: UploadService;
  readonly spool: Spool;
  /** Records cameras into the same storage. */
  readonly recorder: Recorder;
  readonly thread: FakeRecorderThread;
  readonly keeper: RecordingKeeper;
  readonly catalog: RecordingCatalog;
  /** Storage of the recordings. */
  readonly storage: MediaStorage;
  readonly s3: S3Storage | null;
  readonly imported: ImportedClip[];
  readonly uploader: Uploader;
  readonly cameraUuid: Ruuid;
  /** Fails the next call with this name. */
  failNext(name: SpoolCall['name']): void;
  /** Calls with this name wait until the returned function is called. */
  hold(name: SpoolCall['name']): () => void;
  /** Calls with this name that wait. */
  waiting(name: SpoolCall['name']): number;
  /** The next questions to the store about rights are not answered. */
  failRights(count: number): void;
  /** Ends without finishing anything; another one over the same files and the same store. */
  crash(): Promise<UploadFixture>;
  /** Another node of the cluster, with the same recordings and the same store. */
  otherNode(nodeId: string): Promise<UploadFixture>;
  /** IDs of the nodes that are thought to live. */
  readonly aliveNodes: Set<string>;
  addUploader(orgUuid?: Ruuid, scheme?: ApiKeyScheme, role?: Role): Uploader;
  addCamera(orgUuid?: Ruuid): Ruuid;
  revoke(uploader: Uploader): void;
  removeCamera(cameraUuid: Ruuid): void;
  claims(byteLength: number, more?: Partial<ClipClaims>): ClipClaims;
  /** Sends all of it, in pieces of this size, and finishes. */
  handOver(file: Buffer, more?: Partial<ClipClaims>, pieceBytes?: number): Promise<Ruuid>;
  /** Names of the files in the folder of uploads. */
  files(): string[];
  /** Recording files of the camera: their numbers. */
  recordings(cameraUuid?: Ruuid): Promise<number[]>;
}

interface Kept {
  readonly folder: string;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly keys: Map<Ruuid, { orgUuid: Ruuid; scheme: ApiKeyScheme; role: Role }>;
  readonly cameras: Map<Ruuid, Ruuid>;
  readonly uploader: Uploader;
  readonly cameraUuid: Ruuid;
  readonly objects: FakeObjects | null;
  readonly recordingKeys: RecordingKeys | null;
  readonly maxSpoolBytes: number;
  readonly openDisk: (folder: string) => FakeDisk;
  readonly fileBytes: number;
  readonly minFreeBytes: number;
  readonly nodeId: string;
  readonly aliveNodes: Set<string>;
  readonly converter: ClipConverter;
}

export interface UploadStorage {
  /** The S3 bucket of recordings. */
  readonly objects?: FakeObjects;
  /** Limit of the files that wait for S3. */
  readonly maxSpoolBytes?: number;
  /** And is encrypted. */
  readonly keys?: RecordingKeys;
  /** Everything lies there, under `folder`. Default: one with endless room. */
  readonly disk?: (folder: string) => FakeDisk;
  readonly fileBytes?: number;
  /** Bytes that retention and uploads leave free; writing leaves half of it. Default 0. */
  readonly minFreeBytes?: number;
  /** Default: not a node of a cluster. */
  readonly nodeId?: string;
  /** Default: it reads no file. */
  readonly converter?: ClipConverter;
}

export async function openUploadFixture(
  limits: Partial<UploadLimits> = {},
  {
    objects,
    maxSpoolBytes,
    keys: recordingKeys,
    disk,
    fileBytes,
    minFreeBytes,
    nodeId = '',
    converter = READS_NOTHING,
  }: UploadStorage = {},
): Promise<UploadFixture> {
  const clock = new FakeClock(NOW_MS);
  const [orgUuid, keyUuid, cameraUuid] = [newRuuid(), newRuuid(), newRuuid()];
  const kept: Kept = {
    folder: testFolder(),
    store: await openTestStore(clock),
    clock,
    keys: new Map([[keyUuid, { orgUuid, scheme: 'device' as const, role: 'admin' as const }]]),
    cameras: new Map([[cameraUuid, orgUuid]]),
    uploader: { keyUuid, orgUuid },
    cameraUuid,
    objects: objects ?? null,
    recordingKeys: recordingKeys ?? null,
    maxSpoolBytes: maxSpoolBytes ?? 64 * 1_048_576,
    openDisk: disk ?? (() => new FakeDisk()),
    fileBytes: fileBytes ?? 1_048_576,
    minFreeBytes: minFreeBytes ?? 0,
    nodeId,
    aliveNodes: new Set<string>(),
    converter,
  };
  return start(kept, limits);
}

async function start(kept: Kept, limits: Partial<UploadLimits>): Promise<UploadFixture> {
  const { store, clock, folder, keys, cameras, uploader, cameraUuid } = kept;
  const { recordings } = store;
  const { objects, maxSpoolBytes, recordingKeys, fileBytes, minFreeBytes } = kept;
  const disk = kept.openDisk(folder);
  const writing = { fileBytes, syncIntervalMs: 5_000, minFreeBytes: minFreeBytes / 2 };
  const s3 = objects === null ? null : s3Storage(objects, folder, { clock, disk, maxSpoolBytes });
  await s3?.start();
  const plain = s3 ?? new FileStorage(folder, disk);
  const storage = recordingKeys === null ? plain : new DecryptingStorage(plain, recordingKeys);
  const thread = new FakeRecorderThread({
    storage,
    limits: writing,
    clock,
    bootId: BOOT_ID,
    keys: recordingKeys,
  });
  const recorder: Recorder = new Recorder({
    launch: thread.launch,
    createRing: () => createRingMemory(1_048_576),
    clock,
    log: silentLog,
    onFile: (file) => keeper.finished(file),
    onUnfinished: (stream, number) => keeper.repair(stream, number),
    onStarted: () => keeper.begin(),
    onFull: () => keeper.sweepSoon(),
  });
  const catalog = new RecordingCatalog({
    recordings,
    clock,
    log: silentLog,
    openFile: (stream) => recorder.openFile(stream),
  });
  const imports = new RecordingImports({ recorder, recordings, keeper: () => keeper });
  const keeper: RecordingKeeper = new RecordingKeeper({
    recorder,
    catalog,
    recordings,
    clock,
    log: silentLog,
    isReserved: (stream, number) => imports.isReserved(stream, number),
    limits: {
      keepMs: KEEP_MS,
      keepSubMs: KEEP_MS,
      keepKeyFramesMs: null,
      keepForSharesMs: KEEP_MS,
      maxCameraBytes: null,
      maxOrganizationBytes: null,
      minFreeBytes,
    },
  });
  for (const upload of await store.uploads.unfinished()) {
    if (upload.recordingNumber !== null) imports.keep(upload.cameraUuid, upload.recordingNumber);
  }
  const { nodeId, aliveNodes } = kept;
  if (nodeId !== '') aliveNodes.add(nodeId);
  const spoolFolder = join(folder, 'uploads', nodeId);
  const side = new SpoolSide(spoolFolder, disk);
  let isAlive = true;
  let failing: string | null = null;
  let held: { readonly name: string; readonly released: Promise<void> } | null = null;
  const waiting: string[] = [];
  let outstanding = 0;
  const spool: Spool = {
    async call(call) {
      if (!isAlive) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {});
      if (call.name === held?.name) {
        waiting.push(call.name);
        await held.released;
        waiting.splice(waiting.indexOf(call.name), 1);
      }
      if (call.name === failing) {
        failing = null;
        throw new GatewayError(UPLOAD_ERRORS.UPLOAD_IO, {});
      }
      const response = await side.respond({ id: 0, call });
      if ('value' in response) return response.value as never;
      throw errorOfWire(response.failure);
    },
  };
  const imported: ImportedClip[] = [];
  const rightsOf = (keyUuid: Ruuid, camera: Ruuid): UploadRights => {
    const orgUuid = cameras.get(camera);
    return { key: keys.get(keyUuid) ?? null, camera: orgUuid === undefined ? null : { orgUuid } };
  };
  const service = new UploadService({
    uploads: new OwnUploads(store.uploads, { nodeId, isAlive: (other) => aliveNodes.has(other) }),
    spool,
    imports,
    clock,
    log: silentLog,
    keepMs: KEEP_MS,
    converter: kept.converter,
    rights: {
      uploadRights: rightsOf,
      storedRights: async ({ keyUuid }, camera) => {
        if (outstanding-- > 0) throw new Error('no answer');
        return rightsOf(keyUuid, camera);
      },
    },
    onImported: async (clip) => void imported.push(clip),
    limits: { ...LIMITS, minFreeBytes, ...limits },
    onNoRoom: (orgUuid, byteLength) => keeper.makeRoom(orgUuid, byteLength),
  });
  const fixture: UploadFixture = {
    clock,
    store,
    disk,
    service,
    spool,
    recorder,
    thread,
    keeper,
    catalog,
    storage,
    s3,
    imported,
    uploader,
    cameraUuid,
    failNext: (name) => {
      failing = name;
    },
    waiting: (name) => waiting.filter((each) => each === name).length,
    failRights: (count) => {
      outstanding = count;
    },
    hold(name) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const mine = { name, released: promise };
      held = mine;
      return () => {
        if (held === mine) held = null;
        resolve();
      };
    },
    async crash() {
      isAlive = false;
      await service.close();
      await thread.work();
      await keeper.settled();
      await catalog.settled();
      return start(kept, limits);
    },
    otherNode: (other) => start({ ...kept, nodeId: other }, limits),
    aliveNodes,
    addUploader(orgUuid = uploader.orgUuid, scheme = 'device', role = 'admin') {
      const keyUuid = newRuuid();
      keys.set(keyUuid, { orgUuid, scheme, role });
      return { keyUuid, orgUuid };
    },
    addCamera(orgUuid = uploader.orgUuid) {
      const uuid = newRuuid();
      cameras.set(uuid, orgUuid);
      return uuid;
    },
    revoke: ({ keyUuid }) => void keys.delete(keyUuid),
    removeCamera: (uuid) => void cameras.delete(uuid),
    claims: (byteLength, more = {}) => ({
      clipId: 'clip',
      cameraUuid,
      startMs: NOW_MS - 3_600_000,
      title: '',
      fileType: 'video/mp4',
      sha256: null,
      byteLength,
      ...more,
    }),
    async handOver(file, more = {}, pieceBytes = file.length) {
      const { upload, offset } = await service.announce(uploader, fixture.claims(file.length, more));
      await service.receive(
        uploader,
        upload.uuid,
        offset,
        inPieces(file.subarray(offset), pieceBytes),
        () => undefined,
      );
      await service.finish(uploader, upload.uuid);
      return upload.uuid;
    },
    files: () => disk.list(spoolFolder),
    recordings: (uuid = cameraUuid) => recordings.numbers({ cameraUuid: uuid, rendition: 'uploaded' }),
  };
  await service.begin(true);
  return fixture;
}

export async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
