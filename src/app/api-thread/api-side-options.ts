/** Options with which the API's thread starts. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ThreadLink } from '../../threads/thread-link.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { ApiStart, ApiThreadCalls, ApiThreadData, GatewayCalls } from './thread-calls.ts';

export type GatewayLink = ThreadLink<GatewayCalls, ApiThreadCalls>;

export interface ApiSideOptions {
  readonly data: ApiThreadData;
  readonly now: ApiStart;
  readonly gateway: GatewayLink;
  readonly clock: Clock;
  readonly log: Log;
  /** Where each part is stored as soon as it runs. */
  readonly cleanup: Cleanup;
}
