/** The stages that exist before the API. */

import type { Cluster } from '../../cluster/cluster.ts';
import type { ReloadOutcome } from '../../system/config-view.ts';
import type { FrontDoorStage } from './start-front-door.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

export interface EarlierStages {
  readonly stored: StoreStage;
  readonly media: MediaStage;
  readonly door: FrontDoorStage;
  /** null: this gateway is alone. */
  readonly cluster: Cluster | null;
  /** Reloads the configuration. */
  readonly reload: () => Promise<ReloadOutcome>;
}
