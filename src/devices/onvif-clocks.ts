/** The offsets of cameras' clocks, as cameras report them over ONVIF: the last readings, and readings on request. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import { type OnvifTarget, onvifTargetOf } from './onvif-target.ts';

/** Shorter than the time to open the camera, which continues in the meantime. */
const TIMEOUT_MS = 5_000;

/** How far the camera's clock is ahead of ours; null: the camera does not report it. Fails with a code of ONVIF_ERRORS. */
export type ReadOnvifClock = (target: OnvifTarget, timeoutMs: number) => Promise<number | null>;

export class OnvifClocks {
  readonly #read: ReadOnvifClock;
  readonly #offsetMs = new Map<Ruuid, number>();

  constructor(read: ReadOnvifClock) {
    this.#read = read;
  }

  /** null: never read, or the camera does not report it. */
  get(cameraUuid: Ruuid): number | null {
    return this.#offsetMs.get(cameraUuid) ?? null;
  }

  /** A reading of a subscription, or of `refresh`. */
  note(cameraUuid: Ruuid, offsetMs: number | null): void {
    if (offsetMs === null) this.#offsetMs.delete(cameraUuid);
    else this.#offsetMs.set(cameraUuid, offsetMs);
  }

  /** Asks now, if the camera has an ONVIF service. If it does not answer, nothing is known of its clock. */
  async refresh(camera: Camera): Promise<void> {
    const target = onvifTargetOf(camera);
    if (target === null) return;
    try {
      this.note(camera.uuid, await this.#read(target, TIMEOUT_MS));
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      this.note(camera.uuid, null);
    }
  }
}
