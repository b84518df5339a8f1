/**
 * Notes when API keys are used, for people who look for keys that no one needs. A use is written in a batch with others, a key at most once a
 * minute, so a request costs one lookup. Every thread and node notes on its own; the store keeps the latest.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKey, KeyUse } from '../store/entities.ts';
import { KEY_USE_STEP_MS } from '../store/entities.ts';
import type { Store } from '../store/store.ts';

/** How long a use waits for others. A gateway that is killed loses those of this time. */
const WRITTEN_AFTER_MS = 10_000;
/** Keys per transaction. */
const BATCH = 200;

export class KeyUses {
  readonly #store: Pick<Store, 'apiKeys'>;
  readonly #clock: Clock;
  /** Keys whose use was noted within the last minute or so. */
  readonly #notedAtMonoMs = new Map<Ruuid, number>();
  readonly #pending = new Map<Ruuid, KeyUse>();
  #timer: TimerHandle | null = null;

  constructor(store: Pick<Store, 'apiKeys'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note({ uuid }: Pick<ApiKey, 'uuid'>): void {
    const nowMonoMs = this.#clock.monoMs();
    const notedAtMonoMs = this.#notedAtMonoMs.get(uuid);
    if (notedAtMonoMs !== undefined && nowMonoMs - notedAtMonoMs < KEY_USE_STEP_MS) return;
    this.#notedAtMonoMs.set(uuid, nowMonoMs);
    this.#pending.set(uuid, { keyUuid: uuid, atMs: this.#clock.epochMs() });
    this.#arm();
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#write();
  }

  #arm(): void {
    this.#timer ??= this.#clock.after(WRITTEN_AFTER_MS, () => {
      this.#timer = null;
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#forgetOld();
    const uses = [...this.#pending.values()];
    this.#pending.clear();
    for (let at = 0; at < uses.length; at += BATCH) {
      const batch = uses.slice(at, at + BATCH);
      try {
        await this.#store.apiKeys.noteUses(batch);
      } catch {
        // Only a time for people: without a store, the next use is noted instead.
        for (const { keyUuid } of batch) this.#notedAtMonoMs.delete(keyUuid);
      }
    }
  }

  #forgetOld(): void {
    const fromMonoMs = this.#clock.monoMs() - KEY_USE_STEP_MS;
    for (const [uuid, monoMs] of this.#notedAtMonoMs)
      if (monoMs <= fromMonoMs) this.#notedAtMonoMs.delete(uuid);
  }
}
