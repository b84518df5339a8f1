/** Which shares count towards which device (camera or NVR), in this process's memory. */

import type { Ruuid } from '../core/ruuid.ts';
import type { CountedShare } from './counters.ts';

/**
 * A device's shares. Most never expire, and a long list of devices requests all their counts at the same time, so those are just
 * a number.
 */
interface Device {
  lasting: number;
  /** When each of the others expires, in seconds. */
  readonly expiries: Map<Ruuid, number>;
}

export class DeviceShares {
  readonly #shares = new Map<Ruuid, CountedShare>();
  readonly #devices = new Map<Ruuid, Device>();

  /** Adds or replaces; a replaced share leaves the devices that it counted toward. */
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
    this.#detach(share.cameraUuid, share);
    if (share.nvrUuid !== null) this.#detach(share.nvrUuid, share);
  }

  /** Afterwards there is nothing but `shares`. */
  replaceAll(shares: readonly CountedShare[]): void {
    this.#shares.clear();
    this.#devices.clear();
    for (const share of shares) this.put(share);
  }

  get(uuid: Ruuid): CountedShare | undefined {
    return this.#shares.get(uuid);
  }

  uuids(): IterableIterator<Ruuid> {
    return this.#shares.keys();
  }

  /** The device's shares that have not expired at `nowEpochMs`. */
  count(deviceUuid: Ruuid, nowEpochMs: number): number {
    const device = this.#devices.get(deviceUuid);
    if (device === undefined) return 0;
    let count = device.lasting;
    for (const expiresAtSec of device.expiries.values()) {
      if (expiresAtSec * 1_000 > nowEpochMs) count++;
    }
    return count;
  }

  #attach(deviceUuid: Ruuid, { uuid, expiresAtSec }: CountedShare): void {
    const device = this.#devices.get(deviceUuid) ?? { lasting: 0, expiries: new Map() };
    if (expiresAtSec === null) device.lasting += 1;
    else device.expiries.set(uuid, expiresAtSec);
    this.#devices.set(deviceUuid, device);
  }

  #detach(deviceUuid: Ruuid, { uuid, expiresAtSec }: CountedShare): void {
    const device = this.#devices.get(deviceUuid);
    if (device === undefined) return;
    if (expiresAtSec === null) device.lasting -= 1;
    else device.expiries.delete(uuid);
    if (device.lasting === 0 && device.expiries.size === 0) this.#devices.delete(deviceUuid);
  }
}
