/**
 * Clips that recorders hand over: announced, received in pieces, looked at, and put into the camera's recordings. Acknowledged
 * bytes are on the disk; an unfinished upload continues after any interruption (docs/design/upload.md).
 */

import { CautiousClock } from '../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { eachAlone } from '../core/each-alone.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Level } from '../core/limits/shared-limit.ts';
import type { Log } from '../core/log.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import type { StoredUpload } from '../store/upload.ts';
import { type ClipClaims, isSameClip, uploadUuid } from './clip-claims.ts';
import { type ClipImportOptions, expectPossibleTime, type ImportedClip } from './clip-import.ts';
import { ClipImports } from './clip-imports.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { ImportAccess } from './import-access.ts';
import { keptMs, type LiveUpload, liveUpload, longestIdle } from './live-upload.ts';
import { isEnded, type OwnUploads } from './own-uploads.ts';
import { restoreUpload } from './restore-upload.ts';
import { RunningUploads } from './running-uploads.ts';
import { convertedFile, receivedFile } from './spool-protocol.ts';
import { expectAllowed, type Uploader, type UploadRightsSource } from './upload-access.ts';
import { UploadCounts } from './upload-counts.ts';
import { refusalOf } from './upload-refusal.ts';
import { type OnNoRoom, tooMany, type UploadLimits, UploadPlace, UploadRoom } from './upload-room.ts';

export interface UploadServiceOptions extends ClipImportOptions {
  readonly onNoRoom?: OnNoRoom;
  readonly uploads: OwnUploads;
  readonly rights: UploadRightsSource;
  /** Lists the clip. Called again for the same clip if the gateway ended in between. */
  readonly onImported: (clip: ImportedClip) => Promise<void>;
  readonly limits: UploadLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** As the protocol shows it. */
export interface UploadStatus {
  readonly upload: StoredUpload;
  /** The bytes that need not be sent again; all of them: it is done. */
  readonly offset: number;
  /** When it is forgotten if it is not finished by then. */
  readonly expiresAtMs: number;
}

/** Written since the last time that it was made certain. */
export const SYNC_BYTES = 16 * 1_048_576;
const EVERYONE = '';
const SWEEP_INTERVAL_MS = 60_000;
/** How long a clip that was handed over is recognized, and the reason for one that was refused is known. */
const FORGET_DONE_MS = 400 * 86_400_000;
const FORGET_REFUSED_MS = 7 * 86_400_000;
/** At a node that has not come back in this time after it should have deleted an upload. */
const ABANDONED_AFTER_MS = 7 * 86_400_000;

export class UploadService {
  readonly running: RunningUploads;
  readonly counts = new UploadCounts();
  readonly #options: UploadServiceOptions;
  readonly #wallClock: CautiousClock;
  /** Those that are neither done nor refused. */
  readonly #live = new Map<Ruuid, LiveUpload>();
  readonly #room: UploadRoom;
  readonly #imports: ClipImports;
  readonly #importAccess: ImportAccess;
  /** By organization, and key. */
  readonly #announcements = new FairQueue(queueOptionsOf(LIMITS.uploadAnnouncements));
  /** One after the other: each counts those before it, and two of one clip are one. */
  readonly #announcing = new KeyedLock();
  #sweepTimer: TimerHandle | null = null;
  readonly #stopping = new AbortController();

  constructor(options: UploadServiceOptions) {
    this.#options = options;
    this.#wallClock = new CautiousClock(options.clock);
    const { rights, clock, limits, spool, onNoRoom } = options;
    this.running = new RunningUploads(rights, clock, limits);
    this.#room = new UploadRoom(spool, limits, onNoRoom);
    this.#importAccess = new ImportAccess(rights, clock);
    this.#imports = new ClipImports({
      ...options,
      access: this.#importAccess,
      stopping: this.#stopping.signal,
      outcomes: {
        save: (live, upload) => {
          live.upload = upload;
          return this.#save(upload);
        },
        settle: (live, upload) => this.#settle(live, upload),
        forget: (upload) => this.#forgetInTurn(upload),
        imported: () => void this.counts.imported++,
      },
    });
  }

  /** Continues what an earlier gateway left. `hasFiles`: there may be files of uploads. */
  async begin(hasFiles: boolean): Promise<void> {
    const { uploads, spool } = this.#options;
    const unfinished = await uploads.unfinished();
    if (unfinished.length > 0) await this.#restore(unfinished);
    const known = new Set<string>(unfinished.map(({ uuid }) => receivedFile(uuid)));
    if (hasFiles) {
      const unknown = (await spool.call({ name: 'list' })).filter((file) => !known.has(file));
      await this.#deleteNamed(unknown);
    }
    this.#arm();
  }

  /** Announces a clip, or says how far one is that was announced. Fails UPLOAD_…, or like the store. */
  announce(uploader: Uploader, claims: ClipClaims): Promise<UploadStatus> {
    return this.counts.watch(this.#announce(uploader, claims));
  }

  /**
   * How far an upload is. If all its bytes are there, waits until it is done. Fails UPLOAD_NOT_FOUND also for another
   * key's, and with what it was refused for.
   */
  status(uploader: Uploader, uuid: string): Promise<UploadStatus> {
    return this.counts.watch(this.#find(uploader, uuid).then((upload) => this.#progressOf(upload)));
  }

  /** How far it is without waiting for anything: whether it is done, is not said. */
  received(uploader: Uploader, uuid: string): Promise<UploadStatus> {
    return this.counts.watch(this.#find(uploader, uuid).then((upload) => this.#statusOf(upload)));
  }

  /**
   * Takes bytes from `offset` on, as far as they come; resolves with the offset after them, which is on the disk. `onEnd`
   * is called if the key or the camera is lost meanwhile: nothing more is taken then. Fails UPLOAD_OFFSET,
   * UPLOAD_TOO_MANY, and like `chunks`; what came before is kept.
   */
  receive(
    uploader: Uploader,
    uuid: string,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
    onEnd: (refusal: GatewayError) => void,
  ): Promise<number> {
    return this.counts.watch(this.#receive(uploader, uuid, offset, chunks, onEnd));
  }

  /** All bytes are there: resolves when the clip is in the recordings. Fails with what it is refused for. */
  finish(uploader: Uploader, uuid: string): Promise<StoredUpload> {
    const found = this.#find(uploader, uuid);
    return this.counts.watch(
      found.then((upload) => {
        const live = this.#live.get(upload.uuid);
        return live === undefined ? upload : this.#finish(live);
      }),
    );
  }

  /** Forgets an upload that is not finished. One that is done stays done. */
  async remove(uploader: Uploader, uuid: string): Promise<void> {
    const upload = await this.#find(uploader, uuid);
    const live = this.#live.get(upload.uuid);
    if (live?.finishing != null) await live.finishing.catch(() => undefined);
    if (this.#live.has(upload.uuid)) await this.#forgetInTurn(upload);
  }

  /** A key or a camera has changed: ends uploads that may no longer continue. */
  recheck(): void {
    this.running.recheck();
    this.#importAccess.recheck();
  }

  async close(): Promise<void> {
    this.#stopping.abort(new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {}));
    this.#sweepTimer?.cancel();
    this.running.close();
    const ending = Array.from(this.#live.values(), ({ finishing }) => finishing?.catch(() => undefined));
    await Promise.all(ending);
  }

  /** For metrics. */
  get unfinished(): number {
    return this.#live.size;
  }

  async #announce(uploader: Uploader, claims: ClipClaims): Promise<UploadStatus> {
    const { rights, limits } = this.#options;
    expectAllowed(uploader, rights.uploadRights(uploader.keyUuid, claims.cameraUuid));
    if (claims.byteLength > limits.maxBytes) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_LARGE, { maxBytes: limits.maxBytes });
    }
    if (claims.byteLength === 0) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_EMPTY, {});
    const turn = { group: uploader.orgUuid, member: uploader.keyUuid };
    const known = await this.#announcements.run(turn, () =>
      this.#announcing.run(EVERYONE, () => this.#begin(uploader, claims)),
    );
    if (known === null) throw tooMany({ isTaken: false, level: 'credential' });
    return this.#progressOf(known);
  }

  /** The upload of this clip, which is new if there was none. */
  async #begin(uploader: Uploader, claims: ClipClaims): Promise<StoredUpload> {
    const { clock, keepMs, uploads } = this.#options;
    const uuid = uploadUuid(uploader.keyUuid, claims);
    const running = this.#live.get(uuid);
    const found = running?.upload ?? (await uploads.find(uuid));
    const isElsewhere = found !== null && uploads.isElsewhere(found);
    const known = isElsewhere ? await this.#takeOver(found) : found;
    if (known !== null && isSameClip(known, claims)) return known;
    const isImporting = known?.state === 'importing' || (running?.finishing ?? null) !== null;
    if (known?.state === 'done' || isImporting) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_CLIP_ID_USED, {});
    }
    const nowMs = clock.epochMs();
    expectPossibleTime(claims.startMs, 0, nowMs, keepMs);
    if (known !== null) await this.#forget(known);
    await this.#room.expectFits(uploader, claims.byteLength);
    const place = await this.#placeFor(uploader);
    const { clipId, cameraUuid, title, fileType, sha256, startMs, byteLength } = claims;
    const upload: StoredUpload = {
      uuid,
      orgUuid: uploader.orgUuid,
      keyUuid: uploader.keyUuid,
      cameraUuid,
      clipId,
      title,
      fileType,
      sha256,
      startMs,
      byteLength,
      syncedBytes: 0,
      state: 'receiving',
      refusal: null,
      recordingNumber: null,
      durationMs: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      nodeId: uploads.nodeId,
    };
    this.#live.set(uuid, liveUpload(upload, place));
    try {
      await this.#options.spool.call({ name: 'create', file: receivedFile(uuid) });
      await uploads.save(upload);
    } catch (thrown) {
      this.#drop(uuid);
      throw thrown;
    }
    return upload;
  }

  /** If there is none, the one that has been idle longest and has no byte makes room. Fails UPLOAD_TOO_MANY. */
  async #placeFor(uploader: Uploader): Promise<UploadPlace> {
    for (;;) {
      const place = this.#room.enter(uploader);
      if (place instanceof UploadPlace) return place;
      const idle = longestIdle(this.#live.values(), isOf(uploader, place.level));
      if (idle === null) throw tooMany(place);
      await this.#forget(idle.upload);
      this.#options.log.info({ upload: idle.upload.uuid, boundOf: place.level }, 'idle upload made room');
    }
  }

  /**
   * Takes over a clip from a node that is gone. null: it begins again, because the bytes are on that node's disk. Fails
   * UPLOAD_AT_OTHER_NODE.
   */
  async #takeOver(found: StoredUpload): Promise<StoredUpload | null> {
    const { uploads, imports } = this.#options;
    const { cameraUuid, recordingNumber: number } = found;
    const isListed = number !== null && (await imports.isListed(cameraUuid, number));
    const upload = await uploads.take(found, isListed);
    if (isListed)
      this.#live.set(upload.uuid, liveUpload(upload, this.#room.restore(upload), upload.byteLength));
    else await this.#forget(upload);
    return isListed ? upload : null;
  }

  async #receive(
    uploader: Uploader,
    uuid: string,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
    onEnd: (refusal: GatewayError) => void,
  ): Promise<number> {
    const upload = await this.#find(uploader, uuid);
    const live = this.#live.get(upload.uuid);
    if (live === undefined || live.isReceiving || live.offset !== offset) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_OFFSET, { offset: live?.offset ?? upload.byteLength });
    }
    if (offset === upload.byteLength) return offset;
    if (this.#stopping.signal.aborted) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {});
    const run = this.running.begin(uploader, upload.cameraUuid, onEnd);
    live.isReceiving = true;
    try {
      for await (const chunk of chunks) {
        run.touch();
        await this.#append(live, chunk);
      }
    } finally {
      run.end();
      await this.#makeCertain(live).finally(() => {
        live.isReceiving = false;
      });
    }
    return live.offset;
  }

  async #find(uploader: Uploader, uuid: string): Promise<StoredUpload> {
    const { uploads, rights } = this.#options;
    const known = isRuuid(uuid) ? (this.#live.get(uuid)?.upload ?? (await uploads.find(uuid))) : null;
    const isOwn = known?.keyUuid === uploader.keyUuid && known.orgUuid === uploader.orgUuid;
    if (known !== null && isOwn) uploads.expectNotElsewhere(known);
    // One that is unfinished and not live is being forgotten, or was at a node that is gone.
    const isGone = known !== null && !isEnded(known) && !this.#live.has(known.uuid);
    if (known === null || !isOwn || isGone) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NOT_FOUND, {});
    expectAllowed(uploader, rights.uploadRights(uploader.keyUuid, known.cameraUuid));
    if (known.state === 'refused') throw refusalOf(known);
    return known;
  }

  /** Complete, but not imported: the client must not take it for done. */
  async #progressOf(upload: StoredUpload): Promise<UploadStatus> {
    const live = this.#live.get(upload.uuid);
    const isComplete = live !== undefined && !live.isReceiving && live.offset === upload.byteLength;
    return this.#statusOf(isComplete ? await this.#finish(live) : upload);
  }

  #statusOf(upload: StoredUpload): UploadStatus {
    if (upload.state === 'refused') throw refusalOf(upload);
    const live = this.#live.get(upload.uuid);
    const offset = live === undefined ? upload.byteLength : live.offset;
    const { keepUnfinishedMs } = this.#options.limits;
    return { upload, offset, expiresAtMs: upload.createdAtMs + keptMs({ offset }, keepUnfinishedMs) };
  }

  async #append(live: LiveUpload, chunk: Uint8Array): Promise<void> {
    const { upload, offset } = live;
    if (offset + chunk.length > upload.byteLength) {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_OFFSET, { byteLength: upload.byteLength });
    }
    await this.#room.reserve(live.place, offset + chunk.length, upload.byteLength);
    // A copy: the chunk may be a view of memory that others use.
    const bytes = new Uint8Array(chunk);
    await this.#options.spool.call({ name: 'append', file: receivedFile(upload.uuid), offset, bytes });
    live.offset = offset + chunk.length;
    live.place.arrivedBytes = live.offset;
    this.counts.receivedBytes += chunk.length;
    if (live.offset - live.upload.syncedBytes >= SYNC_BYTES) await this.#makeCertain(live);
  }

  /** Makes the bytes so far survive a power cut. */
  async #makeCertain(live: LiveUpload): Promise<void> {
    const { spool, clock } = this.#options;
    const syncedBytes = live.offset;
    if (syncedBytes === live.upload.syncedBytes) return;
    await spool.call({ name: 'sync', file: receivedFile(live.upload.uuid) });
    live.upload = { ...live.upload, syncedBytes, updatedAtMs: clock.epochMs() };
    await this.#save(live.upload);
  }

  /** Nothing is left here of one that another node has taken, because this one was paused. */
  async #save(upload: StoredUpload): Promise<void> {
    try {
      await this.#options.uploads.save(upload);
    } catch (thrown) {
      if (toGatewayError(thrown).code === UPLOAD_ERRORS.UPLOAD_AT_OTHER_NODE.code) {
        this.#drop(upload.uuid);
        await this.#deleteFiles(upload.uuid);
      }
      throw thrown;
    }
  }

  /** When it is its turn; who asks again waits for the same. */
  #finish(live: LiveUpload): Promise<StoredUpload> {
    const { offset, upload } = live;
    if (offset !== upload.byteLength) return Promise.resolve(upload);
    live.finishing ??= this.#imports.import(live).finally(() => {
      live.finishing = null;
    });
    return live.finishing;
  }

  /** No request waits for it. */
  #finishUnrequested(live: LiveUpload): void {
    this.counts.watch(this.#finish(live)).catch(() => undefined);
  }

  /** It is done or refused. */
  async #settle(live: LiveUpload, upload: StoredUpload): Promise<void> {
    await this.#save(upload);
    live.upload = upload;
    this.#drop(upload.uuid);
    await this.#deleteFiles(upload.uuid);
  }

  /** It is not live anymore. */
  #drop(uuid: Ruuid): void {
    this.#live.get(uuid)?.place.leave();
    this.#live.delete(uuid);
  }

  async #deleteFiles(uuid: Ruuid): Promise<void> {
    await this.#deleteNamed([receivedFile(uuid), convertedFile(uuid)]);
  }

  /** Files that cannot be deleted now are deleted by the next start. */
  async #deleteNamed(files: readonly string[]): Promise<void> {
    const { spool, log } = this.#options;
    await eachAlone(
      files,
      (file) => spool.call({ name: 'delete', file }),
      (file, thrown) => log.warn({ file, err: toGatewayError(thrown) }, 'upload not deleted'),
    );
  }

  /** An announcement of the same clip waits for this, and begins it after that. */
  #forgetInTurn(upload: StoredUpload): Promise<void> {
    return this.#announcing.run(EVERYONE, () => this.#forget(upload));
  }

  /** The upload takes no more bytes from the first moment on: acknowledged bytes would be lost. */
  async #forget({ uuid }: StoredUpload): Promise<void> {
    const live = this.#live.get(uuid);
    if (live?.isReceiving === true) throw new GatewayError(UPLOAD_ERRORS.UPLOAD_CLIP_ID_USED, {});
    this.#live.delete(uuid);
    try {
      await this.#options.uploads.remove(uuid);
    } catch (thrown) {
      if (live !== undefined) this.#live.set(uuid, live);
      throw thrown;
    }
    live?.place.leave();
    await this.#deleteFiles(uuid);
  }

  async #restore(unfinished: readonly StoredUpload[]): Promise<void> {
    const { spool, log } = this.#options;
    const restore = async (upload: StoredUpload): Promise<void> => {
      const live = liveUpload(upload, this.#room.restore(upload));
      this.#live.set(upload.uuid, live);
      await restoreUpload(live, spool, log);
      live.place.arrivedBytes = live.offset;
      if (live.offset === upload.byteLength) this.#finishUnrequested(live);
    };
    // Its bytes are refused until its file can be written.
    await eachAlone(unfinished, restore, ({ uuid }, thrown) => {
      log.error({ upload: uuid, err: toGatewayError(thrown) }, 'upload not restored');
    });
  }

  #arm(): void {
    if (this.#stopping.signal.aborted) return;
    this.#sweepTimer = this.#options.clock.after(SWEEP_INTERVAL_MS, () => {
      this.#sweep()
        .catch((thrown) =>
          this.#options.log.error({ err: toGatewayError(thrown) }, 'old uploads not deleted'),
        )
        .finally(() => this.#arm());
    });
  }

  /** Also tries again what could not be imported. */
  async #sweep(): Promise<void> {
    const { uploads, limits, log } = this.#options;
    const nowMs = this.#wallClock.epochMs();
    const look = async (live: LiveUpload): Promise<void> => {
      const { upload, offset, isReceiving, finishing, retryMonoMs } = live;
      if (offset === upload.byteLength) {
        const isDue = retryMonoMs <= this.#options.clock.monoMs();
        if (finishing === null && !isReceiving && isDue) this.#finishUnrequested(live);
      } else if (!isReceiving && upload.createdAtMs + keptMs(live, limits.keepUnfinishedMs) <= nowMs) {
        await this.#forgetInTurn(upload);
        log.info({ upload: upload.uuid, camera: upload.cameraUuid }, 'unfinished upload deleted');
      }
    };
    await eachAlone([...this.#live.values()], look, ({ upload }, thrown) => {
      log.error({ upload: upload.uuid, err: toGatewayError(thrown) }, 'old upload not deleted');
    });
    await uploads.removeOld({
      doneBeforeMs: nowMs - FORGET_DONE_MS,
      refusedBeforeMs: nowMs - FORGET_REFUSED_MS,
      abandonedBeforeMs: nowMs - limits.keepUnfinishedMs - ABANDONED_AFTER_MS,
    });
  }
}

/** The uploads that a bound of this level is about. */
function isOf(uploader: Uploader, level: Level | 'all'): (upload: StoredUpload) => boolean {
  if (level === 'credential') return ({ keyUuid }) => keyUuid === uploader.keyUuid;
  return level === 'organization' ? ({ orgUuid }) => orgUuid === uploader.orgUuid : () => true;
}
