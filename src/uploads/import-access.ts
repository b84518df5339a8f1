/**
 * Whether imports may continue: no request waits for them, and they may have begun after a restart. So the gateway reads the
 * store, not its memory of keys that made requests. docs/design/upload.md#access.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { type GatewayError, toGatewayError } from '../core/errors.ts';
import type { StoredUpload } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { expectAllowed, type UploadRightsSource } from './upload-access.ts';

/** How often a running import is looked at. */
export const IMPORT_RECHECK_MS = 1_000;

/** The access has ended. */
const ENDED_CODES: ReadonlySet<string> = new Set([
  UPLOAD_ERRORS.UPLOAD_CREDENTIAL_ENDED.code,
  UPLOAD_ERRORS.UPLOAD_CAMERA_UNKNOWN.code,
]);

export function isAccessEnd({ code }: GatewayError): boolean {
  return ENDED_CODES.has(code);
}

/** Asks again. Fails UPLOAD_CREDENTIAL_ENDED, UPLOAD_CAMERA_UNKNOWN, or like the store. */
export type ConfirmAccess = () => Promise<void>;

export class ImportAccess {
  readonly #rights: Pick<UploadRightsSource, 'storedRights'>;
  readonly #clock: Clock;
  readonly #looks = new Set<() => void>();

  constructor(rights: Pick<UploadRightsSource, 'storedRights'>, clock: Clock) {
    this.#rights = rights;
    this.#clock = clock;
  }

  /**
   * Runs `work` if the key and the camera are what they have to be. Its signal is aborted with the error that ends it: that
   * of `stopping`, or the end of the access. Fails like ConfirmAccess and `work`.
   */
  async during<T>(
    upload: StoredUpload,
    stopping: AbortSignal,
    work: (signal: AbortSignal, confirm: ConfirmAccess) => Promise<T>,
  ): Promise<T> {
    const confirm = () => this.#confirm(upload);
    await confirm();
    const ended = new AbortController();
    let timer: TimerHandle | null = null;
    let isOver = false;
    const look = (): void => {
      confirm().catch((thrown) => {
        const error = toGatewayError(thrown);
        // A store that does not answer now says nothing about the access.
        if (isAccessEnd(error)) ended.abort(error);
      });
    };
    const arm = (): void => {
      timer = this.#clock.after(IMPORT_RECHECK_MS, () => {
        look();
        if (!isOver) arm();
      });
    };
    this.#looks.add(look);
    arm();
    try {
      return await work(AbortSignal.any([stopping, ended.signal]), confirm);
    } finally {
      isOver = true;
      timer!.cancel();
      this.#looks.delete(look);
    }
  }

  /** Something that decides about them may have changed. */
  recheck(): void {
    for (const look of this.#looks) look();
  }

  async #confirm({ keyUuid, orgUuid, cameraUuid }: StoredUpload): Promise<void> {
    const uploader = { keyUuid, orgUuid };
    expectAllowed(uploader, await this.#rights.storedRights(uploader, cameraUuid));
  }
}
