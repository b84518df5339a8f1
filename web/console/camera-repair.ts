/** What repairs a camera that is offline, as far as lists know: its own fields, or the NVR that it is behind. Pure. */

import type { CameraItem } from './camera-state.ts';
import { type FaultRepair, repairOf } from './fault-words.ts';
import { stateOf } from './shown-state.ts';

export type ListRepair =
  | ({ readonly kind: 'field' } & FaultRepair)
  /** Nothing behind it can be reached. */
  | { readonly kind: 'nvr'; readonly nvrUuid: string };

/** NVRs of which each camera cannot be reached, and there are several. */
export function silentNvrs(
  cameras: readonly CameraItem[],
  nvrOf: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const behind = Map.groupBy(cameras, ({ uuid }) => nvrOf.get(uuid) ?? '');
  behind.delete('');
  return new Set(
    [...behind].filter(([, group]) => group.length > 1 && group.every(isUnreachable)).map(([nvr]) => nvr),
  );
}

/** null: it works, or only someone at it can repair it. `silent`: as `silentNvrs` has them. */
export function listRepairOf(
  camera: CameraItem,
  nvrOf: ReadonlyMap<string, string>,
  silent: ReadonlySet<string>,
): ListRepair | null {
  if (stateOf(camera) !== 'offline') return null;
  const nvrUuid = nvrOf.get(camera.uuid);
  if (nvrUuid !== undefined && silent.has(nvrUuid)) return { kind: 'nvr', nvrUuid };
  const repair = repairOf(camera.connectionDetail?.reason);
  return repair === null ? null : { kind: 'field', ...repair };
}

/** Whether the gateway can open it now. Devices that push their video begin on their own. `code`: why it is offline. */
export function canTry(code: string | undefined): boolean {
  return code !== undefined && !code.startsWith('RTMP_');
}

function isUnreachable(camera: CameraItem): boolean {
  return stateOf(camera) === 'offline' && camera.connectionDetail?.reason === 'unreachable';
}
