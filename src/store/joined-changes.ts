/** A store whose subscribers are also notified of changes committed elsewhere. */

import type { ChangeFeed } from './change-feed.ts';
import type { Store } from './store.ts';

/** `store`, but `onChange` reports both its own changes and those that `elsewhere` publishes. */
export function withChangesFrom(elsewhere: ChangeFeed, store: Store): Store {
  return {
    ...store,
    onChange(listener) {
      const unsubscribe = [store.onChange(listener), elsewhere.subscribe(listener)];
      return () => {
        for (const end of unsubscribe) end();
      };
    },
  };
}
