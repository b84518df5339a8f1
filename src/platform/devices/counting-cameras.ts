/**
 * Which cameras count people or crossings: those whose stored configuration says so, and, where it says nothing, those
 * that have reported. The gateway counts nothing itself.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import { CAMERA_CONFIGS, type CameraConfigBody } from '../../devices/camera-config.ts';
import type { Store } from '../../store/store.ts';

/** Counts of a camera: the field of its configuration, and where its reports are. */
const COUNTS = {
  occupancy: { setting: 'occupancy_counting', reports: 'occupancy' },
  crossings: { setting: 'cross_counting', reports: 'crossings' },
} as const;

export type Counted = keyof typeof COUNTS;

export class CountingCameras {
  readonly #store: Pick<Store, 'crossings' | 'occupancy' | 'resources'>;

  constructor(store: Pick<Store, 'crossings' | 'occupancy' | 'resources'>) {
    this.#store = store;
  }

  /** Their stored configurations, by camera. Devices that the gateway does not know can be among them. */
  async find(orgUuid: Ruuid, counted: Counted): Promise<ReadonlyMap<Ruuid, CameraConfigBody>> {
    const { setting, reports } = COUNTS[counted];
    const configs = await this.#store.resources.of(CAMERA_CONFIGS).list(orgUuid);
    const found = new Map<Ruuid, CameraConfigBody>();
    const reporters = await this.#store[reports].reporters(orgUuid);
    for (const reporter of reporters) found.set(reporter, {});
    for (const { parentUuid: camera, body } of configs) {
      if (camera === null) continue;
      if (body[setting] === true || (found.has(camera) && body[setting] === undefined)) {
        found.set(camera, body);
      } else {
        found.delete(camera);
      }
    }
    return found;
  }
}
