/** Changes of cameras' privacy masks (docs/design/privacy.md). */

import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import { isArea, type PrivacyMask } from '../store/privacy-mask.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';

/** A committed change of a camera's masks. */
export interface MaskChange {
  readonly kind: 'masks';
  readonly uuid: Ruuid;
  readonly record: Pick<Camera, 'orgUuid' | 'masks' | 'masksForViewers'>;
}

/** Where it takes effect. Asynchronous, because the views may be in a different thread. */
export interface MaskRules {
  applied(change: MaskChange): void | Promise<void>;
}

export class CameraMasks {
  readonly #store: Pick<Store, 'cameras'>;
  readonly #rules: MaskRules;
  /** Changes take effect in the order in which they were stored. */
  readonly #turns = new KeyedLock();

  constructor(store: Pick<Store, 'cameras'>, rules: MaskRules) {
    this.#store = store;
    this.#rules = rules;
  }

  /**
   * Replaces all masks. Views that show the earlier ones have ended when this resolves. `masksForViewers` null: as it is. Returns the
   * camera's. Fails CAMERA_NOT_FOUND, also for a removed camera, and MASK_INVALID.
   */
  async set(
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    masks: readonly PrivacyMask[],
    masksForViewers: boolean | null,
  ): Promise<Pick<Camera, 'masks' | 'masksForViewers'>> {
    for (const [index, { points }] of masks.entries()) {
      if (!isArea(points)) throw new GatewayError(DEVICE_ERRORS.MASK_INVALID, { index });
    }
    return this.#turns.run(cameraUuid, async () => {
      let changed = { orgUuid, masks, masksForViewers: masksForViewers ?? false };
      await this.#store.cameras.change(orgUuid, cameraUuid, (camera) => {
        if (camera === null || camera.mummified) {
          throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: cameraUuid });
        }
        changed = { orgUuid, masks, masksForViewers: masksForViewers ?? camera.masksForViewers };
        return { ...camera, ...changed };
      });
      await this.#rules.applied({ kind: 'masks', uuid: cameraUuid, record: changed });
      return changed;
    });
  }
}
