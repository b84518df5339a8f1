/** A camera whose address is named: what it tells over ONVIF is kept, opened, and made a camera of if that is asked. */

import { isIP } from 'node:net';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { OnvifDevice } from '../sources/onvif/onvif-device.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { OnvifDiscovery, OnvifFinding } from './onvif-discovery.ts';
import type { RtspCredentials } from './rtsp-credentials.ts';
import type { RtspEndpoint, RtspLogin } from './rtsp-endpoint.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

const SERVICE_PATH = '/onvif/device_service';

export interface OnvifCameraRequest {
  /** IPv4 or IPv6, with a port behind a colon unless that is 80. */
  readonly address: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Whether the saved logins are tried after that one. */
  readonly trySavedCredentials: boolean;
  /** Whether a camera is made of it, behind `nvrUuid`. */
  readonly isAssigned: boolean;
  readonly nvrUuid?: Ruuid | undefined;
  readonly locationUuid?: Ruuid | undefined;
  /** Absent: its host. */
  readonly name?: string | undefined;
}

export interface OnvifCameraOutcome {
  /** What it says of itself; null: nothing answered or nothing let the login in. */
  readonly device: Pick<OnvifDevice, 'manufacturer' | 'model'> | null;
  /** Its main stream after it was opened; null: there is none. */
  readonly endpoint: RtspEndpoint | null;
  /** The camera that was made of it. */
  readonly cameraUuid: Ruuid | null;
  /** Why there is no endpoint, or why no camera was made of it though that was asked. */
  readonly failure: GatewayError | null;
}

export interface OnvifCamerasOptions {
  readonly devices: Pick<DeviceService, 'requireLocation'>;
  readonly discovery: Pick<OnvifDiscovery, 'inspectNamed'>;
  readonly endpoints: Pick<RtspEndpointService, 'keepOnvif' | 'discover' | 'assign'>;
  readonly credentials: Pick<RtspCredentials, 'logins'>;
}

export class OnvifCameras {
  readonly #options: OnvifCamerasOptions;

  constructor(options: OnvifCamerasOptions) {
    this.#options = options;
  }

  /**
   * What the camera or the network refuses is the outcome's `failure`. Fails CAMERA_ADDRESS_INVALID,
   * ASSIGNMENT_NEEDS_NVR, LOCATION_NOT_FOUND, TOO_MANY_RTSP_ENDPOINTS, PROBES_TOO_OFTEN, PROBES_BUSY.
   */
  async add(orgUuid: Ruuid, request: OnvifCameraRequest): Promise<OnvifCameraOutcome> {
    const { devices, discovery, endpoints } = this.#options;
    const { locationUuid, isAssigned, nvrUuid } = request;
    const service = serviceAt(request.address);
    if (isAssigned && nvrUuid === undefined) throw new GatewayError(DEVICE_ERRORS.ASSIGNMENT_NEEDS_NVR);
    if (locationUuid !== undefined) await devices.requireLocation(orgUuid, locationUuid);
    const finding = await discovery.inspectNamed(orgUuid, service, await this.#logins(orgUuid, request));
    const nothing = { device: null, endpoint: null, cameraUuid: null };
    if (finding.kind !== 'open') return { ...nothing, failure: failureOf(finding) };
    const { device, login } = finding;
    const [main] = await endpoints.keepOnvif(orgUuid, device, login, locationUuid);
    if (main === undefined) {
      return { ...nothing, device, failure: new GatewayError(DEVICE_ERRORS.ONVIF_STREAM_MISSING) };
    }
    const endpoint = await this.#opened(orgUuid, main, login);
    if (!isAssigned || nvrUuid === undefined) return { device, endpoint, cameraUuid: null, failure: null };
    return { device, endpoint, ...(await this.#assigned(orgUuid, endpoint, { ...request, nvrUuid })) };
  }

  async #logins(orgUuid: Ruuid, request: OnvifCameraRequest): Promise<(RtspLogin | null)[]> {
    const { username, password, trySavedCredentials } = request;
    const isGiven = username !== undefined || password !== undefined;
    const first = isGiven ? { username: username ?? '', password: new Secret(password ?? '') } : null;
    return [first, ...(trySavedCredentials ? await this.#options.credentials.logins(orgUuid) : [])];
  }

  /** The endpoint after it was opened with the login that ONVIF took. Fails PROBES_BUSY. */
  async #opened(orgUuid: Ruuid, endpoint: RtspEndpoint, login: RtspLogin | null): Promise<RtspEndpoint> {
    const { endpoint: tried } = await this.#options.endpoints.discover(orgUuid, {
      rtspUrl: endpoint.body.rtspUrl,
      username: login?.username,
      password: login?.password.reveal(),
      trySavedCredentials: false,
    });
    return tried ?? endpoint;
  }

  async #assigned(
    orgUuid: Ruuid,
    { body: { rtspUrl } }: RtspEndpoint,
    { nvrUuid, locationUuid, name }: OnvifCameraRequest & { readonly nvrUuid: Ruuid },
  ): Promise<Pick<OnvifCameraOutcome, 'cameraUuid' | 'failure'>> {
    try {
      const assignment = { nvrUuid, locationUuid, name, rtspUrl };
      const { cameraUuid } = await this.#options.endpoints.assign(orgUuid, assignment);
      return { cameraUuid, failure: null };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind === 'internal') throw thrown;
      return { cameraUuid: null, failure: thrown };
    }
  }
}

/** Fails CAMERA_ADDRESS_INVALID. Names are not taken: what they lead to may change between two requests. */
function serviceAt(address: string): URL {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const url = URL.canParse(`http://${host}${SERVICE_PATH}`) ? new URL(`http://${host}${SERVICE_PATH}`) : null;
  const isAddress = url !== null && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isAddress || url.pathname !== SERVICE_PATH || url.username !== '' || url.search !== '') {
    throw new GatewayError(DEVICE_ERRORS.CAMERA_ADDRESS_INVALID, { address });
  }
  return url;
}

function failureOf(finding: Exclude<OnvifFinding, { kind: 'open' }>): GatewayError {
  return finding.kind === 'absent' ? finding.error : new GatewayError(DEVICE_ERRORS.ONVIF_LOGIN_REFUSED);
}
