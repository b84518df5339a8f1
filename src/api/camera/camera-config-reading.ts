/** The stored configuration of a camera, as read by two endpoints. */

import type { Static } from 'typebox';
import type { CallContext } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID } from '../types/examples.ts';
import { CAMERA_CONFIG_SCHEMA } from './camera-config-type.ts';

export const CAMERA_CONFIG_READING = {
  description:
    'What `/api/camera/updateConfig` stored, and `lastModified`. Fields that were never sent are left out: Sluice ' +
    'does not query the camera.',
  response: { config: CAMERA_CONFIG_SCHEMA },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      config: {
        deviceUuid: EXAMPLE_CAMERA_UUID,
        orgUuid: EXAMPLE_ORG_UUID,
        hdr_enabled: true,
        rotation: 180,
        resolution: { width: 1920, height: 1080 },
      },
    },
  },
  /** `cameraUuid`: with or without a facet. Fails CAMERA_NOT_FOUND. */
  async handler(
    { orgUuid, services }: CallContext,
    { cameraUuid }: { cameraUuid: string },
  ): Promise<{ config: Static<typeof CAMERA_CONFIG_SCHEMA> }> {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const settings = await services.devices.cameraConfig(orgUuid, camera.uuid);
    return { config: { ...settings, deviceUuid: camera.uuid, orgUuid } };
  },
};
