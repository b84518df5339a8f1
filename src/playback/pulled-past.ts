/** What video recorders have (src/recorders): it is pulled when someone looks at it. */

import type { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { TimeSpan } from './past-timeline.ts';

export interface PulledPast {
  has(cameraUuid: Ruuid): boolean;
  /** What there is, whether or not it was pulled; nothing if the recorder does not say. Pulls nothing. Never rejects. */
  listed(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<readonly TimeSpan[]>;
  /**
   * Up to when the range is complete, as far as it can be. `error`: why nothing more comes now. `looker`: stands for the viewer. Fails
   * like the store.
   */
  look(
    cameraUuid: Ruuid,
    fromMs: number,
    toMs: number,
    looker: object,
  ): Promise<{ readonly untilMs: number; readonly isGrowing: boolean; readonly error: GatewayError | null }>;
  /** The viewer has fetched the media of this time. */
  watched(cameraUuid: Ruuid, atMs: number, looker: object): void;
}
