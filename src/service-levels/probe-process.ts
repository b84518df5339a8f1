/** The process of the synthetic viewer. The gateway gives it only links: no key, no configuration, no store. It ends with the gateway. */

import { ALIVE_INTERVAL_MS, type ProbeNotice, type ProbeOrder } from './probe-protocol.ts';
import { ProbeRun } from './probe-run.ts';

function tell(notice: ProbeNotice): void {
  if (process.connected) process.send?.(notice);
}

process.on('disconnect', () => process.exit(0));
// Those of the terminal are for the gateway, which ends this process.
process.on('SIGINT', () => undefined);
process.on('message', (order: ProbeOrder) => {
  const { id } = order;
  new ProbeRun(order).run().then(
    (result) => tell({ kind: 'done', id, result }),
    (thrown) => tell({ kind: 'broken', id, message: thrown instanceof Error ? thrown.name : 'unknown' }),
  );
});
tell({ kind: 'alive' });
setInterval(() => tell({ kind: 'alive' }), ALIVE_INTERVAL_MS);
