/** Adds a camera by its address: requests its streams over ONVIF, stores and opens them, and assigns it on request. */

import { isIP } from 'node:net';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { hostOf } from '../network/http-call.ts';
import { ONVIF_SERVICE_PATH } from '../onvif/onvif-service.ts';
import { parseTlsTrust, type TlsTrust } from '../sources/network/tls-trust.ts';
import type { Store } from '../store/store.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { type KnownAtHost, knownAtHost } from './known-at-host.ts';
import type { OnvifDiscovery, OnvifFinding } from './onvif-discovery.ts';
import type { RtspCredentials } from './rtsp-credentials.ts';
import type { OnvifAccess, OnvifReport, RtspEndpoint, RtspLogin } from './rtsp-endpoint.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

export interface OnvifCameraRequest {
  /** IPv4 or IPv6, followed by a colon and the port unless that is 80, or 443 with `tls`. */
  readonly address: string;
  /** The trust that the certificate of its service must meet, as people write it; absent: requests use HTTP. */
  readonly tls?: string | undefined;
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

/** A camera that is only inspected. */
export type OnvifInspection = Pick<OnvifCameraRequest, 'address' | 'tls' | 'username' | 'password'>;

export interface OnvifInspected {
  readonly device: OnvifReport | null;
  /** What the organization already has of it. */
  readonly known: KnownAtHost;
  /** The reason why there is no device; null: there is one. */
  readonly failure: GatewayError | null;
}

export interface OnvifCameraOutcome {
  /** The camera's report about itself; null: nothing answered, or it refused the logins. */
  readonly device: Pick<OnvifReport, 'manufacturer' | 'model'> | null;
  /** Its main stream, after opening it; null: there is none. */
  readonly endpoint: RtspEndpoint | null;
  /** The new camera; null: not assigned. */
  readonly cameraUuid: Ruuid | null;
  /** The reason why there is no endpoint, or why the assignment failed; null: nothing failed. */
  readonly failure: GatewayError | null;
}

export interface OnvifCamerasOptions {
  readonly store: Pick<Store, 'cameras'>;
  readonly devices: Pick<DeviceService, 'requireLocation'>;
  readonly discovery: Pick<OnvifDiscovery, 'inspectNamed'>;
  readonly endpoints: Pick<RtspEndpointService, 'keepOnvif' | 'discover' | 'assign'>;
  readonly credentials: Pick<RtspCredentials, 'logins'>;
}

/** Video recorders take long for each of their channels. Below the time that a response can take. */
const INSPECTION_TIMEOUT_MS = 16_000;

export class OnvifCameras {
  readonly #options: OnvifCamerasOptions;

  constructor(options: OnvifCamerasOptions) {
    this.#options = options;
  }

  /**
   * If the camera or the network refuses, `failure` of the outcome gives the reason. Fails CAMERA_ADDRESS_INVALID, CAMERA_TLS_INVALID,
   * ASSIGNMENT_NEEDS_NVR, LOCATION_NOT_FOUND, TOO_MANY_RTSP_ENDPOINTS, PROBES_TOO_OFTEN, PROBES_BUSY.
   */
  async add(orgUuid: Ruuid, request: OnvifCameraRequest): Promise<OnvifCameraOutcome> {
    const { devices, discovery, endpoints } = this.#options;
    const { locationUuid, isAssigned, nvrUuid } = request;
    const { service, tls } = placeOf(request);
    if (isAssigned && nvrUuid === undefined) throw new GatewayError(DEVICE_ERRORS.ASSIGNMENT_NEEDS_NVR);
    if (locationUuid !== undefined) await devices.requireLocation(orgUuid, locationUuid);
    const logins = await this.#logins(orgUuid, request);
    const finding = await discovery.inspectNamed(orgUuid, service, logins, tls);
    const nothing = { device: null, endpoint: null, cameraUuid: null };
    if (finding.kind !== 'open') return { ...nothing, failure: failureOf(finding) };
    const { device, access } = finding;
    const [main] = await endpoints.keepOnvif(orgUuid, device, access, locationUuid);
    if (main === undefined) {
      return { ...nothing, device, failure: new GatewayError(DEVICE_ERRORS.ONVIF_STREAM_MISSING) };
    }
    const endpoint = await this.#opened(orgUuid, main, access);
    if (!isAssigned || nvrUuid === undefined) return { device, endpoint, cameraUuid: null, failure: null };
    return { device, endpoint, ...(await this.#assigned(orgUuid, endpoint, { ...request, nvrUuid })) };
  }

  /** Stores nothing. Fails CAMERA_ADDRESS_INVALID, CAMERA_TLS_INVALID, PROBES_TOO_OFTEN, PROBES_BUSY. */
  async inspect(orgUuid: Ruuid, request: OnvifInspection): Promise<OnvifInspected> {
    const { service, tls } = placeOf(request);
    const logins = await this.#logins(orgUuid, { ...request, trySavedCredentials: false });
    const { discovery, store } = this.#options;
    const finding = await discovery.inspectNamed(orgUuid, service, logins, tls, INSPECTION_TIMEOUT_MS);
    const known = knownAtHost(await store.cameras.list(orgUuid), service.hostname);
    if (finding.kind === 'open') return { device: finding.device, known, failure: null };
    return { device: null, known, failure: failureOf(finding) };
  }

  async #logins(
    orgUuid: Ruuid,
    request: Pick<OnvifCameraRequest, 'username' | 'password' | 'trySavedCredentials'>,
  ): Promise<(RtspLogin | null)[]> {
    const { username, password, trySavedCredentials } = request;
    const isGiven = username !== undefined || password !== undefined;
    const first = isGiven ? { username: username ?? '', password: new Secret(password ?? '') } : null;
    return [first, ...(trySavedCredentials ? await this.#options.credentials.logins(orgUuid) : [])];
  }

  /** Opens the endpoint with the login that ONVIF accepted. Fails PROBES_BUSY. */
  async #opened(orgUuid: Ruuid, endpoint: RtspEndpoint, { login, tls }: OnvifAccess): Promise<RtspEndpoint> {
    const { endpoint: tried } = await this.#options.endpoints.discover(orgUuid, {
      rtspUrl: endpoint.body.rtspUrl,
      username: login?.username,
      password: login?.password.reveal(),
      trySavedCredentials: false,
      tls,
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

/** Fails CAMERA_ADDRESS_INVALID, CAMERA_TLS_INVALID. */
function placeOf({ address, tls }: Pick<OnvifCameraRequest, 'address' | 'tls'>): {
  readonly service: URL;
  readonly tls: TlsTrust;
} {
  const trust = tls === undefined ? null : parseTlsTrust(tls);
  if (trust === null && tls !== undefined) throw new GatewayError(DEVICE_ERRORS.CAMERA_TLS_INVALID);
  return { service: serviceAt(address, trust === null ? 'http' : 'https'), tls: trust ?? 'any' };
}

/** Fails CAMERA_ADDRESS_INVALID. Host names are refused: they may resolve to another address on the next request. */
function serviceAt(address: string, scheme: 'http' | 'https'): URL {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const text = `${scheme}://${host}${ONVIF_SERVICE_PATH}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isAddress = url !== null && isIP(hostOf(url)) !== 0;
  if (!isAddress || url.pathname !== ONVIF_SERVICE_PATH || url.username !== '' || url.search !== '') {
    throw new GatewayError(DEVICE_ERRORS.CAMERA_ADDRESS_INVALID, { address });
  }
  return url;
}

function failureOf(finding: Exclude<OnvifFinding, { kind: 'open' }>): GatewayError {
  return finding.kind === 'absent' ? finding.error : new GatewayError(DEVICE_ERRORS.ONVIF_LOGIN_REFUSED);
}
