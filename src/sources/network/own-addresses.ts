/** The addresses of this machine's interfaces. They come and go, so they are read again every few seconds. */

import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../../core/clock.ts';
import { normalizedAddress } from '../../core/ip-address.ts';

/** An interface is known within this time. Reading them all takes a system call for each. */
export const OWN_ADDRESSES_MS = 10_000;

export class OwnAddresses {
  readonly #clock: Pick<Clock, 'monoMs'>;
  readonly #read: typeof networkInterfaces;
  #addresses: ReadonlySet<string> = new Set();
  #untilMonoMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monoMs'>, read: typeof networkInterfaces) {
    this.#clock = clock;
    this.#read = read;
  }

  /** `address`: as `toNormalizedString()` spells it. */
  has(address: string): boolean {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs >= this.#untilMonoMs) {
      const all = Object.values(this.#read()).flatMap((each) => each ?? []);
      this.#addresses = new Set(all.map((each) => normalizedAddress(each.address)));
      this.#untilMonoMs = nowMonoMs + OWN_ADDRESSES_MS;
    }
    return this.#addresses.has(address);
  }
}

export const OWN_ADDRESSES = new OwnAddresses(systemClock, networkInterfaces);
