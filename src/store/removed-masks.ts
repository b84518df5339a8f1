/** Whether files of a camera show what its privacy masks cover, also after it was removed (docs/design/privacy.md). */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from './entities.ts';
import { type ResourceKind, resourceKind } from './resource.ts';
import type { Store } from './store.ts';

/** Of a camera that had masks when it was removed, with its UUID. */
const REMOVED_MASKS: ResourceKind<Readonly<Record<string, never>>> = resourceKind('removedMasks');

/** Call it before the camera is removed: its files stay. Rejects like the store. */
export async function noteRemovedMasks(
  { resources }: Pick<Store, 'resources'>,
  { uuid, orgUuid, masks }: Pick<Camera, 'uuid' | 'orgUuid' | 'masks'>,
  clock: Pick<Clock, 'epochMs'>,
): Promise<void> {
  if (masks.length === 0) return;
  const nowMs = clock.epochMs();
  const common = { name: '', parentUuid: null, secret: null, createdAtMs: nowMs, updatedAtMs: nowMs };
  await resources.of(REMOVED_MASKS).save({ uuid, orgUuid, body: {}, ...common });
}

/** `camera`: as the store has it. Rejects like the store. */
export async function hasMasks(
  { resources }: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  cameraUuid: Ruuid,
  camera: Pick<Camera, 'masks'> | null,
): Promise<boolean> {
  if (camera !== null) return camera.masks.length > 0;
  return (await resources.of(REMOVED_MASKS).find(orgUuid, cameraUuid)) !== null;
}
