/**
 * Steps that processes are about to take, as the twins announce them: each names a step after which others rely on it. Most
 * faults of an order of events need something else to happen exactly there, as with BUGGIFY in FoundationDB
 * (docs/design/simulation.md#moments).
 */

import type { Host } from './world.ts';

export const MOMENTS = [
  'looks for an owner',
  'claims a camera',
  'confirms a lease',
  'gives a lease back',
  'reads numbers',
  'stores numbers',
  'looks for a view',
  'ends a view elsewhere',
  'stores the end of a view',
  'opens a mirror',
  'hands a camera over',
] as const;

export type Moment = (typeof MOMENTS)[number];

/** How much longer a request and its reply take, milliseconds. */
export interface Hold {
  readonly requestMs: number;
  readonly replyMs: number;
}

export const NO_HOLD: Hold = { requestMs: 0, replyMs: 0 };

export interface MomentListener {
  /** `host` sends this to the process with the name `to`, now. */
  about(moment: Moment, host: Host, to: string): Hold;
}
