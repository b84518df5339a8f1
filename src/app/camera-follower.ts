/** Keeps the hub's cameras as the store has them. */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { ChangeEvent, Store } from '../store/store.ts';
import type { StreamHub } from '../stream/hub.ts';
import type { CameraSources } from './camera-sources.ts';

export class CameraFollower {
  readonly #store: Store;
  readonly #hub: StreamHub;
  readonly #sources: CameraSources;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  /** Changes are taken in the order they were committed. */
  #work: Promise<void> = Promise.resolve();

  private constructor(store: Store, hub: StreamHub, sources: CameraSources, log: Log) {
    this.#store = store;
    this.#hub = hub;
    this.#sources = sources;
    this.#log = log;
    this.#unsubscribe = store.onChange((event) => {
      if (event.entity === 'camera') this.#enqueue(event);
    });
  }

  /** Resolves when every camera of the store is known to the hub. */
  static async start(
    store: Store,
    hub: StreamHub,
    sources: CameraSources,
    log: Log,
  ): Promise<CameraFollower> {
    const follower = new CameraFollower(store, hub, sources, log);
    for (const camera of await store.cameras.listEverywhere()) {
      if (!camera.mummified) hub.put(sources.hubCamera(camera));
    }
    return follower;
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#work;
  }

  #enqueue(event: ChangeEvent): void {
    this.#work = this.#work
      .then(() => this.#take(event))
      .catch((thrown) => {
        this.#log.error(
          { camera: event.uuid, err: toGatewayError(thrown) },
          'a camera change was not taken over',
        );
      });
  }

  async #take(event: ChangeEvent): Promise<void> {
    const camera = await this.#store.cameras.find(event.orgUuid, event.uuid);
    if (camera === null || camera.mummified) this.#hub.remove(event.uuid);
    else this.#hub.put(this.#sources.hubCamera(camera));
  }
}
