/** Failures in a row, which make the pauses between attempts longer. */

import { retryWaitMs } from './open.ts';

export class Failures {
  #inRow = 0;

  /** It worked for a while. */
  forget(): void {
    this.#inRow = 0;
  }

  /** The pause before the next attempt. `retryAfterSec`: as the gateway asks; null: it does not. */
  nextWaitMs(retryAfterSec: number | null): number {
    return retryWaitMs(this.#inRow++, retryAfterSec);
  }

  /** None if playback was good for a while before; otherwise the next wait. */
  soonMs(): number {
    if (this.#inRow > 0) return this.nextWaitMs(null);
    this.#inRow = 1;
    return 0;
  }
}
