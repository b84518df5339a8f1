/** Views that other nodes end, as the store reports them. */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import type { ShareViewers } from './share-viewers.ts';

/** After a failure. */
const READ_AGAIN_MS = 250;

/** This process's own are in effect without an event. Returns a function that ends it. */
export function followEndedViews(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  store: Pick<Store, 'onChange'>,
  viewers: Pick<ShareViewers, 'endedElsewhere'>,
): () => Promise<void> {
  let isClosed = false;
  const read = (linkUuid: Ruuid): void => {
    viewers.endedElsewhere(linkUuid).catch((thrown: unknown) => {
      log.warn({ err: toGatewayError(thrown), linkUuid }, 'ended views not readable');
      clock.after(READ_AGAIN_MS, () => {
        if (!isClosed) read(linkUuid);
      });
    });
  };
  const unsubscribe = store.onChange(({ entity, uuid }) => {
    if (entity === 'endedView') read(uuid);
  });
  return async () => {
    isClosed = true;
    unsubscribe();
  };
}
