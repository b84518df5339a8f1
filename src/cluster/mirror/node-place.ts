/** Where a node of the cluster is, as it says in the registry. */

import { GatewayError } from '../../core/errors.ts';
import { parseHostPort } from '../../core/host-port.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CLUSTER_ERRORS } from '../nodes/errors.ts';
import type { CameraOwner } from './cluster-camera.ts';

/** Fails CLUSTER_BAD_ADDRESS. */
export function placeOf(
  { nodeId, runId, address }: { nodeId: string; runId: Ruuid; address: string },
  isSelf: boolean,
): CameraOwner {
  const place = parseHostPort(address);
  if (place === null) throw new GatewayError(CLUSTER_ERRORS.CLUSTER_BAD_ADDRESS, { nodeId, address });
  return { nodeId, runId, address: place, isSelf };
}
