/**
 * Imports of uploads that are complete, in turn. What only has to be read and written waits in one line, what ffmpeg has
 * to convert in another: a conversion takes as long as decoding does. Organizations take turns in both.
 */

import type { Clock } from '../core/clock.ts';
import { type GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { StoredUpload } from '../store/upload.ts';
import {
  type ClipImportOptions,
  convertClip,
  type ImportedClip,
  type ReadableClip,
  readClip,
  readConverted,
  writeClip,
} from './clip-import.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type { ConfirmAccess, ImportAccess } from './import-access.ts';
import { isAccessEnd } from './import-access.ts';
import type { LiveUpload } from './live-upload.ts';
import type { OwnUploads } from './own-uploads.ts';
import type { ForeignClip } from './spool-protocol.ts';
import { isRefusal, refusalText } from './upload-refusal.ts';
import { COPIES, type OnNoRoom, STEP_BYTES, tooMany } from './upload-room.ts';

/** Steps that an import takes with its upload. */
export interface ImportOutcomes {
  /** Its number and duration are known: stores them. */
  readonly save: (live: LiveUpload, upload: StoredUpload) => Promise<void>;
  /** It is done or refused: stores that, after which it is not live anymore. */
  readonly settle: (live: LiveUpload, upload: StoredUpload) => Promise<void>;
  /** Its access has ended: nothing is left of it. */
  readonly forget: (upload: StoredUpload) => Promise<void>;
  readonly imported: () => void;
}

export interface ClipImportsOptions extends Omit<ClipImportOptions, 'clock'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Lists the clip. Called again for the same clip if the gateway ended in between. */
  readonly onImported: (clip: ImportedClip) => Promise<void>;
  readonly uploads: Pick<OwnUploads, 'expectOwn'>;
  readonly access: ImportAccess;
  readonly outcomes: ImportOutcomes;
  readonly onNoRoom?: OnNoRoom | undefined;
  /** Aborted with the error that ends all imports. */
  readonly stopping: AbortSignal;
}

export class ClipImports {
  readonly #options: ClipImportsOptions;
  readonly #reading = new FairQueue(queueOptionsOf(LIMITS.clipImports));
  readonly #converting = new FairQueue(queueOptionsOf(LIMITS.clipConversions));

  constructor(options: ClipImportsOptions) {
    this.#options = options;
  }

  /** When it is its turn. Resolves with the upload when the clip is in the recordings. Fails with what it is refused for. */
  async import(live: LiveUpload): Promise<StoredUpload> {
    const { clock, log, onImported, outcomes, stopping } = this.#options;
    const { uuid, cameraUuid } = live.upload;
    try {
      stopping.throwIfAborted();
      const durationMs = await this.#write(live);
      await onImported({ upload: live.upload, durationMs });
      await outcomes.settle(live, {
        ...live.upload,
        state: 'done',
        durationMs,
        updatedAtMs: clock.epochMs(),
      });
      outcomes.imported();
      log.info({ upload: uuid, camera: cameraUuid, durationMs }, 'clip handed over');
    } catch (thrown) {
      await this.#failed(live, toGatewayError(thrown));
      throw thrown;
    }
    return live.upload;
  }

  async #failed(live: LiveUpload, error: GatewayError): Promise<void> {
    const { clock, log, outcomes, onNoRoom } = this.#options;
    const { uuid, cameraUuid, orgUuid, byteLength } = live.upload;
    if (isAccessEnd(error)) {
      // Nothing is left of it: a later sender begins again.
      await outcomes.forget(live.upload);
      log.info({ upload: uuid, camera: cameraUuid, code: error.code }, 'upload ended');
    } else if (isRefusal(error)) {
      const refused = { state: 'refused', refusal: refusalText(error), recordingNumber: null } as const;
      await outcomes.settle(live, { ...live.upload, ...refused, updatedAtMs: clock.epochMs() });
      log.info({ upload: uuid, camera: cameraUuid, code: error.code, ...error.context }, 'clip refused');
    } else {
      // A conversion. What it has written is still there, and is free again when it begins again.
      if (error.code === UPLOAD_ERRORS.UPLOAD_NO_ROOM.code)
        onNoRoom?.(orgUuid, COPIES * byteLength + STEP_BYTES);
      live.retryMonoMs = clock.monoMs() + live.backoff.failed();
      log.warn({ upload: uuid, camera: cameraUuid, err: error }, 'clip not imported yet');
    }
  }

  /** Resolves with its duration when it is in the recordings. */
  async #write(live: LiveUpload): Promise<number> {
    const options = this.#options;
    const found = await this.#inTurn(this.#reading, live, async (signal, confirm) => {
      const listedMs = await this.#listed(live);
      if (listedMs !== null) return listedMs;
      const read = await readClip(live.upload, options, signal);
      return 'clip' in read ? this.#put(live, read, signal, confirm) : read;
    });
    if (typeof found === 'number') return found;
    await this.#inTurn(this.#converting, live, (signal) => convertClip(live.upload, found, options, signal));
    return this.#inTurn(this.#reading, live, async (signal, confirm) =>
      this.#put(live, await this.#converted(live, found), signal, confirm),
    );
  }

  #converted({ upload }: LiveUpload, found: ForeignClip): Promise<ReadableClip> {
    return readConverted(upload, found, this.#options);
  }

  /** Its duration if an earlier import has written all; what one has begun is given up. */
  async #listed({ upload }: LiveUpload): Promise<number | null> {
    const { imports } = this.#options;
    const { cameraUuid, recordingNumber, durationMs } = upload;
    if (recordingNumber === null) return null;
    if (await imports.isListed(cameraUuid, recordingNumber)) {
      imports.release(cameraUuid, recordingNumber);
      return durationMs ?? 0;
    }
    await imports.cancel(cameraUuid, recordingNumber);
    return null;
  }

  #put(live: LiveUpload, read: ReadableClip, signal: AbortSignal, confirm: ConfirmAccess): Promise<number> {
    const { uploads, outcomes, clock, log } = this.#options;
    const { uuid, cameraUuid } = live.upload;
    if (read.clip.isCut)
      log.warn({ upload: uuid, camera: cameraUuid }, 'clip is cut short, its whole part is kept');
    const choose = (recordingNumber: number, durationMs: number): Promise<void> => {
      const chosen = { state: 'importing', recordingNumber, durationMs } as const;
      return outcomes.save(live, { ...live.upload, ...chosen, updatedAtMs: clock.epochMs() });
    };
    const confirmOwn = () => confirm().then(() => uploads.expectOwn(live.upload.uuid));
    return writeClip(live.upload, read, this.#options, { choose, confirm: confirmOwn }, signal);
  }

  /** Its access is checked when its turn has come, and while it lasts. */
  async #inTurn<T>(
    queue: FairQueue,
    { upload }: LiveUpload,
    work: (signal: AbortSignal, confirm: ConfirmAccess) => Promise<T>,
  ): Promise<T> {
    const { access, stopping } = this.#options;
    const turn = { group: upload.orgUuid, member: upload.keyUuid };
    const done = await queue.run(
      turn,
      async () => ({ value: await access.during(upload, stopping, work) }),
      stopping,
    );
    if (done === null) throw tooMany({ isTaken: false, level: 'organization' });
    return done.value;
  }
}
