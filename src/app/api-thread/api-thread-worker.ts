/** The entry point of the API's thread. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { Outbox } from '../../threads/outbox.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import { Cleanup } from '../process/cleanup.ts';
import { createLog } from '../process/logging.ts';
import { type ApiSide, startApiSide } from './api-side.ts';
import type { GatewayLink } from './api-side-options.ts';
import type { ApiThreadCalls, ApiThreadData, GatewayCalls } from './thread-calls.ts';

function serve(port: MessagePort, data: ApiThreadData): void {
  // Everything else of this thread logs later.
  let keep: (line: string) => void = () => undefined;
  const log = createLog({ ...data.log, onLine: (line) => keep(line) });
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
    async itemProgress(kind, uuids) {
      return (await started)?.itemProgress(kind, uuids) ?? uuids.map(() => null);
    },
    async setLogLevel(level) {
      log.setLevel(level);
    },
    async setMail(settings) {
      (await started)?.setMail(settings);
    },
    async setCertificate(certificate) {
      (await started)?.setCertificate(certificate);
    },
    async leave() {
      (await started)?.leave();
    },
    close: () => cleanup.run(),
  });
  const outbox = new Outbox<string>({
    send: (lines) => gateway.logged(lines),
    // They are in the log itself.
    mayDrop: () => true,
    onDropped: () => undefined,
  });
  keep = (line) => outbox.add(line);
}

if (parentPort !== null) serve(parentPort, workerData as ApiThreadData);
