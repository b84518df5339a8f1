/** Adds a camera by its address: asks it for its streams over ONVIF, stores and opens them, and assigns it on request. */

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
  /** IPv4 or IPv6, followed by a colon and the port unless that is 80. */
  readonly address: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Whether to try the saved logins after this one. */
  readonly trySavedCredentials: boolean;
  /** Whether to assign it to `nvrUuid`. */
  readonly isAssigned: boolean;
  readonly nvrUuid?: Ruuid | undefined;
  readonly locationUuid?: Ruuid | undefined;
  /** Absent: its host. */
  readonly name?: string | undefined;
}

export interface OnvifCameraOutcome {
  /** What the camera reports about itself; null: nothing answered, or it refused the logins. */
  readonly device: Pick<OnvifDevice, 'manufacturer' | 'model'> | null;
  /** Its main stream, after opening it; null: there is none. */
  readonly endpoint: RtspEndpoint | null;
  /** The new camera; null: not assigned. */
  readonly cameraUuid: Ruuid | null;
  /** Why there is no endpoint, or why the assignment failed; null: nothing failed. */
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
   * If the camera or the network refuses, `failure` of the outcome says why. Fails CAMERA_ADDRESS_INVALID,
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

  /** Opens the endpoint with the login that ONVIF accepted. Fails PROBES_BUSY. */
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

/** Fails CAMERA_ADDRESS_INVALID. Host names are refused: they may resolve to another address on the next request. */
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
