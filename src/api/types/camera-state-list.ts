/** The cameras with their states, which two lists show: one all of it, the other less. */

import { LongList } from '../../core/long-list.ts';
import type { CallContext } from '../http/endpoint.ts';
import { inOrderOfNames } from '../http/name-order.ts';
import { knownCamera } from './camera-state.ts';
import { cameraHealth, type DeviceState, deviceStateAnswer } from './device-state.ts';

/** In order of their names; removed ones only if `includeMummified`. */
export async function listCameraStates(
  { orgUuid, services }: CallContext,
  includeMummified: boolean,
): Promise<LongList<DeviceState>> {
  const listed = await services.store.cameras.listRecords(orgUuid);
  const cameras = await inOrderOfNames(listed.filter((camera) => includeMummified || !camera.mummified));
  const details = await services.devices.detailsByDevice(orgUuid);
  const counts = await services.counters.shareCounts(cameras.map((camera) => camera.uuid));
  return LongList.of(cameras).map((camera, index) =>
    deviceStateAnswer(
      knownCamera(camera, details.get(camera.uuid)),
      counts[index] ?? 0,
      cameraHealth(services.cameraStates.get(camera.uuid)),
    ),
  );
}
