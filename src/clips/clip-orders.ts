/** The common part of orders for clips and timelapses: cameras that exist, and a job that is stored first. */

import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import type { ResourceStore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CLIP_JOBS, type ClipDevice, type ClipJob } from './clip-records.ts';
import { CLIP_ERRORS } from './errors.ts';

/** Ordered clips and timelapses in progress or failed, per organization. */
export const MAX_CLIP_JOBS = LIMITS.unfinishedClipOrders.perOrganization;

export interface OrderedCamera extends ClipDevice {
  readonly camera: Camera;
}

/** `devices`: with their facets; each camera counts once. Fails CLIP_CAMERA_NOT_FOUND, CLIP_WITHOUT_CAMERA. */
export async function orderedCameras(
  { cameras }: Pick<Store, 'cameras'>,
  orgUuid: Ruuid,
  devices: readonly string[],
): Promise<readonly OrderedCamera[]> {
  const found = new Map<Ruuid, OrderedCamera>();
  for (const device of devices) {
    const cameraUuid = parseDeviceFacetUuid(device)!.uuid;
    const camera = await cameras.find(orgUuid, cameraUuid);
    if (camera === null) throw new GatewayError(CLIP_ERRORS.CLIP_CAMERA_NOT_FOUND, { device });
    if (!found.has(cameraUuid)) found.set(cameraUuid, { device, cameraUuid, camera });
  }
  if (found.size === 0) throw new GatewayError(CLIP_ERRORS.CLIP_WITHOUT_CAMERA);
  return [...found.values()];
}

/**
 * Stores the job, whose parent is a queue (`clipQueue`), and then by `list` the record that callers see: a clip without a job
 * would never be finished. Fails CLIP_JOBS_FULL, or like `list`; in both cases no job is left.
 */
export async function placeOrder(
  resources: ResourceStore,
  job: ClipJob,
  list: () => Promise<void>,
): Promise<void> {
  const jobs = resources.of(CLIP_JOBS);
  const full = () => new GatewayError(CLIP_ERRORS.CLIP_JOBS_FULL);
  await jobs.change(job.orgUuid, job.uuid, () => job, {
    atMost: MAX_CLIP_JOBS,
    within: 'parent',
    full,
  });
  try {
    await list();
  } catch (thrown) {
    await jobs.remove(job.orgUuid, job.uuid);
    throw thrown;
  }
}
