/** The entry point of the API's thread. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { Cleanup } from '../cleanup.ts';
import { createLog } from '../logging.ts';
import { type ApiSide, type GatewayLink, startApiSide } from './api-side.ts';
import type { ApiThreadCalls, ApiThreadData, GatewayCalls } from './thread-calls.ts';
import { linkThreads } from './thread-link.ts';

function serve(port: MessagePort, data: ApiThreadData): void {
  const log = createLog(data.log);
  const cleanup = new Cleanup(log);
  let started: Promise<ApiSide> | null = null;
  const gateway: GatewayLink = linkThreads<GatewayCalls, ApiThreadCalls>(port, {
    async start(now) {
      started = startApiSide({ data, now, gateway, clock: systemClock, log, cleanup });
      return (await started).address;
    },
    async happened(notices) {
      (await started)?.happened(notices);
    },
    close: () => cleanup.run(),
  });
}

if (parentPort !== null) serve(parentPort, workerData as ApiThreadData);
