/**
 * Stills that an API call made and refers to by URL. Each has a name that cannot be guessed, which is all that its reader
 * needs, and is forgotten after a few minutes.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Still } from './stills.ts';

/** How long a name leads to its still. */
export const HELD_MS = 5 * 60_000;
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
  readonly #organizationOf: (cameraUuid: Ruuid) => string | null;
  /** Oldest first. */
  readonly #held = new FairMap<Held, typeof LIMITS.heldStills>(LIMITS.heldStills);

  /** `organizationOf`: whose camera it is; null: not known. */
  constructor(clock: Clock, organizationOf: (cameraUuid: Ruuid) => string | null = () => null) {
    this.#clock = clock;
    this.#organizationOf = organizationOf;
  }

  /** Its name, `<22 characters>.<format>`. */
  hold(cameraUuid: Ruuid, still: Still): string {
    const name = `${randomBytes(NAME_BYTES).toString('base64url')}.${still.format}`;
    const nowMonoMs = this.#clock.monoMs();
    for (const [oldest, { untilMonoMs }] of this.#held) {
      if (nowMonoMs < untilMonoMs) break;
      this.#held.delete(oldest);
    }
    const holders = { organization: this.#organizationOf(cameraUuid) ?? cameraUuid, camera: cameraUuid };
    const held = { still, cameraUuid, untilMonoMs: nowMonoMs + HELD_MS };
    this.#held.set(name, holders, held, still.bytes.length);
    return name;
  }

  /** null: there is none of this name, or not any longer. */
  find(name: string): HeldStill | null {
    const held = this.#held.get(name);
    if (held === undefined) return null;
    if (this.#clock.monoMs() < held.untilMonoMs) return held;
    this.#held.delete(name);
    return null;
  }

  /** The camera was deleted: its stills go too. */
  forget(cameraUuid: Ruuid): void {
    for (const [name, held] of this.#held) if (held.cameraUuid === cameraUuid) this.#held.delete(name);
  }
}
