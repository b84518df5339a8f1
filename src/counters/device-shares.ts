/** Which shares count towards which device (camera or NVR), in this process's memory. */

import type { Ruuid } from '../core/ruuid.ts';
import type { CountedShare } from './counters.ts';

export class DeviceShares {
  readonly #shares = new Map<Ruuid, CountedShare>();
  readonly #sharesOfDevice = new Map<Ruuid, Map<Ruuid, CountedShare>>();

  /** Adds or replaces; a replaced share leaves the devices it counted towards. */
  put(share: CountedShare): void {
    this.remove(share.uuid);
    this.#shares.set(share.uuid, share);
    this.#attach(share.cameraUuid, share);
    if (share.nvrUuid !== null) this.#attach(share.nvrUuid, share);
  }

  remove(uuid: Ruuid): void {
    const share = this.#shares.get(uuid);
    if (share === undefined) return;
    this.#shares.delete(uuid);
    this.#detach(share.cameraUuid, uuid);
    if (share.nvrUuid !== null) this.#detach(share.nvrUuid, uuid);
  }

  /** Afterwards there is nothing but `shares`. */
  replaceAll(shares: readonly CountedShare[]): void {
    this.#shares.clear();
    this.#sharesOfDevice.clear();
    for (const share of shares) this.put(share);
  }

  get(uuid: Ruuid): CountedShare | undefined {
    return this.#shares.get(uuid);
  }

  uuids(): IterableIterator<Ruuid> {
    return this.#shares.keys();
  }

  /** Shares of the device that have not expired at `nowEpochMs`. */
  count(deviceUuid: Ruuid, nowEpochMs: number): number {
    const shares = this.#sharesOfDevice.get(deviceUuid);
    if (shares === undefined) return 0;
    let count = 0;
    for (const { expiresAtSec } of shares.values()) {
      if (expiresAtSec === null || expiresAtSec * 1_000 > nowEpochMs) count++;
    }
    return count;
  }

  #attach(deviceUuid: Ruuid, share: CountedShare): void {
    const shares = this.#sharesOfDevice.get(deviceUuid);
    if (shares === undefined) this.#sharesOfDevice.set(deviceUuid, new Map([[share.uuid, share]]));
    else shares.set(share.uuid, share);
  }

  #detach(deviceUuid: Ruuid, shareUuid: Ruuid): void {
    const shares = this.#sharesOfDevice.get(deviceUuid);
    if (shares === undefined) return;
    shares.delete(shareUuid);
    if (shares.size === 0) this.#sharesOfDevice.delete(deviceUuid);
  }
}
