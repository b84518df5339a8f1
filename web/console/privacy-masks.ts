/** Reads and replaces the privacy masks of a camera. */

import { call } from './api.ts';
import type { Area } from './mask-shape.ts';

export interface CameraAreas {
  readonly areas: readonly Area[];
  /** People and keys with the role viewer do not see them either. */
  readonly isForViewers: boolean;
}

/** Fails with a CallError. */
export async function readMasks(cameraUuid: string, signal: AbortSignal): Promise<CameraAreas> {
  const { masks, masksForViewers } = await call('camera/getPrivacyMasks', { cameraUuid }, signal);
  return { areas: masks.map((mask, id) => ({ id, ...mask })), isForViewers: masksForViewers };
}

/** Fails with a CallError. */
export async function saveMasks(
  cameraUuid: string,
  { areas, isForViewers: masksForViewers }: CameraAreas,
): Promise<void> {
  const masks = areas.map(({ name, points }) => ({ name: name.trim(), points: [...points] }));
  await call('camera/setPrivacyMasks', { cameraUuid, masks, masksForViewers });
}
