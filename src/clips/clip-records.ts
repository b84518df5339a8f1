/**
 * The store's records of a clip besides the saved clip itself: its job until the clip is complete, and a file per device. A file
 * is listed only when all of it is on the disk, so a file without a record is never served.
 */

import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CopiedMovie } from '../playback/movie-protocol.ts';
import { CLIPS_FOLDER } from '../recording/open-storage.ts';
import { type Resource, resourceKind } from '../store/resource.ts';

export interface ClipDevice {
  /** With its facet, as the caller named it. */
  readonly device: string;
  readonly cameraUuid: Ruuid;
}

/** The requested form of a timelapse, besides its time. */
export interface TimelapseOrder {
  /** Duration of the movie. */
  readonly durationMs: number;
  readonly skipsNights: boolean;
  readonly skipsWeekends: boolean;
  /** By camera: where its nights and weekends are. */
  readonly timeZones: Readonly<Record<Ruuid, string>>;
}

/** Its uuid is the clip's, its parent the queue (`clipQueue`). */
export interface ClipJobBody {
  readonly devices: readonly ClipDevice[];
  /** Wall time, epoch milliseconds; half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly hasAudio: boolean;
  /** The recorded stream that is no higher, or the lowest; absent: the main stream. */
  readonly maxHeightPx?: number;
  /** A clip that was handed over: the number of its recording, which it shows and nothing else. */
  readonly recordingNumber?: number;
  /** Single frames of the time instead of all of it. */
  readonly timelapse?: TimelapseOrder;
  /** A clip of a policy alert (alert-clips.ts): made of the cameras that have a recording. */
  readonly alertUuid?: Ruuid;
  /** The instant that its images show; default: the first frame. */
  readonly imageAtMs?: number;
  /** The code of an error; null: it has not failed. */
  readonly failureCode: string | null;
}

export type ClipJob = Resource<ClipJobBody>;

/** An image of a clip's first frame. */
export interface ClipImage {
  readonly name: string;
  readonly byteLength: number;
  readonly sha256Hex: string;
  /** The stored bytes are the image, byte for byte. Default false. */
  readonly isPlain?: boolean;
}

/** Its parent is the clip. Files of earlier versions do not say whether they are plain. */
export interface ClipFileBody extends Omit<CopiedMovie, 'isPlain'>, ClipDevice {
  readonly isPlain?: boolean;
  /** In the storage of the recordings. */
  readonly name: string;
  /** JPEG; null: none could be made. */
  readonly image: ClipImage | null;
  /** What the camera signed in it; absent: nothing. */
  readonly cameraSignature?: CameraSignature;
  /** Its clip is that of a policy alert. */
  readonly alertUuid?: Ruuid;
  /** There is an image, and no video: `name` and `byteLength` mean nothing. */
  readonly isImageOnly?: boolean;
}

export type ClipFile = Resource<ClipFileBody>;

export const CLIP_JOBS = resourceKind<ClipJobBody>('clipJob');
export const CLIP_FILES = resourceKind<ClipFileBody>('clipFile');

export function clipFileName(clipUuid: Ruuid, cameraUuid: Ruuid): string {
  return `${CLIPS_FOLDER}/${clipUuid}/${cameraUuid}.mp4`;
}

export function clipImageName(clipUuid: Ruuid, cameraUuid: Ruuid): string {
  return `${CLIPS_FOLDER}/${clipUuid}/${cameraUuid}.jpeg`;
}

/** Why a job exists. Each kind has its own limit, so that none takes the room of another. */
export type ClipCause = 'ordered' | 'uploaded' | 'alert';

/** The parent of jobs of one kind, by which the store counts them. */
export function clipQueue(cause: ClipCause, orgUuid: Ruuid): Ruuid {
  return deriveRuuid(`clip queue ${cause}`, orgUuid);
}

export function clipFileUuid(clipUuid: Ruuid, cameraUuid: Ruuid): Ruuid {
  return deriveRuuid(`clip file ${clipUuid}`, cameraUuid);
}
