/** In lists: why a camera does not work, or that it is paused, and what repairs it. */

import type { CameraPauses } from '../camera-pause.ts';
import { cameraSourcePlace } from '../camera-places.ts';
import { listRepairOf } from '../camera-repair.ts';
import type { CameraItem } from '../camera-state.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';

/** What lists know besides the states of their cameras. */
export interface CameraTroubles {
  readonly pauses: CameraPauses;
  /** NVRs by camera. */
  readonly nvrOf: ReadonlyMap<string, string>;
  /** As camera-repair.ts has them. */
  readonly silentNvrs: ReadonlySet<string>;
}

/** For administrators; nothing if there is nothing that they can repair here. */
export function RepairLink({
  camera,
  troubles: { nvrOf, silentNvrs },
}: {
  readonly camera: CameraItem;
  readonly troubles: CameraTroubles;
}) {
  const repair = may('admin') ? listRepairOf(camera, nvrOf, silentNvrs) : null;
  if (repair === null) return null;
  const [text, href] =
    repair.kind === 'nvr'
      ? [t('Look at its NVR'), place(`?nvr=${encodeURIComponent(repair.nvrUuid)}`)]
      : [repair.text, cameraSourcePlace(camera.uuid, repair.field)];
  return (
    <a class="button repair" href={href} aria-label={`${camera.name}: ${text}`}>
      {text}
    </a>
  );
}
