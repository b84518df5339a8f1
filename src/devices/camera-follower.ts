/** Keeps the hub's cameras in line with the store. */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import type { ChangeEvent, Store } from '../store/store.ts';
import type { CameraReport, ProbeVerdict } from '../stream/camera-connection.ts';
import type { HubCamera, StreamHub } from '../stream/hub.ts';
import type { CameraSources } from './camera-sources.ts';

/** The part of CameraSources that makes sources of stored cameras. */
export type FollowedSources = Pick<CameraSources, 'hubCamera' | 'removed' | 'forgiveLogins'>;

export interface CameraFollowerOptions {
  readonly store: Store;
  readonly hub: StreamHub;
  readonly sources: FollowedSources;
  readonly log: Log;
  /** Changes a camera before the hub gets it; absent: no change. */
  readonly place?: (camera: HubCamera) => HubCamera;
}

export class CameraFollower {
  readonly #store: Store;
  readonly #hub: StreamHub;
  readonly #sources: FollowedSources;
  readonly #place: (camera: HubCamera) => HubCamera;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  /** Changes are applied in the order in which they were committed. */
  #work: Promise<void> = Promise.resolve();

  private constructor({ store, hub, sources, log, place }: CameraFollowerOptions) {
    this.#store = store;
    this.#hub = hub;
    this.#sources = sources;
    this.#place = place ?? ((camera) => camera);
    this.#log = log;
    this.#unsubscribe = store.onChange((event) => {
      if (event.entity === 'camera') this.#enqueue(event);
    });
  }

  /** Resolves when every camera in the store is known to the hub. */
  static async start(options: CameraFollowerOptions): Promise<CameraFollower> {
    const follower = new CameraFollower(options);
    await follower.#takeAll();
    return follower;
  }

  /** Reads every camera again: for commits whose event was not sent. Rejects like the store. */
  refresh(): Promise<void> {
    const refreshed = this.#work.then(() => this.#takeAll());
    this.#work = refreshed.catch(() => undefined);
    return refreshed;
  }

  /**
   * Takes over the result of a probe of the stored camera. Reads the camera first, because it may have been created or changed a moment
   * ago. Resolves with its new report; null if it does not run.
   */
  probed(orgUuid: Ruuid, uuid: Ruuid, verdict: ProbeVerdict): Promise<CameraReport | null> {
    const taken = this.#work.then(async () => {
      const camera = await this.#take(orgUuid, uuid);
      if (camera === null) return null;
      if (verdict.fault === null) this.#sources.forgiveLogins(camera);
      const stream = this.#hub.get(uuid);
      stream?.probed(verdict);
      return stream?.report() ?? null;
    });
    this.#work = taken.then(
      () => undefined,
      () => undefined,
    );
    return taken;
  }

  /** Takes the camera over as it is stored now: resolves when sources and the listener work by it. Rejects like the store. */
  apply(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const applied = this.#work.then(async () => void (await this.#take(orgUuid, uuid)));
    this.#work = applied.catch(() => undefined);
    return applied;
  }

  /** Where its cameras may be has changed: they are opened by it. */
  organizationChanged(orgUuid: Ruuid): void {
    this.#work = this.#work
      .then(() => this.#takeOf(orgUuid))
      .catch((thrown) => {
        const err = toGatewayError(thrown);
        this.#log.error({ organization: orgUuid, err }, 'change of an organization not applied');
      });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#work;
  }

  #enqueue(event: ChangeEvent): void {
    this.#work = this.#work
      .then(async () => void (await this.#take(event.orgUuid, event.uuid)))
      .catch((thrown) => {
        const name = this.#hub.get(event.uuid)?.name;
        this.#log.error(
          { camera: event.uuid, name, err: toGatewayError(thrown) },
          'camera change not applied',
        );
      });
  }

  async #takeAll(): Promise<void> {
    const gone = new Set([...this.#hub.all()].map((camera) => camera.uuid));
    for (const camera of await this.#store.cameras.listEverywhere()) {
      if (camera.mummified) continue;
      gone.delete(camera.uuid);
      this.#hub.put(this.#place(this.#sources.hubCamera(camera)));
    }
    for (const uuid of gone) this.#remove(uuid);
  }

  async #takeOf(orgUuid: Ruuid): Promise<void> {
    for (const camera of await this.#store.cameras.list(orgUuid)) {
      if (!camera.mummified) this.#hub.put(this.#place(this.#sources.hubCamera(camera)));
    }
  }

  /** The camera as stored; null if it does not run. */
  async #take(orgUuid: Ruuid, uuid: Ruuid): Promise<Camera | null> {
    const camera = await this.#store.cameras.find(orgUuid, uuid);
    if (camera === null || camera.mummified) {
      this.#remove(uuid);
      return null;
    }
    this.#hub.put(this.#place(this.#sources.hubCamera(camera)));
    return camera;
  }

  #remove(uuid: Ruuid): void {
    this.#hub.remove(uuid);
    this.#sources.removed(uuid);
  }
}
