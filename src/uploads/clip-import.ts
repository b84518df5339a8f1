/**
 * Turns the file of a finished upload into a recording file of its camera: checksum, content, times, segments. When all steps are
 * done, the recording is on the disk and in the catalog; until then, nothing of it is visible.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { RecordingImports } from '../recording/recording-imports.ts';
import type { StoredUpload } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import {
  type CarriedClip,
  convertedFile,
  type ForeignClip,
  receivedFile,
  type Spool,
} from './spool-protocol.ts';

/** A clip that is in the recordings. */
export interface ImportedClip {
  readonly upload: StoredUpload;
  readonly durationMs: number;
}

/** A clip fits into one recording file. */
export const MAX_CLIP_MS = 90 * 60_000;
/** How far the clock of a recorder may be ahead. */
export const CLOCK_SKEW_MS = 5 * 60_000;
/** Nothing was recorded before the year 2000; a clock that was never set says 1970. */
export const EARLIEST_START_MS = Date.UTC(2000, 0, 1);

/** Makes a file of what we do not carry: an ffmpeg worker (ffmpeg-converter.ts). */
export interface ClipConverter {
  /**
   * Writes `to` from `from`. Fails UPLOAD_NOT_SUPPORTED for what it cannot read, UPLOAD_TOO_LONG and UPLOAD_TOO_COSTLY for
   * what would take too much, FFMPEG_… if it cannot work now. `found`: what our own reader knows of the file. `organization`:
   * whose clip it is. `signal` ends it.
   */
  convert(
    from: string,
    to: string,
    found: ForeignClip,
    organization: string,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface ClipImportOptions {
  readonly spool: Spool;
  readonly imports: RecordingImports;
  readonly converter: ClipConverter;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** How long recordings are kept. */
  readonly keepMs: number;
}

/** Fails UPLOAD_TIME_IMPOSSIBLE, UPLOAD_TOO_OLD. `durationMs`: 0 as long as it is not known. */
export function expectPossibleTime(startMs: number, durationMs: number, nowMs: number, keepMs: number): void {
  if (startMs < EARLIEST_START_MS || startMs + durationMs > nowMs + CLOCK_SKEW_MS) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TIME_IMPOSSIBLE, { timestampMs: startMs });
  }
  if (startMs < nowMs - keepMs)
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_OLD, { timestampMs: startMs });
}

export interface ImportSteps {
  /** Stores the number of the recording and the duration before anything is written under it. */
  readonly choose: (number: number, durationMs: number) => Promise<void>;
  /** The last moment before the clip is one of the recordings. Rejects if it may not become one. */
  readonly confirm: () => Promise<void>;
}

/** The file of an upload as we carry it, and the clip in it. */
export interface ReadableClip {
  readonly clip: CarriedClip;
  readonly file: string;
}

/**
 * Reads the file that was received. `signal`: aborted with the error that ends the import. Fails UPLOAD_CHECKSUM and like the
 * spool: with kind `peer-protocol` for the reason that the clip is refused for.
 */
export async function readClip(
  upload: StoredUpload,
  { spool }: Pick<ClipImportOptions, 'spool'>,
  signal: AbortSignal,
): Promise<ReadableClip | ForeignClip> {
  const file = receivedFile(upload.uuid);
  if (upload.sha256 !== null && (await spool.call({ name: 'hash', file })) !== upload.sha256) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_CHECKSUM, {});
  }
  signal.throwIfAborted();
  const found = await spool.call({ name: 'inspect', file });
  return found.kind === 'carried' ? { clip: found, file } : found;
}

/** Makes a file that we carry of one that we do not. Fails like ClipConverter. */
export async function convertClip(
  { uuid, orgUuid }: StoredUpload,
  found: ForeignClip,
  { converter }: Pick<ClipImportOptions, 'converter'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await converter.convert(receivedFile(uuid), convertedFile(uuid), found, orgUuid, signal);
  } catch (thrown) {
    // The signal's error says more than that of an interrupted call.
    signal.throwIfAborted();
    throw thrown;
  }
}

/** `what`: the received file is. Fails UPLOAD_NOT_SUPPORTED. */
export async function readConverted(
  { uuid }: StoredUpload,
  { what, isCut = false }: ForeignClip,
  { spool }: Pick<ClipImportOptions, 'spool'>,
): Promise<ReadableClip> {
  const file = convertedFile(uuid);
  const clip = await spool.call({ name: 'inspect', file });
  if (clip.kind === 'carried') return { clip: { ...clip, isCut: clip.isCut || isCut }, file };
  throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_SUPPORTED, { what });
}

/**
 * Resolves with the duration in milliseconds. Fails UPLOAD_… of kind `peer-protocol` or `invalid-input` for what the clip
 * is refused for, with anything else if it cannot be done now.
 */
export async function writeClip(
  upload: StoredUpload,
  { clip, file }: ReadableClip,
  options: ClipImportOptions,
  { choose, confirm }: ImportSteps,
  signal: AbortSignal,
): Promise<number> {
  const { clock, keepMs } = options;
  if (clip.durationMs > MAX_CLIP_MS) {
    throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_LONG, { durationMs: clip.durationMs });
  }
  // A clock that was set back meanwhile does not make a time impossible that was accepted.
  const nowMs = Math.max(clock.epochMs(), upload.createdAtMs, upload.updatedAtMs);
  expectPossibleTime(upload.startMs, clip.durationMs, nowMs, keepMs);
  const durationMs = Math.round(clip.durationMs);
  const number = await options.imports.reserve(upload.cameraUuid);
  await choose(number, durationMs);
  try {
    await writeSegments(upload, { number, clip, file, signal }, options);
    await confirm();
    await options.imports.finish(upload.cameraUuid, number);
  } catch (thrown) {
    await options.imports.cancel(upload.cameraUuid, number).catch((failure) => {
      // The next attempt begins with it, because the number is stored. Unless there is one, nothing may be left now.
      if (toGatewayError(thrown).kind !== 'unavailable') throw failure;
    });
    throw thrown;
  }
  return durationMs;
}

async function writeSegments(
  { cameraUuid, startMs }: StoredUpload,
  of: {
    readonly number: number;
    readonly clip: CarriedClip;
    readonly file: string;
    readonly signal: AbortSignal;
  },
  { spool, imports }: ClipImportOptions,
): Promise<void> {
  const { number, clip, file, signal } = of;
  const { timescaleHz } = clip;
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const segment = await spool.call({ name: 'segment', file });
    if (segment === null) break;
    const { bytes, startTicks, durationTicks, pictures, isAfterGap } = segment;
    const init = isFirst || isAfterGap ? clip.init : null;
    const part = {
      timescaleHz,
      startTicks,
      durationTicks,
      pictures,
      init,
      epochMs: startMs + clip.skippedMs + (startTicks / timescaleHz) * 1_000,
      isSegmentStart: true,
      isSegmentEnd: true,
      isDiscontinuity: init !== null,
    };
    await imports.append(cameraUuid, number, { part, bytes, expectedBytes: clip.byteLength });
  }
}
