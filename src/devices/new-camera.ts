/** What cameras that callers add have in common. */

import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';

const MAX_CAMERAS_PER_ORG = LIMITS.cameras.perOrganization;

/** A new camera with the default settings. */
export function newCamera(
  given: Pick<Camera, 'orgUuid' | 'name' | 'rtspUrl' | 'nvrUuid' | 'locationUuid' | 'createdAtMs'> &
    Partial<Pick<Camera, 'substreamUrl' | 'onvifUrl' | 'engine' | 'transport' | 'audio' | 'clock' | 'tls'>>,
): Camera {
  return {
    uuid: newRuuid(),
    kind: 'camera',
    substreamUrl: null,
    onvifUrl: null,
    engine: 'auto',
    transport: 'auto',
    audio: 'auto',
    tls: 'any',
    clock: 'arrival',
    mummified: false,
    fromConfig: false,
    ...given,
  };
}

/** Fails TOO_MANY_CAMERAS. */
export async function requireRoomForCamera(cameras: Store['cameras'], orgUuid: Ruuid): Promise<void> {
  if ((await cameras.listRecords(orgUuid)).length >= MAX_CAMERAS_PER_ORG) {
    throw new GatewayError(DEVICE_ERRORS.TOO_MANY_CAMERAS);
  }
}
