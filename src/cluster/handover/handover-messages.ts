/** Messages between the node that hands a camera over and the node that takes it, its heir (docs/design/drain.md). */

import type { Ruuid } from '../../core/ruuid.ts';
import type { WireError } from '../../core/wire-error.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { ProfileName } from '../../stream/media/renditions.ts';
import type { KeyReport } from '../local-stream/pull-marks.ts';
import type { CutPoint } from '../local-stream/stream-cut.ts';

export const TO_HEIR = {
  /** A request, HandoverOrder: answered when the heir has all windows, and connects to the camera. */
  prepare: 'handover.prepare',
  /** StreamCutPoint: the frame with which the heir begins. */
  begin: 'handover.begin',
  /** A request, OfCamera: the lease is the heir's. Over the link of its mirror, so that all parts arrive before. Answered when it owns it. */
  take: 'handover.take',
  /** OfCamera: it will not be the heir. */
  cancel: 'handover.cancel',
  /** UncutCamera: the lease is the heir's, and it has nothing of the camera yet. */
  uncut: 'handover.uncut',
} as const;

export const TO_GIVER = {
  /** StreamKey: a key frame that the heir has. */
  key: 'handover.key',
  /** PreparationFailure. */
  failed: 'handover.failed',
} as const;

export interface OfCamera {
  readonly camera: Ruuid;
}

export interface HandoverOrder extends OfCamera {
  /** Those that are published, so that the heir mirrors them all. */
  readonly renditions: readonly RenditionName[];
  readonly profiles: readonly ProfileName[];
}

export interface StreamKey extends OfCamera {
  readonly profile: ProfileName;
  readonly key: KeyReport;
}

export interface StreamCutPoint extends OfCamera {
  readonly profile: ProfileName;
  readonly point: CutPoint;
}

export interface UncutCamera extends OfCamera {
  /** Those that were published. */
  readonly profiles: readonly ProfileName[];
}

export interface PreparationFailure extends OfCamera {
  readonly profile: ProfileName;
  readonly error: WireError;
}
