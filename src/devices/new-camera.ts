/** The common part of cameras that callers add. */

import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import type { Room } from '../store/record-change.ts';
import { DEVICE_ERRORS } from './errors.ts';

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
    masks: [],
    masksForViewers: false,
    mummified: false,
    fromConfig: false,
    ...given,
  };
}

export const ROOM_FOR_CAMERAS: Room = {
  atMost: LIMITS.cameras.perOrganization,
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_CAMERAS),
};
