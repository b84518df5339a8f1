/** Writes down when cameras go and when they come back, as `deviceHealth` events, for alerts and full states. */

import type { DeviceHealthBody } from '../../api/event/unhealthy-device.ts';
import type { Clock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import type { LiveStateName } from '../../stream/live-media.ts';

export interface CameraHealthOptions {
  readonly store: Pick<Store, 'cameras' | 'events' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class CameraHealth {
  readonly #options: CameraHealthOptions;
  readonly #unsubscribe: () => void;
  readonly #orgByCamera = new Map<Ruuid, Ruuid>();
  readonly #symptomByCamera = new Map<Ruuid, DeviceHealthBody['symptom']>();
  /** Events are written in the order in which they happened. */
  #work: Promise<unknown> = Promise.resolve();

  private constructor(options: CameraHealthOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onChange(({ entity, type, orgUuid, uuid }) => {
      if (entity !== 'camera') return;
      if (type !== 'DELETE') this.#orgByCamera.set(uuid, orgUuid);
      else {
        this.#orgByCamera.delete(uuid);
        this.#symptomByCamera.delete(uuid);
      }
    });
  }

  /** Resolves when it knows whose the cameras are. */
  static async start(options: CameraHealthOptions): Promise<CameraHealth> {
    const health = new CameraHealth(options);
    for (const { uuid, orgUuid } of await options.store.cameras.listEverywhere()) {
      health.#orgByCamera.set(uuid, orgUuid);
    }
    return health;
  }

  /** What is known already of a camera's state, and written down. */
  assume(cameraUuid: Ruuid, state: LiveStateName): void {
    const symptom = symptomOf(state);
    if (symptom !== undefined) this.#symptomByCamera.set(cameraUuid, symptom);
  }

  /** Takes note of a camera's state. Only the change between delivering and being out of reach is written. */
  onStatusChange(cameraUuid: Ruuid, state: LiveStateName): void {
    const symptom = symptomOf(state);
    if (symptom === undefined) return;
    const orgUuid = this.#orgByCamera.get(cameraUuid);
    if (orgUuid === undefined || this.#symptomByCamera.get(cameraUuid) === symptom) return;
    this.#symptomByCamera.set(cameraUuid, symptom);
    const { store, clock, log } = this.#options;
    const body: DeviceHealthBody = { symptom, seenBy: 'gateway' };
    const event = { orgUuid, kind: 'deviceHealth', id: `gateway:${newRuuid()}`, body } as const;
    const atMs = clock.epochMs();
    this.#work = this.#work
      .then(() => store.events.add([{ ...event, deviceUuid: cameraUuid, atMs }]))
      .catch((thrown) => {
        log.error({ camera: cameraUuid, err: toGatewayError(thrown) }, 'a camera state was not written down');
      });
  }

  /** Resolves when everything noted so far is written. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#work;
  }
}

/** Undefined: the state says nothing about it. */
function symptomOf(state: LiveStateName): DeviceHealthBody['symptom'] | undefined {
  if (state === 'offline') return 'DOWN';
  return state === 'live' ? null : undefined;
}
