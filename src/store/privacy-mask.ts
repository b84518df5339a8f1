/**
 * Privacy masks of a camera, and the camera under which its video runs with them (docs/design/privacy.md). A masked camera has a UUID of
 * its own, so code that only knows that UUID cannot reach what the masks hide.
 */

import { createHash } from 'node:crypto';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Role } from './person.ts';

/** In ten-thousandths of the picture's width and height, from its upper left corner. */
export interface MaskPoint {
  readonly xPermyriad: number;
  readonly yPermyriad: number;
}

/** A polygon that covers a part of the picture. Its last point is joined to its first one. */
export interface PrivacyMask {
  readonly name: string;
  readonly points: readonly MaskPoint[];
}

/** What the viewers of a masked camera see. */
export interface MaskedSource {
  /** The organization's camera. */
  readonly cameraUuid: Ruuid;
  /** At least one. */
  readonly masks: readonly PrivacyMask[];
}

export const MAX_MASKS = 16;
export const MIN_MASK_POINTS = 3;
export const MAX_MASK_POINTS = 32;
export const PERMYRIAD = 10_000;

/** The UUID of the camera with these masks: other areas, another UUID. Names do not matter. */
export function maskedCameraUuid(cameraUuid: Ruuid, masks: readonly PrivacyMask[]): Ruuid {
  const areas = masks.map(({ points }) =>
    points.map(({ xPermyriad, yPermyriad }) => [xPermyriad, yPermyriad]),
  );
  const digest = createHash('sha256').update(JSON.stringify(areas)).digest('hex');
  return deriveRuuid(`masked camera ${digest}`, cameraUuid);
}

/** Whether someone sees what masks cover: the one decision. */
export function seesUnmasked(
  viewer: { readonly showsUnmasked: boolean } | { readonly role: Role },
  { masksForViewers }: { readonly masksForViewers: boolean },
): boolean {
  return 'role' in viewer ? viewer.role !== 'viewer' || !masksForViewers : viewer.showsUnmasked;
}

/** A camera's masks, and whether people and keys with the role `viewer` see it with them. */
export interface MaskedForViewers {
  readonly uuid: Ruuid;
  readonly masks: readonly PrivacyMask[];
  readonly masksForViewers: boolean;
}

/** The camera that a person or key with this role sees. */
export function cameraShownTo(role: Role, camera: MaskedForViewers): Ruuid {
  return seesUnmasked({ role }, camera) ? camera.uuid : shownCameraUuid(camera.uuid, camera.masks);
}

/** The camera that viewers with masks see: itself if it has none. `masks` null: they are not known, so no camera runs under it. */
export function shownCameraUuid(cameraUuid: Ruuid, masks: readonly PrivacyMask[] | null): Ruuid {
  if (masks === null) return deriveRuuid('camera with unknown masks', cameraUuid);
  return masks.length === 0 ? cameraUuid : maskedCameraUuid(cameraUuid, masks);
}

/** Whether the corners make a polygon: enough of them, and not all on one horizontal or vertical line. */
export function isArea(points: readonly MaskPoint[]): boolean {
  if (points.length < MIN_MASK_POINTS || points.length > MAX_MASK_POINTS) return false;
  const [first] = points;
  return (
    points.some(({ xPermyriad }) => xPermyriad !== first!.xPermyriad) &&
    points.some(({ yPermyriad }) => yPermyriad !== first!.yPermyriad)
  );
}
