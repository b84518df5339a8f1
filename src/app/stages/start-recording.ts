/**
 * The recorder, as the gateway wires it: before the cameras, so that nothing they publish is missed, and closed after
 * them. Its thread starts with the first camera that is recorded, or if there are recordings to look after.
 */

import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ReadJob } from '../../playback/read-protocol.ts';
import { type PastMedia, recordedMedia } from '../../playback/recorded-media.ts';
import { readsOfAllNodes } from '../../playback/recording-peers.ts';
import type { ThumbnailSheetsOptions } from '../../playback/thumbnail-sheets.ts';
import { ManualRecordingEnds } from '../../recording/manual-recordings.ts';
import { isRecordedRendition, RECORDED_RENDITIONS } from '../../recording/recorded-cameras.ts';
import type { RecordingSample } from '../../recording/recorder.ts';
import type { RecordingCatalog } from '../../recording/recording-catalog.ts';
import type { RecordingImports } from '../../recording/recording-imports.ts';
import type { RuleInEffect } from '../../recording/recording-settings.ts';
import type { RecordingTap } from '../../recording/recording-tap.ts';
import { forecastOfCamera, type RetentionForecast } from '../../recording/retention-forecast.ts';
import { MAX_THUMBNAILS_BYTES } from '../../recording/thumbnail-chunk.ts';
import type { LiveCameras, RenditionName } from '../../stream/media/live-media.ts';
import type { CameraConfig } from '../config/schema.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { RecordingControl } from './recording-control.ts';
import { openRecordingFiles, type RecordingFiles, type RecordingParts } from './recording-files.ts';

const MS_PER_SEC = 1_000;

export interface PulledFile {
  readonly cameraUuid: Ruuid;
  readonly rendition: 'pulled';
  readonly number: number;
}

export interface RecordingStage {
  readonly catalog: RecordingCatalog;
  /** The recorded past. */
  readonly media: PastMedia;
  /** Of recordings; null: they get none. */
  readonly thumbnails: Omit<ThumbnailSheetsOptions, 'tables'> | null;
  readonly imports: RecordingImports;
  /** Copies of what video recorders have. */
  readonly pulls: RecordingImports;
  /** Deletes copies of what video recorders have. Rejects like the store. */
  removePulled(files: readonly PulledFile[]): Promise<void>;
  /** An organization wants to hand over files of this size, and the disk is full: its own oldest recordings go. */
  makeRoom(orgUuid: Ruuid, byteLength: number): void;
  /** Bytes of a file that is on another node's disk; null: there are no such files. */
  readonly readElsewhere: ((job: ReadJob) => Promise<Buffer>) | null;
  /** As in RecordingFiles. */
  readonly onDeleted: RecordingFiles['onDeleted'];
  /** Shares out reads by organization from now on. null: the camera is not known. */
  shareReads(organizationOf: (cameraUuid: string) => string | null): void;
  /** The taps of a camera's renditions; null: this one is never recorded. */
  tapFor(cameraUuid: Ruuid, rendition: RenditionName): RecordingTap | null;
  /** Records by the rules of the configuration and the API, from now on. */
  begin(cameras: LiveCameras): Promise<void>;
  /** Reads the recording rules again: for commits whose event was not sent. Rejects like the store. */
  refresh(): Promise<void>;
  /** The file's cameras have been read again. */
  configure(cameras: readonly CameraConfig[]): Promise<void>;
  /**
   * Something happened in front of the camera, epoch milliseconds. A camera that records events writes it, with pre-roll
   * and post-roll; for any other, nothing happens.
   */
  recordAround(cameraUuid: Ruuid, fromMs: number, toMs: number): void;
  /** How the camera is recorded, from the file, the API, and people, after every change that this gateway knows of. */
  ruleInEffect(cameraUuid: Ruuid): Promise<RuleInEffect>;
  /** How long recordings stay. Rejects like the store. */
  forecast(): Promise<RetentionForecast>;
  samples(): RecordingSample[];
  /** Whether the recorder's thread runs. */
  isRunning(): boolean;
  /** Bytes waiting for the disk. */
  waitingBytes(): number;
  /** Finished files cannot be uploaded now. */
  isUploadFailing(): boolean;
  /** The same for finished clips, which the API's thread uploads. */
  readonly clipUploads: { isFailing: boolean };
  /** H.264 of recordings cannot be kept on the disk now. */
  readonly h264Cache: { isFailing: () => boolean };
  /** Files that wait for S3. */
  spool(): { readonly byteLength: number; readonly oldestAgeSec: number };
  deletedFiles(): number;
  unreadableFiles(): number;
}

export function startRecording(
  options: GatewayOptions,
  parts: RecordingParts,
  cleanup: Cleanup,
): RecordingStage {
  const { clock, log } = options;
  const { store, cluster } = parts;
  const control = new RecordingControl({ options, store, cluster });
  const files = openRecordingFiles(options, parts, (cameraUuid) => control.ruleOf(cameraUuid));
  const { recorder, catalog, reads, imports, pulls, keeper, forecasts, thumbnails, readElsewhere } = files;
  const allReads = readElsewhere === null ? reads : readsOfAllNodes(reads, readElsewhere);
  const ends = new ManualRecordingEnds({ store, clock, log });
  cleanup.add('ends of recordings', () => ends.close());
  cleanup.add('recordings', async () => {
    control.close();
    await files.close();
  });
  return {
    catalog,
    imports,
    pulls,
    removePulled: (removed) => {
      recorder.start();
      return keeper.remove(removed);
    },
    readElsewhere,
    onDeleted: files.onDeleted,
    shareReads: (organizationOf) => {
      reads.organizationOf = organizationOf;
      recorder.organizationOf = organizationOf;
    },
    makeRoom: (orgUuid, byteLength) => {
      if (recorder.isRunning) keeper.makeRoom(orgUuid, byteLength);
    },
    media: recordedMedia(catalog, allReads, clock),
    thumbnails:
      thumbnails === null
        ? null
        : {
            read: (name) => allReads.read({ name, offset: 0, length: MAX_THUMBNAILS_BYTES, isAtMost: true }),
            unstored: (name) => thumbnails.unstored(name),
          },
    tapFor: (cameraUuid, rendition) =>
      isRecordedRendition(rendition) ? recorder.tap({ cameraUuid, rendition }) : null,
    begin: async (cameras) => {
      for (const { cameraUuid, recordingNumber } of await store.uploads.unfinished()) {
        if (recordingNumber !== null) imports.keep(cameraUuid, recordingNumber);
      }
      await control.begin(cameras, recorder);
    },
    refresh: () => control.refresh(),
    configure: (reloaded) => control.configure(reloaded),
    recordAround: (cameraUuid, fromMs, toMs) => {
      const wanted = control.recordAround(cameraUuid, fromMs, toMs);
      if (wanted === null) return;
      for (const rendition of RECORDED_RENDITIONS) {
        catalog.claim({ cameraUuid, rendition }, wanted.fromMs, wanted.toMs).catch((thrown) => {
          const err = toGatewayError(thrown);
          log.error({ camera: cameraUuid, err }, 'recording of an event kept for shares only');
        });
      }
    },
    ruleInEffect: async (cameraUuid) => {
      await control.settled();
      const forecast = await forecasts.read().catch(() => null);
      const { streams, preRollMs, postRollMs, keep } = options.config.recording;
      const { mainMs: keepMs, subMs: keepSubMs, keyFramesMs: keepKeyFramesMs } = keep;
      const { maxSizePerCameraBytes: maxBytes } = options.config.recording;
      return {
        rule: control.ruleOf(cameraUuid),
        ...control.settingsInFile(cameraUuid),
        defaults: { streams, preRollMs, postRollMs, keepMs, keepSubMs, keepKeyFramesMs, maxBytes },
        forecast: forecast === null ? null : forecastOfCamera(forecast, cameraUuid),
      };
    },
    forecast: () => forecasts.read(),
    samples: () => recorder.samples(),
    isRunning: () => recorder.isRunning,
    waitingBytes: () => recorder.waitingBytes,
    isUploadFailing: () => recorder.isUploadFailing,
    clipUploads: { isFailing: false },
    h264Cache: { isFailing: () => false },
    spool: () => {
      const { byteLength, oldestEpochMs } = recorder.spool;
      // The clock may have been set back since.
      const oldestAgeMs = oldestEpochMs === null ? 0 : Math.max(0, clock.epochMs() - oldestEpochMs);
      return { byteLength, oldestAgeSec: oldestAgeMs / MS_PER_SEC };
    },
    deletedFiles: () => keeper.deletedFiles,
    unreadableFiles: () => keeper.unreadableFiles,
  };
}
