/**
 * Recordings that people start and stop. They are stored, so they survive a restart, and the recorder of the node that owns the
 * camera follows them (docs/design/recording.md#when).
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { MANUAL_RECORDINGS, type ManualRecordingBody } from '../store/manual-recording.ts';
import type { Resource, ResourceRepository, RoomForMore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { RECORDING_ERRORS } from './errors.ts';
import { isManualRunning, MAX_MANUAL_MS } from './recording-rule.ts';

/** Ended recordings are removed within this time, also if the wall clock was set. */
export const MAX_REMOVAL_MS = 60_000;

const ROOM: RoomForMore = {
  atMost: LIMITS.manualRecordings.perOrganization,
  within: 'organization',
  full: () => new GatewayError(RECORDING_ERRORS.TOO_MANY_MANUAL_RECORDINGS),
};

export interface RecordedCamera {
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
  readonly name: string;
}

export interface ManualRecordingsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class ManualRecordings {
  readonly #rows: ResourceRepository<ManualRecordingBody>;
  readonly #clock: ManualRecordingsOptions['clock'];

  constructor({ store, clock }: ManualRecordingsOptions) {
    this.#rows = store.resources.of(MANUAL_RECORDINGS);
    this.#clock = clock;
  }

  /** The one that runs; null: there is none. */
  async find(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<ManualRecordingBody | null> {
    const row = await this.#rows.find(orgUuid, cameraUuid);
    return row !== null && isManualRunning(row.body.endsAtMs, this.#clock.epochMs()) ? row.body : null;
  }

  /**
   * Records the camera until `durationMs` from now. If it is being recorded already, its end is put off, and never moved forward. The
   * camera must exist. Fails TOO_MANY_MANUAL_RECORDINGS.
   */
  async start(
    { orgUuid, uuid, name }: RecordedCamera,
    durationMs: number,
    startedBy: string,
  ): Promise<ManualRecordingBody> {
    const { after } = await this.#rows.change(
      orgUuid,
      uuid,
      (known) => {
        const nowMs = this.#clock.epochMs();
        const running = known !== null && isManualRunning(known.body.endsAtMs, nowMs) ? known.body : null;
        const endsAtMs = nowMs + Math.min(durationMs, MAX_MANUAL_MS);
        if (running !== null && running.endsAtMs >= endsAtMs) return 'unchanged';
        return {
          uuid,
          orgUuid,
          name,
          parentUuid: uuid,
          secret: null,
          body: running === null ? { startedAtMs: nowMs, endsAtMs, startedBy } : { ...running, endsAtMs },
          createdAtMs: known?.createdAtMs ?? nowMs,
          updatedAtMs: nowMs,
        };
      },
      ROOM,
    );
    return after!.body;
  }

  /** Ends it now, if it runs. The camera's own recording continues. */
  async stop(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    await this.#rows.remove(orgUuid, cameraUuid);
  }
}

export interface ManualRecordingEndsOptions {
  readonly store: Pick<Store, 'resources' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes recordings that have ended, so that they count no longer. Each node of a cluster does it; the first one counts. */
export class ManualRecordingEnds {
  readonly #rows: ResourceRepository<ManualRecordingBody>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  #timer: TimerHandle | null = null;
  #sweep: Promise<void> | null = null;
  #isSweepNeeded = false;
  #isClosed = false;

  /** Follows the store from now on. */
  constructor({ store, clock, log }: ManualRecordingEndsOptions) {
    this.#rows = store.resources.of(MANUAL_RECORDINGS);
    this.#clock = clock;
    this.#log = log;
    this.#unsubscribe = store.onChange(({ entity, type }) => {
      if (entity === MANUAL_RECORDINGS.name && type !== 'DELETE') this.#look();
    });
    this.#look();
  }

  /** Resolves when nothing more is read or written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#sweep;
  }

  #look(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isSweepNeeded = true;
    this.#sweep ??= this.#sweepAll().finally(() => {
      this.#sweep = null;
    });
  }

  async #sweepAll(): Promise<void> {
    while (this.#isSweepNeeded && !this.#isClosed) {
      this.#isSweepNeeded = false;
      let nextMs: number | null;
      try {
        nextMs = await this.#removeEnded();
      } catch (thrown) {
        this.#log.error({ err: toGatewayError(thrown) }, 'ended recordings not removed');
        nextMs = MAX_REMOVAL_MS;
      }
      if (this.#isClosed || this.#isSweepNeeded || nextMs === null) continue;
      this.#timer = this.#clock.after(Math.max(1, Math.min(nextMs, MAX_REMOVAL_MS)), () => this.#look());
    }
  }

  /** Milliseconds until the next one ends; null: none runs. */
  async #removeEnded(): Promise<number | null> {
    let nextMs: number | null = null;
    for (const row of await this.#rows.listEverywhere()) {
      const leftMs = row.body.endsAtMs - this.#clock.epochMs();
      if (this.#isRunning(row)) nextMs = Math.min(nextMs ?? leftMs, leftMs);
      else
        await this.#rows.change(row.orgUuid, row.uuid, (known) =>
          known === null || this.#isRunning(known) ? 'unchanged' : 'removed',
        );
    }
    return nextMs;
  }

  #isRunning({ body }: Resource<ManualRecordingBody>): boolean {
    return isManualRunning(body.endsAtMs, this.#clock.epochMs());
  }
}
