/** Repeatable packet loss of a network: Gilbert's model with two states, where the bad one loses every packet. */

import { SeededRandom } from './seeded-random.ts';

export interface PacketLossOptions {
  /** Fraction of all packets, above 0 and below 1. */
  readonly share: number;
  /** Mean length of a run of lost packets. Absent: each packet is lost independently of the others. */
  readonly meanBurstPackets?: number;
  /** A whole number. */
  readonly seed: number;
}

export class PacketLoss {
  readonly #enterShare: number;
  readonly #stayShare: number;
  readonly #random: SeededRandom;
  #isLosing = false;

  constructor(options: PacketLossOptions) {
    const { share, meanBurstPackets, seed } = options;
    const leaveShare = meanBurstPackets === undefined ? 1 - share : 1 / meanBurstPackets;
    this.#enterShare = (leaveShare * share) / (1 - share);
    this.#stayShare = 1 - leaveShare;
    this.#random = new SeededRandom(seed);
  }

  /** Whether the next packet is lost. Call once for each packet. */
  takesNext(): boolean {
    this.#isLosing = this.#random.next() < (this.#isLosing ? this.#stayShare : this.#enterShare);
    return this.#isLosing;
  }
}
