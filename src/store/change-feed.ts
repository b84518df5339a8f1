/** The subscribers to committed changes. Publishing is synchronous, so events arrive in commit order. */

import { seeingAll } from './acting-view.ts';
import type { ChangeEvent } from './store.ts';

export class ChangeFeed {
  readonly #listeners = new Set<(event: ChangeEvent) => void>();

  /** Returns the function that ends the subscription. Each function can be subscribed only once. */
  subscribe(listener: (event: ChangeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  publish(event: ChangeEvent): void {
    // What listeners read is for everyone, no matter who made the change.
    seeingAll(() => {
      for (const listener of this.#listeners) listener(event);
    });
  }
}
