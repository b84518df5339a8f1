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

/** Of one request that moves a camera. null: other nodes know nothing of it, because Redis is unavailable. */
export type MoveToken = string | null;

export type MoveOutcome =
  /** It goes on until someone ends it. */
  | { readonly kind: 'moves'; readonly endsInMs: number }
  /** It ends by itself, or the camera was stopped. */
  | { readonly kind: 'ends' }
  /** The camera did not do it: what it did before goes on. */
  | { readonly kind: 'refused' };

/** A move that no one has ended in time: its node is gone, or stands still. */
export interface OverdueMove {
  readonly camera: MovedCamera;
  readonly token: string;
}

export interface CameraMoves {
  /** Waits while another node's request is in progress, for 2 s at most. Fails PTZ_MOVE_REPLACED if a later move came meanwhile. */
  begin(camera: MovedCamera): Promise<MoveToken>;
  /** The same for the request that ends a move; false: it is not the camera's last move. */
  beginEnd(camera: MovedCamera, move: MoveToken): Promise<boolean>;
  /** What the camera answered. Resolves with what is to be ended later, if it moves. */
  settle(camera: MovedCamera, move: MoveToken, outcome: MoveOutcome): Promise<MoveToken>;
  /** Each is this node's to end, for as long as a request may take. */
  overdue(): Promise<readonly OverdueMove[]>;
}
