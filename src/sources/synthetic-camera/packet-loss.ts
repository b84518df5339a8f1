/** Repeatable packet loss of a network: Gilbert's model with two states, where the bad one loses every packet. */

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
  #state: number;
  #isLosing = false;

  constructor(options: PacketLossOptions) {
    const { share, meanBurstPackets, seed } = options;
    const leaveShare = meanBurstPackets === undefined ? 1 - share : 1 / meanBurstPackets;
    this.#enterShare = (leaveShare * share) / (1 - share);
    this.#stayShare = 1 - leaveShare;
    this.#state = seed >>> 0;
  }

  /** Whether the next packet is lost. Call once for each packet. */
  takesNext(): boolean {
    this.#isLosing = this.#random() < (this.#isLosing ? this.#stayShare : this.#enterShare);
    return this.#isLosing;
  }

  /** At least 0, below 1. The generator is splitmix32. */
  #random(): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }
}
