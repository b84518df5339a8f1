/** Cameras whose alerts are paused for maintenance. Each has the UUID of its camera, which is also its parent, so a camera has at most one. */

import { type ResourceKind, resourceKind } from './resource.ts';

export interface CameraPauseBody {
  readonly fromMs: number;
  /** Exclusive. One that is over stays until the next one: reports of its time can arrive later. */
  readonly untilMs: number;
  /** The name of the person or the key. */
  readonly pausedBy: string;
}

export const CAMERA_PAUSES: ResourceKind<CameraPauseBody> = resourceKind('cameraPause');
