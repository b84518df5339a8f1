/** When gateways on this store were running. It tells "the gateway did not look" from "the camera was offline". */

import type { Ruuid } from '../core/ruuid.ts';

export interface GatewayRun {
  /** UUID of the process: another one for each start. */
  readonly uuid: Ruuid;
  readonly startedAtMs: number;
  /** It was running at least until then. */
  readonly lastSeenAtMs: number;
}

/** Runs that are kept, also if a gateway starts again and again. */
export const MAX_GATEWAY_RUNS = 1_000;

export interface GatewayRunRepository {
  /** Adds a run, or lets it last longer; its end never moves back. Removes the oldest beyond MAX_GATEWAY_RUNS. */
  note(run: GatewayRun): Promise<void>;
  /** Those that ended at or after `fromMs`, the oldest start first, and the last one before them if there is one. */
  since(fromMs: number): Promise<GatewayRun[]>;
}
