/** POST /api/event/getUnhealthyDeviceAlerts: devices that are not well now (spec). */

import { type Static, Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CameraRecord } from '../../store/entities.ts';
import { nvrHealth } from '../base/device-state.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { int64, listOf, namedType, oneOf, ruuid } from '../base/field-types.ts';
import { type DeviceHealthEvent, newestHealthEvents } from './device-health.ts';
import { UNHEALTHY_SYMPTOMS } from './unhealthy-device.ts';

const ALERT_SCHEMA = namedType('UnHealthyDeviceAlert', {
  uuid: ruuid('The alert; the same as long as it lasts.'),
  deviceUuid: ruuid('The device.'),
  orgUuid: ruuid('The organisation.'),
  timestamp: int64('Since when it is known, epoch milliseconds.'),
  symptom: oneOf(UNHEALTHY_SYMPTOMS, 'What is wrong.'),
});
type Alert = Static<typeof ALERT_SCHEMA>;

export const getUnhealthyDeviceAlerts = defineEndpoint({
  path: '/api/event/getUnhealthyDeviceAlerts',
  summary: 'Lists the devices that are not well now.',
  description:
    'DOWN: a camera that the gateway cannot reach, or an NVR none of whose cameras it reaches. Besides, whatever the ' +
    'newest report of a device (`/api/ingest/deviceHealth`, not older than 30 days) complains of. The newest alert ' +
    'comes first; one alert per device and symptom.',
  request: Type.Object({}),
  response: { unhealthyDeviceAlerts: listOf(ALERT_SCHEMA, 'The alerts.') },
  example: {
    request: {},
    response: {
      unhealthyDeviceAlerts: [
        {
          uuid: deriveRuuid('example', 'unhealthy device alert'),
          deviceUuid: EXAMPLE_CAMERA_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          timestamp: EXAMPLE_TIME_MS,
          symptom: 'DOWN',
        },
      ],
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const nowMs = services.clock.epochMs();
    const events = await newestHealthEvents(services.store, orgUuid, nowMs);
    const alerts = new Map<Ruuid, Alert>();
    for (const alert of [...(await downDevices(context, events, nowMs)), ...reportedAlerts(events)]) {
      if (!alerts.has(alert.uuid)) alerts.set(alert.uuid, alert);
    }
    return {
      unhealthyDeviceAlerts: [...alerts.values()].toSorted((a, b) => b.timestamp - a.timestamp),
    };
  },
});

/** Cameras and NVRs whose state is down now, whatever was written down. */
async function downDevices(
  { orgUuid, services }: CallContext,
  events: readonly DeviceHealthEvent[],
  nowMs: number,
): Promise<Alert[]> {
  const sinceMs = new Map<Ruuid, number>();
  for (const { deviceUuid, body, atMs } of events) {
    if (body.seenBy === 'gateway' && body.symptom === 'DOWN') sinceMs.set(deviceUuid, atMs);
  }
  const cameras = (await services.store.cameras.listRecords(orgUuid)).filter((camera) => !camera.mummified);
  const stateOf = (camera: CameraRecord) => services.cameraStates.get(camera.uuid);
  const alerts: Alert[] = [];
  for (const camera of cameras) {
    if (stateOf(camera)?.main.state !== 'offline') continue;
    alerts.push(alertOf(orgUuid, camera.uuid, 'DOWN', sinceMs.get(camera.uuid) ?? nowMs));
  }
  const camerasByNvr = Map.groupBy(cameras, (camera) => camera.nvrUuid);
  for (const nvr of await services.store.nvrs.list(orgUuid)) {
    const behind = camerasByNvr.get(nvr.uuid) ?? [];
    if (nvr.mummified || nvrHealth(behind.map(stateOf)).connectionStatus !== 'RED') continue;
    // Down since its last camera went.
    const lastMs = Math.max(...behind.map((camera) => sinceMs.get(camera.uuid) ?? 0));
    alerts.push(alertOf(orgUuid, nvr.uuid, 'DOWN', lastMs === 0 ? nowMs : lastMs));
  }
  return alerts;
}

function reportedAlerts(events: readonly DeviceHealthEvent[]): Alert[] {
  const alerts: Alert[] = [];
  for (const { orgUuid, deviceUuid, body, atMs } of events) {
    if (body.seenBy === 'gateway' || body.symptom === null) continue;
    alerts.push(alertOf(orgUuid, deviceUuid, body.symptom, atMs));
  }
  return alerts;
}

function alertOf(orgUuid: Ruuid, deviceUuid: Ruuid, symptom: Alert['symptom'], timestamp: number): Alert {
  const uuid = deriveRuuid('unhealthy device', `${orgUuid}\0${deviceUuid}\0${symptom}`);
  return { uuid, deviceUuid, orgUuid, timestamp, symptom };
}
