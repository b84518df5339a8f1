/** The recorder, uploads and clips as the gateway wires them, with their threads and a real store; no cameras, no HTTP. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Clips } from '../../../src/clips/clips.ts';
import { UploadedClips } from '../../../src/clips/uploaded-clips.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { GatewayError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { MovieMaker } from '../../../src/playback/movie-maker.ts';
import { movieThread } from '../../../src/playback/movie-thread.ts';
import { readThread } from '../../../src/playback/read-thread.ts';
import { recordedMedia } from '../../../src/playback/recorded-media.ts';
import { RecordingReads } from '../../../src/playback/recording-reads.ts';
import { Recorder } from '../../../src/recording/recorder.ts';
import { recorderThread } from '../../../src/recording/recorder-thread.ts';
import { RecordingCatalog } from '../../../src/recording/recording-catalog.ts';
import { RecordingImports } from '../../../src/recording/recording-imports.ts';
import { RecordingKeeper } from '../../../src/recording/recording-keeper.ts';
import { createRingMemory } from '../../../src/recording/shared-ring.ts';
import { openStore } from '../../../src/store/open-store.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleOrganization,
} from '../../../src/store/sample-entities-fixture.ts';
import { UPLOAD_ERRORS } from '../../../src/uploads/errors.ts';
import { NO_NODES, OwnUploads } from '../../../src/uploads/own-uploads.ts';
import { SpoolThread, spoolPort } from '../../../src/uploads/spool-thread.ts';
import { UploadService } from '../../../src/uploads/upload-service.ts';
import type { Ground } from './acknowledged.ts';

const KEEP_MS = 30 * 86_400_000;
const FILE_BYTES = 1_048_576;
const RING_BYTES = 8 * 1_048_576;
/** Often, so that kills fall into syncs too. */
const SYNC_INTERVAL_MS = 100;

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Resolves when the leftovers of an earlier process are repaired. */
export async function openRooms(ground: Ground, isEncrypting: boolean) {
  const { folder, orgUuid, keyUuid, cameraUuid, uploadingUuid } = ground;
  const fieldKey = Buffer.alloc(32, 7);
  const common = { clock: systemClock, log: silentLog };
  const path = join(folder, 'kills.db');
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  if ((await store.organizations.find(orgUuid)) === null) {
    await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
    await store.apiKeys.save(sampleApiKey(orgUuid, { uuid: keyUuid }));
    for (const uuid of [cameraUuid, uploadingUuid]) {
      await store.cameras.save({ ...sampleCamera(orgUuid, { uuid }), locationUuid: null });
    }
  }
  const { recordings } = store;
  const media = join(folder, 'media');
  const storage = { folder: media, key: fieldKey, s3: null };
  const recorder: Recorder = new Recorder({
    ...common,
    launch: recorderThread({
      storage,
      isEncrypting,
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
  const imports = new RecordingImports({ recorder, recordings, keeper: () => keeper });
  const keeper: RecordingKeeper = new RecordingKeeper({
    ...common,
    recorder,
    catalog,
    recordings,
    isReserved: (stream, number) => imports.isReserved(stream, number),
    limits: {
      keepMs: KEEP_MS,
      keepSubMs: KEEP_MS,
      keepKeyFramesMs: null,
      keepForSharesMs: KEEP_MS,
      maxCameraBytes: null,
      maxOrganizationBytes: null,
      minFreeBytes: 0,
    },
  });
  for (const upload of await store.uploads.unfinished()) {
    if (upload.recordingNumber !== null) imports.keep(upload.cameraUuid, upload.recordingNumber);
  }
  recorder.start();
  await keeper.settled();
  await catalog.settled();
  const reads = new RecordingReads({ ...common, launch: readThread(storage) });
  const past = recordedMedia(catalog, reads, common.clock);
  const maker = new MovieMaker({ ...common, launch: movieThread('clips', { storage, minFreeBytes: 0 }) });
  const clips = new Clips({
    ...common,
    store,
    media: past,
    maker,
    limits: { keepMs: KEEP_MS, maxBytes: null },
    // No decoder runs here.
    takeImage: async (_camera, atEpochMs) => Buffer.from(`image at ${atEpochMs}`),
  });
  await clips.begin();
  const uploaded = new UploadedClips(store, systemClock, silentLog);
  const spoolFolder = join(media, 'uploads');
  const spool = new SpoolThread({ ...common, launch: spoolPort({ folder: spoolFolder }) });
  const rights = { key: { orgUuid, scheme: 'api', role: 'admin' }, camera: { orgUuid } } as const;
  const uploads = new UploadService({
    ...common,
    uploads: new OwnUploads(store.uploads, NO_NODES),
    spool,
    imports,
    keepMs: KEEP_MS,
    converter: {
      convert: async () => {
        throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, {});
      },
    },
    rights: { uploadRights: () => rights, storedRights: async () => rights },
    onImported: ({ upload, durationMs }) =>
      uploaded.add({ ...upload, durationMs, recordingNumber: upload.recordingNumber! }),
    limits: {
      maxBytes: 1 << 30,
      atOncePerKey: 4,
      atOnce: 4,
      keepUnfinishedMs: KEEP_MS,
      minFreeBytes: 0,
    },
  });
  await uploads.begin(existsSync(spoolFolder));
  return { store, recorder, catalog, past, clips, uploads, media, spoolFolder };
}
