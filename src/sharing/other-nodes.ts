/** What ending a view requests from the other nodes of a cluster: a viewer may send requests to any of them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { EndedViewer } from './ended-views.ts';

export interface ViewerOfLink {
  readonly orgUuid: Ruuid;
  /** The share, shared wall or shared group whose link was opened. */
  readonly linkUuid: Ruuid;
  readonly viewerId: string;
}

/** A viewer as one node knows it. */
export interface FoundViewer {
  /** '' if unknown. */
  readonly address: string;
  /** Until when its grants would be valid. */
  readonly grantUntilEpochMs: number;
  /** Since its last request there. */
  readonly idleMs: number;
}

/** As in cluster/node-requests.ts. */
export interface ResponsesOfNodes<Result> {
  readonly responses: readonly Result[];
  /** IDs of nodes that did not answer. */
  readonly silent: readonly string[];
}

export interface OtherNodes {
  /** The longest that a grant is valid: a silent node may have issued such grants. */
  readonly grantLifetimeMs: number;
  /** null: the viewer is not there. */
  find(viewer: ViewerOfLink): Promise<ResponsesOfNodes<FoundViewer | null>>;
  /** The viewers whose views ended there. */
  end(view: EndedViewer): Promise<ResponsesOfNodes<readonly string[]>>;
}

const NONE = { responses: [], silent: [] } as const;

export const NO_OTHER_NODES: OtherNodes = {
  grantLifetimeMs: 0,
  find: async () => NONE,
  end: async () => NONE,
};
