/**
 * Records when cameras go offline and reconnect, as `deviceHealth` events, for alerts and full states. A camera that keeps coming and
 * going is recorded as back only once it stays, so that no one gets a message for each time. After a start, the first contact with a
 * camera is recorded even if nothing has changed, because uptime begins with it.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { seenLately } from './device-health.ts';
import type { DeviceHealthBody } from './unhealthy-device.ts';

export interface CameraHealthOptions {
  readonly store: Pick<Store, 'cameras' | 'events' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A camera that went offline this often within `FLAPPING_WINDOW_MS` must stay for `STEADY_MS` to count as back. */
export const FLAPPING_OUTAGES = 3;
export const FLAPPING_WINDOW_MS = 60 * 60_000;
export const STEADY_MS = 10 * 60_000;
type Symptom = DeviceHealthBody['symptom'];

/** A recovery that is recorded unless the camera goes offline again. */
interface Held {
  readonly atMs: number;
  readonly timer: TimerHandle;
}

export class CameraHealth {
  readonly #options: CameraHealthOptions;
  readonly #unsubscribe: () => void;
  readonly #cameras = new Map<Ruuid, KnownCamera>();
  /** As recorded. */
  readonly #symptomByCamera = new Map<Ruuid, Symptom>();
  /** When each camera went offline lately. */
  readonly #outages = new Map<Ruuid, number[]>();
  readonly #held = new Map<Ruuid, Held>();
  /** Events are written in the order in which they happened. */
  #work: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  private constructor(options: CameraHealthOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onChange(({ entity, type, orgUuid, uuid, details }) => {
      if (entity !== 'camera') return;
      if (type !== 'DELETE') {
        const name = details?.fields?.name;
        this.#cameras.set(uuid, { orgUuid, name: typeof name === 'string' ? name : this.#nameOf(uuid) });
      } else {
        this.#cameras.delete(uuid);
        this.#symptomByCamera.delete(uuid);
        this.#outages.delete(uuid);
        this.#release(uuid);
      }
    });
  }

  /** Resolves when it knows which organizations the cameras belong to. */
  static async start(options: CameraHealthOptions): Promise<CameraHealth> {
    const health = new CameraHealth(options);
    await health.refresh();
    return health;
  }

  /** Reads all cameras again: for those whose event was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    for (const { uuid, orgUuid, name } of await this.#options.store.cameras.listEverywhere()) {
      this.#cameras.set(uuid, { orgUuid, name });
    }
  }

  /** A known camera state that has been recorded, or that another node records. */
  assume(cameraUuid: Ruuid, report: CameraReport): void {
    const symptom = symptomOf(report);
    if (symptom !== undefined) this.#symptomByCamera.set(cameraUuid, symptom);
  }

  /** Notes a camera's state. Writes only changes between streaming and offline. */
  onReport(cameraUuid: Ruuid, report: CameraReport): void {
    const symptom = symptomOf(report);
    if (symptom === undefined || !this.#cameras.has(cameraUuid) || this.#isStopped) return;
    const recorded = this.#symptomByCamera.get(cameraUuid);
    if (symptom === 'DOWN') this.#release(cameraUuid);
    if (recorded === symptom || this.#held.has(cameraUuid)) return;
    const nowMs = this.#options.clock.epochMs();
    if (symptom === 'DOWN') {
      this.#noteOutage(cameraUuid);
      this.#record(cameraUuid, symptom, report.main.offlineSinceEpochMs ?? nowMs, recorded === undefined);
    } else if (recorded === 'DOWN' && this.#isFlapping(cameraUuid)) this.#hold(cameraUuid, nowMs);
    else this.#record(cameraUuid, symptom, nowMs, recorded === undefined);
  }

  /**
   * Since when the camera has been offline according to the events, which reach back before this start; null: they do not say that it was.
   * Rejects like the store.
   */
  async offlineSinceMs(cameraUuid: Ruuid): Promise<number | null> {
    const { store, clock } = this.#options;
    const camera = this.#cameras.get(cameraUuid);
    if (camera === undefined) return null;
    let sinceMs: number | null = null;
    for (const { atMs, body } of await seenLately(store, camera.orgUuid, cameraUuid, clock.epochMs())) {
      if (body.symptom !== 'DOWN') break;
      sinceMs = atMs;
    }
    return sinceMs;
  }

  #isFlapping(cameraUuid: Ruuid): boolean {
    return (this.#outages.get(cameraUuid)?.length ?? 0) >= FLAPPING_OUTAGES;
  }

  #noteOutage(cameraUuid: Ruuid): void {
    const nowMonoMs = this.#options.clock.monoMs();
    const lately = (this.#outages.get(cameraUuid) ?? []).filter((at) => nowMonoMs - at < FLAPPING_WINDOW_MS);
    this.#outages.set(cameraUuid, [...lately, nowMonoMs].slice(-FLAPPING_OUTAGES));
  }

  #hold(cameraUuid: Ruuid, atMs: number): void {
    const timer = this.#options.clock.after(STEADY_MS, () => {
      this.#held.delete(cameraUuid);
      this.#record(cameraUuid, null, atMs, false);
    });
    this.#held.set(cameraUuid, { atMs, timer });
  }

  #release(cameraUuid: Ruuid): void {
    this.#held.get(cameraUuid)?.timer.cancel();
    this.#held.delete(cameraUuid);
  }

  /** `isFirst`: of this run. */
  #record(cameraUuid: Ruuid, symptom: Symptom, atMs: number, isFirst: boolean): void {
    const camera = this.#cameras.get(cameraUuid);
    if (camera === undefined || this.#isStopped) return;
    const { orgUuid } = camera;
    this.#symptomByCamera.set(cameraUuid, symptom);
    const { store, log } = this.#options;
    const id = `gateway:${newRuuid()}`;
    this.#work = this.#work
      .then(async () => {
        const [before] = isFirst ? await seenLately(store, orgUuid, cameraUuid, atMs) : [];
        const same = before?.body.symptom === symptom ? { isUnchanged: true as const } : {};
        const body: DeviceHealthBody = { symptom, seenBy: 'gateway', ...same };
        await store.events.add([{ orgUuid, kind: 'deviceHealth', id, body, deviceUuid: cameraUuid, atMs }]);
      })
      .catch((thrown) => {
        const name = this.#nameOf(cameraUuid);
        log.error({ camera: cameraUuid, name, err: toGatewayError(thrown) }, 'camera state not stored');
      });
  }

  #nameOf(cameraUuid: Ruuid): string {
    return this.#cameras.get(cameraUuid)?.name ?? '';
  }

  /** Resolves when everything noted so far is written; later events are ignored, because the store closes. */
  async stop(): Promise<void> {
    // A recovery that was held back is true until now.
    for (const [cameraUuid, { atMs, timer }] of [...this.#held]) {
      timer.cancel();
      this.#record(cameraUuid, null, atMs, false);
    }
    this.#held.clear();
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#work;
  }
}

interface KnownCamera {
  readonly orgUuid: Ruuid;
  readonly name: string;
}

/** Undefined: the state does not tell. */
function symptomOf({ main }: CameraReport): Symptom | undefined {
  if (main.state === 'offline') return 'DOWN';
  return main.state === 'live' || main.state === 'reachable' ? null : undefined;
}
