/** A thread for tests of ApiThread: takes its instructions from viewers' names, and reports what it receives. */

import { parentPort, workerData } from 'node:worker_threads';
import { GatewayError } from '../../core/errors.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { ApiThreadCalls, ApiThreadData, GatewayCalls } from './thread-calls.ts';

const data = workerData as ApiThreadData;

const gateway = linkThreads<GatewayCalls, ApiThreadCalls>(parentPort!, {
  async start() {
    const { host, port } = data.listen;
    if (host === 'taken') throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host, port });
    if (host === 'broken') await fail();
    return { apiUrl: `http://${host}`, port: port === 0 ? 4_711 : port };
  },
  async happened(notices) {
    for (const notice of notices) {
      if (notice.kind === 'change') await gateway.changed([notice.change]);
      else if (notice.kind === 'viewersMissed') await gateway.auditSettled();
      else if (notice.kind === 'viewer' && notice.viewer.viewerId === 'fail') await fail();
      else if (notice.kind === 'viewer' && notice.viewer.viewerId === 'ask') await gateway.auditSettled();
    }
  },
  itemProgress: (_kind, uuids) =>
    data.listen.host === 'slow' ? new Promise(() => undefined) : Promise.resolve(uuids.map(() => 42)),
  setCertificate: async () => undefined,
  setLogLevel: async () => undefined,
  setMail: async () => undefined,
  leave: async () => undefined,
  close: () => (data.listen.host === 'slow' ? new Promise(() => undefined) : Promise.resolve()),
});

/** Like a defect: nothing catches it. */
function fail(): Promise<never> {
  setImmediate(() => {
    throw new Error('a defect');
  });
  return new Promise(() => undefined);
}
