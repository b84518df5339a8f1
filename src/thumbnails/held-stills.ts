/**
 * Stills that an API call made and refers to by URL: each has a name that no one can guess, which is all that its reader
 * needs, and is forgotten after a few minutes.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Still } from './stills.ts';

/** How long a name leads to its still. */
export const HELD_MS = 5 * 60_000;
export const MAX_HELD_STILLS = 512;
export const MAX_HELD_BYTES = 64 * 1024 * 1024;
const NAME_BYTES = 16;

export interface HeldStill {
  readonly still: Still;
  readonly cameraUuid: Ruuid;
}

interface Held extends HeldStill {
  readonly untilMonoMs: number;
}

export class HeldStills {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its name, `<22 characters>.<format>`. The oldest go when there are too many. */
  hold(cameraUuid: Ruuid, still: Still): string {
    const name = `${randomBytes(NAME_BYTES).toString('base64url')}.${still.format}`;
    const nowMonoMs = this.#clock.monoMs();
    this.#held.set(name, { still, cameraUuid, untilMonoMs: nowMonoMs + HELD_MS });
    this.#bytes += still.bytes.length;
    for (const [oldest, { untilMonoMs }] of this.#held) {
      const isTooMuch = this.#held.size > MAX_HELD_STILLS || this.#bytes > MAX_HELD_BYTES;
      if (!isTooMuch && nowMonoMs < untilMonoMs) break;
      this.#drop(oldest);
    }
    return name;
  }

  /** null: there is none of this name, or not any longer. */
  find(name: string): HeldStill | null {
    const held = this.#held.get(name);
    if (held === undefined) return null;
    if (this.#clock.monoMs() < held.untilMonoMs) return held;
    this.#drop(name);
    return null;
  }

  /** The camera was deleted: its stills go too. */
  forget(cameraUuid: Ruuid): void {
    for (const [name, held] of this.#held) if (held.cameraUuid === cameraUuid) this.#drop(name);
  }

  #drop(name: string): void {
    this.#bytes -= this.#held.get(name)?.still.bytes.length ?? 0;
    this.#held.delete(name);
  }
}
