/** What a gateway is started with. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Config } from './config/schema.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}
