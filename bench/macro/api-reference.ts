/**
 * Child module: an idle event loop, next to the gateway's. Its timers show how late the machine runs any thread at that
 * moment.
 */

import { responseParent } from '../support/child-module.ts';
import { type LoopDelay, LoopDelayMeter } from '../support/loop-delay-meter.ts';

export interface ApiReferenceCalls {
  /** Since the previous call. */
  loopDelay(nothing: null): LoopDelay;
}

const meter = new LoopDelayMeter();
meter.start();

const calls: ApiReferenceCalls = { loopDelay: () => meter.read() };

responseParent(calls);
