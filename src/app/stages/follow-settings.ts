/** Settings that an operator edited at another node of the cluster: this node applies them, too. */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Store } from '../../store/store.ts';

/** Returns what ends it. `reload`: as RunningConfig.reload; a failure is logged, because no one waits for it. */
export function followSettings(
  store: Pick<Store, 'onChange'>,
  reload: () => Promise<unknown>,
  log: Log,
): () => void {
  return store.onChange(({ entity, isForeign }) => {
    // The node that made the change has applied it already.
    if (entity !== 'consoleSettings' || isForeign !== true) return;
    reload().catch((thrown: unknown) => {
      log.error({ err: toGatewayError(thrown) }, 'settings of another node not applied');
    });
  });
}
