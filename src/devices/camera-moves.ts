/**
 * Which node moves a camera now, and whose move is its last (docs/design/onvif.md#moves). Without a cluster there is nothing to agree
 * on.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** How long a camera may take for one request: then another node need not wait for it. */
export const MOVE_CALL_MS = 8_000;

export interface MovedCamera {
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
}

/** Identifies one request that moves a camera. null: Redis is unavailable, so other nodes do not know of it. */
export type MoveToken = string | null;

export type MoveOutcome =
  /** The move continues until a call ends it. */
  | { readonly kind: 'moves'; readonly endsInMs: number }
  /** The move ends automatically, or the camera was stopped. */
  | { readonly kind: 'ends' }
  /** The camera refused: its earlier move continues. */
  | { readonly kind: 'refused' };

/** A move that was not ended in time: its node is dead or frozen. */
export interface OverdueMove {
  readonly camera: MovedCamera;
  readonly token: string;
}

export interface CameraMoves {
  /** Waits while another node's request is in progress, for 2 s at most. Fails PTZ_MOVE_REPLACED if a later move came in the meantime. */
  begin(camera: MovedCamera): Promise<MoveToken>;
  /** The same for the request that ends a move; false: it is not the camera's last move. */
  beginEnd(camera: MovedCamera, move: MoveToken): Promise<boolean>;
  /** The camera's outcome. Resolves with the move that has to be ended later, if the camera moves. */
  settle(camera: MovedCamera, move: MoveToken, outcome: MoveOutcome): Promise<MoveToken>;
  /** Each is this node's to end, for as long as a request may take. */
  overdue(): Promise<readonly OverdueMove[]>;
}
