/** The API's access to the past: playlists of recordings, and clips. */

import {
  createEvidenceServices,
  type EvidenceParts,
  type EvidenceServices,
} from '../../cases/evidence-services.ts';
import type { ClipMedia } from '../../clips/clip-sources.ts';
import { Clips } from '../../clips/clips.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CreateTokenSource } from '../../core/token-buckets.ts';
import { errorOfWire } from '../../core/wire-error.ts';
import type { StillRequest } from '../../devices/camera-stills.ts';
import type { CameraStates } from '../../devices/device-states.ts';
import { verifyPage } from '../../evidence/verify-page.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import { movieThread } from '../../playback/movie-thread.ts';
import type { ReadJob } from '../../playback/read-protocol.ts';
import { readThread } from '../../playback/read-thread.ts';
import { type RecordedMedia, recordedMedia } from '../../playback/recorded-media.ts';
import { readsOfAllNodes } from '../../playback/recording-peers.ts';
import { RecordingReads } from '../../playback/recording-reads.ts';
import { withPulled } from '../../playback/whole-past.ts';
import { camerasOfAlert } from '../../policies/recorded-events.ts';
import { RECORDING_ERRORS } from '../../recording/errors.ts';
import { RecordingFinder } from '../../recording/recording-finder.ts';
import { unpackIndex } from '../../recording/segment-index.ts';
import type { Store } from '../../store/store.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { ApiSideOptions, GatewayLink } from './api-side-options.ts';

const COPY_STEP_MS = 500;
const CLIP_IMAGE: Omit<StillRequest, 'atEpochMs'> = {
  widthPx: 640,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
  isOnlyLive: false,
  isHeld: false,
};

/** Clips are made by a thread of their own. Work that an earlier run left unfinished continues. */
export async function startClips(
  { data, gateway, clock, log, cleanup }: ApiSideOptions,
  {
    store,
    media,
    cameras,
    shared,
  }: {
    readonly store: Store;
    readonly media: RecordedMedia;
    readonly cameras: {
      readonly states: CameraStates;
      readonly recordings: ReadonlyMap<Ruuid, RecordingState>;
    };
    readonly shared: CreateTokenSource | null;
  },
): Promise<Clips> {
  const launch = movieThread('sluice-clips', {
    storage: data.recordingStorage,
    minFreeBytes: data.minFreeBytes,
    writes: 'clips',
    isEncrypting: data.isEncrypting,
  });
  const maker = new MovieMaker({
    launch,
    clock,
    log,
    readElsewhere: (job) => readElsewhere(gateway, job),
    onUpload: (isFailing) => void gateway.clipUploadsChanged(isFailing),
  });
  // A thread of the API that ended may have said otherwise.
  void gateway.clipUploadsChanged(false);
  cleanup.add('clip thread', () => maker.close());
  const clips = new Clips({
    store,
    media: { ...media, ...withPulled(media), pull: pullThrough(gateway, clock) },
    maker,
    clock,
    log,
    takeImage: async (cameraUuid, atEpochMs) =>
      (await gateway.takeStill(cameraUuid, { ...CLIP_IMAGE, atEpochMs })).bytes,
    limits: { keepMs: data.clips.keepMs, maxBytes: data.clips.maxSizeBytes },
    alerts: data.clips.ofAlerts
      ? {
          cameras: {
            of: (alert) => camerasOfAlert(store, alert),
            recording: (camera) => cameras.recordings.get(camera),
            isLive: (camera) => cameras.states.get(camera)?.streamState === 'live',
            takeLiveImage: (camera) =>
              gateway.takeStill(camera, { ...CLIP_IMAGE, atEpochMs: null, isOnlyLive: true }),
          },
          settings: { ...data.alertRolls, perHour: data.clips.alertsPerHour },
          shared,
          limits: { keepMs: data.clips.keepOfAlertsMs, maxBytes: data.clips.maxSizeOfAlertsBytes },
        }
      : null,
  });
  cleanup.add('clips', () => clips.close());
  await clips.begin();
  return clips;
}

/** Copies what a video recorder has, step by step: calls between threads are short. */
function pullThrough(
  gateway: Pick<GatewayLink, 'copyFromRecorder'>,
  clock: Clock,
): NonNullable<ClipMedia['pull']> {
  return async (cameraUuid, fromMs, toMs, signal) => {
    const looker = newRuuid();
    while (!signal.aborted) {
      const { isGrowing, error } = await gateway.copyFromRecorder(cameraUuid, fromMs, toMs, looker);
      if (!isGrowing && error !== null) throw errorOfWire(error);
      if (!isGrowing) return;
      await pause(clock, COPY_STEP_MS, signal);
    }
  };
}

/** Legal holds and cases. Cases that an earlier run was sealing are sealed. */
export async function startEvidence(
  { data, clock, log, cleanup }: ApiSideOptions,
  parts: Pick<EvidenceParts, 'store' | 'media' | 'groups' | 'textsOf'>,
): Promise<EvidenceServices> {
  const { recordingStorage, evidenceKey: secret, timeStampUrl } = data;
  const folder = recordingStorage.s3 === null ? recordingStorage.folder : null;
  const evidence = createEvidenceServices({ ...parts, secret, folder, verifyPage, timeStampUrl, clock, log });
  await evidence.sealer.begin();
  cleanup.add('cases', () => evidence.sealer.close());
  evidence.holdEnds.begin();
  cleanup.add('ends of legal holds', () => evidence.holdEnds.close());
  return evidence;
}

/**
 * Reads the past in a thread of its own; asks the gateway's thread only for recordings that the store does not have yet.
 */
export function openRecordedMedia(
  { data, gateway, clock, log, cleanup }: ApiSideOptions,
  { recordings }: Store,
): RecordedMedia {
  const reads = new RecordingReads({ launch: readThread(data.recordingStorage), clock, log });
  cleanup.add('playback', () => reads.close());
  const finder = new RecordingFinder({
    recordings,
    unlisted: async (stream) => {
      const files = await gateway.unlistedRecordings(stream);
      return files.map(({ number, segments }) => ({ number, segments: unpackIndex(segments) }));
    },
  });
  return recordedMedia(
    finder,
    readsOfAllNodes(reads, (job) => readElsewhere(gateway, job)),
    clock,
  );
}

/** Fails RECORDING_NOT_FOUND. */
async function readElsewhere(gateway: Pick<GatewayLink, 'readElsewhere'>, job: ReadJob): Promise<Buffer> {
  const bytes = await gateway.readElsewhere(job);
  if (bytes === null) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name: job.name });
  return Buffer.from(bytes);
}
