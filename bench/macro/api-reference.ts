/**
 * Child module: an event loop with nothing to do, beside the gateway's. How late its timers are is what the machine
 * does to any thread at that moment.
 */

import { answerParent } from '../support/child-module.ts';
import { type LoopDelay, LoopDelayMeter } from '../support/loop-delay-meter.ts';

export interface ApiReferenceCalls {
  /** Of the time since the call before. */
  loopDelay(nothing: null): LoopDelay;
}

const meter = new LoopDelayMeter();
meter.start();

const calls: ApiReferenceCalls = { loopDelay: () => meter.read() };

answerParent(calls);
