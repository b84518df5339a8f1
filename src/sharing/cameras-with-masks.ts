/** The cameras with masks, under the UUIDs by which viewers of links know them (docs/design/privacy.md). */

import type { Ruuid } from '../core/ruuid.ts';
import { type MaskedSource, maskedCameraUuid, type PrivacyMask } from '../store/privacy-mask.ts';

export class MaskedCameras {
  readonly #sources = new Map<Ruuid, MaskedSource>();
  /** By the camera's. */
  readonly #uuids = new Map<Ruuid, Ruuid>();
  readonly #listeners = new Set<(maskedUuid: Ruuid) => void>();

  /** null: no camera has these masks now. */
  find(maskedUuid: Ruuid): MaskedSource | null {
    return this.#sources.get(maskedUuid) ?? null;
  }

  /** The UUID of the camera with its masks; null: it has none. */
  of(cameraUuid: Ruuid): Ruuid | null {
    return this.#uuids.get(cameraUuid) ?? null;
  }

  /** Called after a camera with masks came or went. Returns a function that ends the subscription. */
  onChange(listener: (maskedUuid: Ruuid) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `masks`: none if the camera is gone. */
  set(cameraUuid: Ruuid, masks: readonly PrivacyMask[]): void {
    const before = this.#uuids.get(cameraUuid);
    const uuid = masks.length === 0 ? undefined : maskedCameraUuid(cameraUuid, masks);
    if (uuid === before) return;
    if (before !== undefined) {
      this.#sources.delete(before);
      this.#uuids.delete(cameraUuid);
    }
    if (uuid !== undefined) {
      this.#sources.set(uuid, { cameraUuid, masks });
      this.#uuids.set(cameraUuid, uuid);
    }
    for (const changed of [before, uuid]) {
      if (changed !== undefined) for (const listener of this.#listeners) listener(changed);
    }
  }

  /** The cameras in it are all that there are. */
  setAll(cameras: Iterable<readonly [Ruuid, readonly PrivacyMask[]]>): void {
    const gone = new Set(this.#uuids.keys());
    for (const [cameraUuid, masks] of cameras) {
      gone.delete(cameraUuid);
      this.set(cameraUuid, masks);
    }
    for (const cameraUuid of gone) this.set(cameraUuid, []);
  }
}
