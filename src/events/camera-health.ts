/** Records when cameras go offline and reconnect, as `deviceHealth` events, for alerts and full states. */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { DeviceHealthBody } from './unhealthy-device.ts';

export interface CameraHealthOptions {
  readonly store: Pick<Store, 'cameras' | 'events' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class CameraHealth {
  readonly #options: CameraHealthOptions;
  readonly #unsubscribe: () => void;
  readonly #cameras = new Map<Ruuid, KnownCamera>();
  readonly #symptomByCamera = new Map<Ruuid, DeviceHealthBody['symptom']>();
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
    const camera = this.#cameras.get(cameraUuid);
    if (symptom === undefined || camera === undefined || this.#isStopped) return;
    if (this.#symptomByCamera.get(cameraUuid) === symptom) return;
    const { orgUuid } = camera;
    this.#symptomByCamera.set(cameraUuid, symptom);
    const { store, clock, log } = this.#options;
    const body: DeviceHealthBody = { symptom, seenBy: 'gateway' };
    const event = { orgUuid, kind: 'deviceHealth', id: `gateway:${newRuuid()}`, body } as const;
    const atMs = clock.epochMs();
    this.#work = this.#work
      .then(() => store.events.add([{ ...event, deviceUuid: cameraUuid, atMs }]))
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
function symptomOf({ main }: CameraReport): DeviceHealthBody['symptom'] | undefined {
  if (main.state === 'offline') return 'DOWN';
  return main.state === 'live' || main.state === 'reachable' ? null : undefined;
}
