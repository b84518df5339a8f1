/**
 * Tells people of cameras that are still offline when their pause ends: what happened meanwhile was kept from them. Each gateway does it;
 * the event of an end has one ID, so it is stored once. Ends while no gateway runs are told after the next start.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CAMERA_PAUSES, type CameraPauseBody } from '../store/camera-pause.ts';
import type { Resource } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { seenLately } from './device-health.ts';
import type { DeviceHealthBody } from './unhealthy-device.ts';

/** An end is noticed within this time, also if the wall clock was set, or another gateway changed the pause. */
const MAX_WAIT_MS = 60_000;
/** Mails of the past do not go out either. */
const MAX_AGE_MS = 60 * 60_000;

export interface CameraPauseEndsOptions {
  readonly store: Pick<Store, 'resources' | 'events' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class CameraPauseEnds {
  readonly #options: CameraPauseEndsOptions;
  readonly #unsubscribe: () => void;
  /** Ends that were looked at, each until it is too old. */
  readonly #known = new Map<Ruuid, number>();
  #timer: TimerHandle | null = null;
  #work: Promise<void> | null = null;
  #isBehind = false;
  #isClosed = false;

  /** Follows the store from now on. */
  constructor(options: CameraPauseEndsOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onChange(({ entity }) => {
      if (entity === CAMERA_PAUSES.name) this.#look();
    });
    this.#look();
  }

  /** Resolves when nothing more is read or written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#work;
  }

  #look(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isBehind = true;
    this.#work ??= this.#run().finally(() => {
      this.#work = null;
    });
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    while (this.#isBehind && !this.#isClosed) {
      this.#isBehind = false;
      let nextMs: number | null;
      try {
        nextMs = await this.#tellEnded();
      } catch (thrown) {
        log.error({ err: toGatewayError(thrown) }, 'ends of pauses not told');
        nextMs = MAX_WAIT_MS;
      }
      if (this.#isClosed || this.#isBehind || nextMs === null) continue;
      this.#timer = clock.after(Math.max(1, Math.min(nextMs, MAX_WAIT_MS)), () => this.#look());
    }
  }

  /** Milliseconds until the next one ends; null: none is in effect. */
  async #tellEnded(): Promise<number | null> {
    const { store, clock } = this.#options;
    const nowMs = clock.epochMs();
    for (const [uuid, untilMs] of this.#known) if (untilMs < nowMs - MAX_AGE_MS) this.#known.delete(uuid);
    let nextMs: number | null = null;
    for (const row of await store.resources.of(CAMERA_PAUSES).listEverywhere()) {
      const { untilMs } = row.body;
      if (untilMs > nowMs) nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, untilMs - nowMs);
      else if (untilMs >= nowMs - MAX_AGE_MS && this.#known.get(row.uuid) !== untilMs) {
        await this.#tell(row);
        this.#known.set(row.uuid, untilMs);
      }
    }
    return nextMs;
  }

  async #tell({ orgUuid, uuid, body: { untilMs } }: Resource<CameraPauseBody>): Promise<void> {
    const { events } = this.#options.store;
    const [before] = await seenLately({ events }, orgUuid, uuid, untilMs);
    if (before?.body.symptom !== 'DOWN') return;
    const body: DeviceHealthBody = {
      symptom: 'DOWN',
      seenBy: 'gateway',
      isUnchanged: true,
      isAfterPause: true,
    };
    const id = `pause:${uuid}:${untilMs}`;
    await events.add([{ orgUuid, kind: 'deviceHealth', id, body, deviceUuid: uuid, atMs: untilMs }]);
  }
}
