/** Reads and replaces the privacy masks of a camera. */

import { call } from './api.ts';
import type { Area } from './mask-shape.ts';

/** Fails with a CallError. */
export async function readMasks(cameraUuid: string, signal: AbortSignal): Promise<readonly Area[]> {
  const { masks } = await call('camera/getPrivacyMasks', { cameraUuid }, signal);
  return masks.map((mask, id) => ({ id, ...mask }));
}

/** Fails with a CallError. */
export async function saveMasks(cameraUuid: string, areas: readonly Area[]): Promise<void> {
  const masks = areas.map(({ name, points }) => ({ name: name.trim(), points: [...points] }));
  await call('camera/setPrivacyMasks', { cameraUuid, masks });
}
