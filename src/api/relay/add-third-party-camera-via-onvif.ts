/** POST /api/relay/addThirdPartyCameraViaOnvif: finds a camera's stream over ONVIF, and makes a camera of it if asked. */

import { isIP } from 'node:net';
import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import type { OnvifFinding } from '../../devices/onvif-discovery.ts';
import type { RtspEndpoint, RtspLogin } from '../../devices/rtsp-endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  MAX_NAME_LENGTH,
  nullable,
  plainText,
  ruuid,
  text,
} from '../fields/field-types.ts';
import { type CallContext, defineEndpoint } from '../http/endpoint.ts';
import { invalidField } from '../http/request-body.ts';
import { requestSentence } from '../http/request-sentences.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_RTSP_ENDPOINT, hostOf, LOGIN_INPUT_PROPERTIES } from './third-party-camera-types.ts';

const SERVICE_PATH = '/onvif/device_service';

export const addThirdPartyCameraViaOnvif = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaOnvif',
  summary: 'Finds a camera’s stream over ONVIF, and makes a camera of it if asked.',
  description:
    'Asks the camera at `ipAddress` for its streams, keeps them as RTSP endpoints, and opens the first. `found` is false ' +
    'when nothing there speaks ONVIF or lets the login in; `assignmentMsg` says why, and why the camera was not assigned. ' +
    'Nothing of it is a failure of the call, which takes up to 20 seconds.',
  request: Type.Object({
    ipAddress: text('Its address, with a port behind a colon unless that is 80.', 64),
    ...LOGIN_INPUT_PROPERTIES,
    autoAssign: Type.Optional(flag('Whether it is assigned to `nvrUuid`. Default false.')),
    nvrUuid: Type.Optional(ruuid('The NVR that it stands behind.')),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    name: Type.Optional(text('Its name; its host when absent.', MAX_NAME_LENGTH)),
  }),
  response: {
    found: flag('Whether there is a camera whose streams are known now.'),
    assignedDeviceUuid: nullable(deviceFacetUuid('The new camera; absent: it was not assigned.')),
    assignmentMsg: nullable(plainText('Why it was not found or not assigned.')),
    ipAddress: plainText('Its address.'),
    macAddress: nullable(plainText('What stands for its MAC address in other calls.')),
    manufacturer: nullable(plainText('Who made it.')),
    model: nullable(plainText('Its model.')),
    name: nullable(plainText('Its name.')),
    codec: nullable(plainText('The codec of its video.')),
    rtspUrl: nullable(plainText('The URL of its main stream, without a login.')),
  },
  example: {
    request: {
      ipAddress: '192.0.2.10',
      username: 'viewer',
      password: 'correct horse',
      autoAssign: true,
      nvrUuid: EXAMPLE_NVR_UUID,
    },
    response: {
      ...{ found: true, assignedDeviceUuid: EXAMPLE_CAMERA_UUID, assignmentMsg: null },
      ...{ ipAddress: '192.0.2.10', macAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
      ...{ manufacturer: 'Example', model: 'Dome 4', name: '192.0.2.10', codec: 'h264' },
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
    },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { autoAssign = false, nvrUuid, locationUuid, name } = body;
    const service = serviceAt(body.ipAddress);
    if (autoAssign && nvrUuid === undefined) throw invalidField('nvrUuid is required with autoAssign.');
    if (locationUuid !== undefined) await services.devices.requireLocation(orgUuid, locationUuid);
    const logins = await loginsOf(context, body);
    const finding = await services.onvifDiscovery.inspectNamed(orgUuid, service, logins);
    const nothing = { ...NOT_FOUND, ipAddress: body.ipAddress };
    if (finding.kind !== 'open') return { ...nothing, assignmentMsg: reasonOf(finding) };
    const { device, login } = finding;
    const [main] = await services.rtspEndpoints.keepOnvif(orgUuid, device, login, locationUuid);
    const information = { manufacturer: device.manufacturer, model: device.model };
    if (main === undefined) {
      return { ...nothing, ...information, assignmentMsg: 'The camera names no RTSP stream over ONVIF.' };
    }
    const endpoint = await opened(context, main, login);
    const shown = {
      ...{ found: true, ipAddress: body.ipAddress, ...information, macAddress: endpoint.body.macAddress },
      ...{ name: name ?? hostOf(endpoint), codec: endpoint.body.codec, rtspUrl: endpoint.body.rtspUrl },
    };
    if (!autoAssign || nvrUuid === undefined) {
      return { ...shown, assignedDeviceUuid: null, assignmentMsg: null };
    }
    return { ...shown, ...(await assigned(context, endpoint, { nvrUuid, locationUuid, name })) };
  },
});

const NOT_FOUND = {
  ...{ found: false, assignedDeviceUuid: null, assignmentMsg: null, macAddress: null },
  ...{ manufacturer: null, model: null, name: null, codec: null, rtspUrl: null },
};

/** Fails INVALID_FIELD. Names are not taken: what they lead to may change between two requests. */
function serviceAt(ipAddress: string): URL {
  const host = isIP(ipAddress) === 6 ? `[${ipAddress}]` : ipAddress;
  const url = URL.canParse(`http://${host}${SERVICE_PATH}`) ? new URL(`http://${host}${SERVICE_PATH}`) : null;
  const isAddress = url !== null && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isAddress || url.pathname !== SERVICE_PATH || url.username !== '' || url.search !== '') {
    throw invalidField('ipAddress must be an IP address, such as 192.0.2.10 or 192.0.2.10:8000.');
  }
  return url;
}

async function loginsOf(
  { orgUuid, services }: CallContext,
  given: { readonly username?: string; readonly password?: string; readonly trySavedCredentials?: boolean },
): Promise<(RtspLogin | null)[]> {
  const { username, password, trySavedCredentials = false } = given;
  const isGiven = username !== undefined || password !== undefined;
  const first = isGiven ? { username: username ?? '', password: new Secret(password ?? '') } : null;
  return [first, ...(trySavedCredentials ? await services.rtspCredentials.logins(orgUuid) : [])];
}

function reasonOf(finding: Exclude<OnvifFinding, { kind: 'open' }>): string {
  return finding.kind === 'absent' ? finding.error.message : 'The camera asks for another login.';
}

/** The endpoint after it was opened with the login that ONVIF took. Fails PROBES_BUSY. */
async function opened(
  { orgUuid, services }: CallContext,
  endpoint: RtspEndpoint,
  login: RtspLogin | null,
): Promise<RtspEndpoint> {
  const { endpoint: tried } = await services.rtspEndpoints.discover(orgUuid, {
    rtspUrl: endpoint.body.rtspUrl,
    username: login?.username,
    password: login?.password.reveal(),
    trySavedCredentials: false,
  });
  return tried ?? endpoint;
}

/** A refusal is told beside what was found. */
async function assigned(
  { orgUuid, services }: CallContext,
  { body }: RtspEndpoint,
  to: {
    readonly nvrUuid: Ruuid;
    readonly locationUuid: Ruuid | undefined;
    readonly name: string | undefined;
  },
): Promise<{ assignedDeviceUuid: Ruuid | null; assignmentMsg: string | null }> {
  try {
    const { cameraUuid } = await services.rtspEndpoints.assign(orgUuid, { ...to, rtspUrl: body.rtspUrl });
    return { assignedDeviceUuid: cameraUuid, assignmentMsg: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind === 'internal') throw thrown;
    return { assignedDeviceUuid: null, assignmentMsg: requestSentence(thrown) };
  }
}
