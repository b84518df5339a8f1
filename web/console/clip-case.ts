/**
 * A case: the same time of one or several cameras, cut in one act. Each camera is a clip of its own, so that one without a recording does
 * not take the others with it.
 */

import { type ReadonlySignal, signal } from '@preact/signals';
import { CallError, call } from './api.ts';
import { readClipProgress, type Span } from './timeline-state.ts';
import { t } from './words.ts';

export interface CaseRequest {
  readonly cut: Span;
  readonly cameras: readonly { readonly uuid: string; readonly name: string }[];
  /** '': the clip has none. */
  readonly title: string;
}

export interface CasePart {
  readonly cameraUuid: string;
  readonly name: string;
  /** Null: it has not been ordered. */
  readonly clipUuid: string | null;
  readonly state: 'waiting' | 'making' | 'ready' | 'failed' | 'canceled';
  /** 0 to 100. */
  readonly percent: number;
  /** Why it failed: an error code of the job, or the sentence of a refused order. */
  readonly why: string | null;
}

/** The real-time stream does not tell the progress. */
const LOOK_EVERY_MS = 1_000;
const MAKING: ReadonlySet<string> = new Set(['INITIATING', 'UPLOADING', 'RENDERING']);

export class ClipCase {
  readonly #wanted: CaseRequest;
  readonly #parts = signal<readonly CasePart[]>([]);
  readonly parts: ReadonlySignal<readonly CasePart[]> = this.#parts;
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(wanted: CaseRequest) {
    this.#wanted = wanted;
    this.#parts.value = wanted.cameras.map(({ uuid, name }) => ({
      cameraUuid: uuid,
      name,
      clipUuid: null,
      state: 'waiting',
      percent: 0,
      why: null,
    }));
  }

  /** Orders a clip of each camera; a refusal ends up in its part. Fails with a CallError if none could be ordered. */
  async order(): Promise<void> {
    const { cut, cameras, title } = this.#wanted;
    let refused: CallError | null = null;
    for (const { uuid, name } of cameras) {
      if (this.#part(uuid).state !== 'waiting') continue;
      const clipTitle =
        cameras.length === 1 ? title : [title, name].filter((part) => part !== '').join(' – ');
      try {
        const { clipUuid } = await call('video/spliceV3', {
          deviceUuids: [uuid],
          startTimeMillis: Math.round(cut.fromMs),
          durationSec: Math.max(1, Math.round((cut.toMs - cut.fromMs) / 1_000)),
          ...(clipTitle === '' ? {} : { title: clipTitle }),
        });
        // Someone may have canceled in the meantime.
        const isCanceled = this.#part(uuid).state === 'canceled';
        this.#change(uuid, isCanceled ? { clipUuid } : { clipUuid, state: 'making' });
        if (isCanceled) await this.#cancelClips([clipUuid]);
      } catch (thrown) {
        if (!(thrown instanceof CallError)) throw thrown;
        refused = thrown;
        this.#change(uuid, { state: 'failed', why: thrown.message });
      }
    }
    if (this.ordered().length > 0) this.#lookSoon();
    else if (refused !== null) throw refused;
  }

  /** Those that are being made or complete. */
  ordered(): string[] {
    return this.#clipsIn('making', 'ready');
  }

  /** Fails with a CallError. Returns the link. */
  async share(terms: {
    readonly description: string;
    readonly plaintextPassword?: string;
    readonly expirationTimeSecs?: number;
  }): Promise<string> {
    const uuids = this.ordered().map((eventUuid) => ({ eventUuid }));
    const title = this.#wanted.title === '' ? t('Clip') : this.#wanted.title;
    return (await call('event/createSharedClipGroupV3', { uuids, title, ...terms })).shareUrl;
  }

  /** Of those that are complete. Fails with a CallError. */
  async downloadUrl(description: string): Promise<string> {
    const { title } = this.#wanted;
    const clipUuids = this.#clipsIn('ready');
    const named = title === '' ? {} : { title };
    return (await call('event/createClipDownload', { clipUuids, description, ...named })).downloadUrl;
  }

  /** Deletes what is not complete. Fails with a CallError. */
  async cancel(): Promise<void> {
    const making = this.#parts.value.filter(({ state }) => state === 'making' || state === 'waiting');
    for (const { cameraUuid } of making) this.#change(cameraUuid, { state: 'canceled' });
    await this.#cancelClips(making.flatMap(({ clipUuid }) => clipUuid ?? []));
  }

  /** Clips that are being made are completed in the background. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  async #cancelClips(clipUuidList: string[]): Promise<void> {
    if (clipUuidList.length > 0) await call('video/cancelSpliceV2', { clipUuidList });
  }

  #clipsIn(...states: CasePart['state'][]): string[] {
    return this.#parts.value.flatMap(({ clipUuid, state }) =>
      clipUuid !== null && states.includes(state) ? [clipUuid] : [],
    );
  }

  #lookSoon(): void {
    clearTimeout(this.#timer);
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS);
  }

  async #look(): Promise<void> {
    for (const { cameraUuid, clipUuid, state } of this.#parts.value) {
      if (state !== 'making' || clipUuid === null) continue;
      try {
        const { status, percentComplete, currentOperation } = await readClipProgress(
          clipUuid,
          this.#closing.signal,
        );
        if (this.#part(cameraUuid).state !== 'making') continue;
        if (status === 'COMPLETE') this.#change(cameraUuid, { state: 'ready', percent: 100 });
        else if (MAKING.has(status ?? '')) this.#change(cameraUuid, { percent: percentComplete ?? 0 });
        else this.#change(cameraUuid, { state: 'failed', why: currentOperation ?? null });
      } catch (thrown) {
        if (this.#closing.signal.aborted) return;
        // The next look may succeed.
        if (!(thrown instanceof CallError)) throw thrown;
      }
    }
    if (this.#clipsIn('making').length > 0) this.#lookSoon();
  }

  #part(cameraUuid: string): CasePart {
    return this.#parts.value.find((part) => part.cameraUuid === cameraUuid)!;
  }

  #change(cameraUuid: string, change: Partial<CasePart>): void {
    this.#parts.value = this.#parts.value.map((part) =>
      part.cameraUuid === cameraUuid ? { ...part, ...change } : part,
    );
  }
}

/** Whether nothing of it is on its way anymore. */
export function isSettled(parts: readonly CasePart[]): boolean {
  return parts.every(({ state }) => state !== 'waiting' && state !== 'making');
}

const FAILURES: Readonly<Record<string, string>> = {
  RANGE_EMPTY: t('There is no recording of this time.'),
  RANGE_SOUND_ONLY: t('There is only audio of this time.'),
  RANGE_TOO_LARGE: t('It has too many frames for a file. Cut a shorter one.'),
  RECORDING_DISK_FULL: t('The disk of the recordings is full.'),
  CLIP_CAMERA_NOT_FOUND: t('The camera was removed.'),
  PLAYBACK_STORAGE_SLOW: t('The storage of the recordings did not respond in time.'),
};

/** A sentence for an error code of a clip. */
export function failureText(why: string | null): string {
  if (why === null) return t('It could not be made.');
  return FAILURES[why] ?? (why.includes(' ') ? why : t('It could not be made ({code}).', { code: why }));
}
