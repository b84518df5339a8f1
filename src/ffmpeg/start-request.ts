/** A start's request to the pool of workers. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Urgency, WorkerWait } from '../stream/media/urgency.ts';
import type { SharedWork } from './shared-work.ts';

/** The purpose of a worker. */
export type WorkerPurpose = 'camera' | 'h264' | 'mask' | 'past' | 'sound' | 'picture' | 'clip' | 'other';

/** A worker's camera and its organization. */
export interface WorkerCamera {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
}

export interface StartRequest {
  /** Asked again whenever there is room, and while the worker runs: someone may have begun to look. Default: `viewer`. */
  readonly urgency?: () => Urgency;
  /** Default: `other`. */
  readonly purpose?: WorkerPurpose;
  /** The organization of the camera or clip. Default: the gateway's own work. */
  readonly organization?: string;
  readonly cameraUuid?: Ruuid;
  /** Expected use of processor time, worker-cores.ts. Default: 0, not counted. */
  readonly cores?: number;
  /** Set for work that yields and that many cameras share; read whenever it is weighed. Default: it is for one camera. */
  readonly shared?: () => SharedWork;
  /** It has to wait, or its place in the line is another one. */
  readonly onWaiting?: (place: WorkerWait) => void;
}

/** The owner that a start for this camera names. */
export function ownerOf(camera: WorkerCamera | undefined): Pick<StartRequest, 'cameraUuid' | 'organization'> {
  return camera === undefined ? {} : { cameraUuid: camera.uuid, organization: camera.orgUuid };
}
