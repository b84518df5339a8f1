/**
 * Requests that are sending bytes: how many there are, and whether each may continue. A key that is revoked, a camera that is
 * removed, and a sender that falls silent end theirs.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { LevelShare, PoolLimit } from '../core/limits/shared-limit.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { decideUpload, type Uploader, type UploadRightsSource } from './upload-access.ts';
import { holdersOf, tooMany, type UploadLimits } from './upload-room.ts';

/** How often they are looked at. */
export const RECHECK_MS = 1_000;
/** Longest time without a byte, and longest time of a request. */
export const IDLE_MS = 60_000;
export const REQUEST_MS = 3_600_000;
const RETRY_AFTER_SEC = 5;

/** Its numbers are configured. */
type SendingLimit = Omit<PoolLimit, 'levels'> & {
  readonly levels: Readonly<Record<'organization' | 'credential', LevelShare>>;
};

export class RunningUpload {
  readonly uploader: Uploader;
  readonly cameraUuid: Ruuid;
  readonly beganMonoMs: number;
  readonly onEnd: (refusal: GatewayError) => void;
  readonly #leave: () => void;
  readonly #clock: Clock;
  lastByteMonoMs: number;
  #refusal: GatewayError | null = null;

  constructor(
    clock: Clock,
    uploader: Uploader,
    cameraUuid: Ruuid,
    onEnd: (refusal: GatewayError) => void,
    leave: (run: RunningUpload) => void,
  ) {
    this.#leave = () => leave(this);
    this.#clock = clock;
    this.uploader = uploader;
    this.cameraUuid = cameraUuid;
    this.onEnd = onEnd;
    this.beganMonoMs = clock.monoMs();
    this.lastByteMonoMs = this.beganMonoMs;
  }

  /** Bytes came. Fails with what ended it. */
  touch(): void {
    if (this.#refusal !== null) throw this.#refusal;
    this.lastByteMonoMs = this.#clock.monoMs();
  }

  refuse(refusal: GatewayError): void {
    if (this.#refusal !== null) return;
    this.#refusal = refusal;
    this.onEnd(refusal);
  }

  /** Idempotent. */
  end(): void {
    this.#leave();
  }
}

export class RunningUploads {
  readonly #rights: UploadRightsSource;
  readonly #clock: Clock;
  readonly #running = new Set<RunningUpload>();
  readonly #slots: Pool<SendingLimit>;
  #timer: TimerHandle | null = null;

  constructor(
    rights: UploadRightsSource,
    clock: Clock,
    { atOnce, atOncePerKey }: Pick<UploadLimits, 'atOnce' | 'atOncePerKey'>,
  ) {
    this.#rights = rights;
    this.#clock = clock;
    const { sendingUploads } = LIMITS;
    const levels = { ...sendingUploads.levels, credential: { max: atOncePerKey } };
    this.#slots = new Pool<SendingLimit>({ ...sendingUploads, levels }, atOnce);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Fails UPLOAD_TOO_MANY. */
  begin(uploader: Uploader, cameraUuid: Ruuid, onEnd: (refusal: GatewayError) => void): RunningUpload {
    const taken = this.#slots.take(holdersOf(uploader));
    if (!taken.isTaken) throw tooMany(taken, RETRY_AFTER_SEC);
    const run = new RunningUpload(this.#clock, uploader, cameraUuid, onEnd, (ended) => {
      this.#running.delete(ended);
      taken.giveBack();
    });
    this.#running.add(run);
    this.#arm();
    return run;
  }

  /** Something that decides about them may have changed. */
  recheck(): void {
    const nowMonoMs = this.#clock.monoMs();
    for (const run of [...this.#running]) {
      const { uploader, cameraUuid, lastByteMonoMs, beganMonoMs } = run;
      const refusal = decideUpload(uploader, this.#rights.uploadRights(uploader.keyUuid, cameraUuid));
      if (refusal !== null) run.refuse(new GatewayError(refusal, {}));
      else if (nowMonoMs - lastByteMonoMs > IDLE_MS || nowMonoMs - beganMonoMs > REQUEST_MS) {
        run.refuse(new GatewayError(UPLOAD_ERRORS.UPLOAD_INTERRUPTED, {}));
      }
    }
  }

  /** Ends all. */
  close(): void {
    this.#timer?.cancel();
    for (const run of [...this.#running]) run.refuse(new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {}));
  }

  #arm(): void {
    this.#timer ??= this.#clock.after(RECHECK_MS, () => {
      this.#timer = null;
      this.recheck();
      if (this.#running.size > 0) this.#arm();
    });
  }
}
