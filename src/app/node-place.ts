/** Where a node of the cluster is, as it says in the registry. */

import type { HostPort } from '../cluster/cluster-settings.ts';
import { CLUSTER_ERRORS } from '../cluster/errors.ts';
import type { CameraOwner } from '../cluster/mirror/cluster-camera.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { listenAddress } from './config/value-types.ts';

/** Fails CLUSTER_BAD_ADDRESS. */
export function placeOf(
  { nodeId, runId, address }: { nodeId: string; runId: Ruuid; address: string },
  isSelf: boolean,
): CameraOwner {
  const place = listenAddress.parse(address);
  if (!place.ok) throw new GatewayError(CLUSTER_ERRORS.CLUSTER_BAD_ADDRESS, { nodeId, address });
  return { nodeId, runId, address: place.value, isSelf };
}

/** As `placeOf` reads it. */
export function addressText({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
