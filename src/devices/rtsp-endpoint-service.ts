/** Finds, authenticates and assigns RTSP cameras. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CredentialUrl, isTornUrl, Secret } from '../core/secret.ts';
import { PULL_ERRORS } from '../sources/http/errors.ts';
import { isHttp } from '../sources/http-source.ts';
import { ADDRESS_REFUSALS } from '../sources/network/camera-address.ts';
import { isCameraProtocol } from '../sources/network/camera-route.ts';
import { parseTlsTrust, type TlsTrust } from '../sources/network/tls-trust.ts';
import type { RtspUrlStatus } from '../sources/probe.ts';
import type { Camera } from '../store/entities.ts';
import type { ResourceRepository, RoomForMore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { ProbeVerdict } from '../stream/camera-connection.ts';
import { cameraFaultOf } from '../stream/source/camera-fault.ts';
import { type CameraProber, callersReach, type ProbeOutcome } from './camera-prober.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { newCamera, ROOM_FOR_CAMERAS } from './new-camera.ts';
import { isOperatorsCamera } from './operators-camera.ts';
import type { PendingRegistrations } from './pending-registrations.ts';
import type { RtspCredentials } from './rtsp-credentials.ts';
import {
  cameraMacAddress,
  loginOf,
  type OnvifAccess,
  type OnvifReport,
  onvifPartOf,
  RTSP_ENDPOINTS,
  type RtspEndpoint,
  type RtspEndpointBody,
  type RtspLogin,
  rtspEndpointUuid,
  toldEndpoint,
  urlWithLogin,
} from './rtsp-endpoint.ts';

const MAX_ENDPOINTS_PER_ORG = LIMITS.rtspEndpoints.perOrganization;
const ROOM_FOR_ENDPOINTS: RoomForMore = {
  atMost: MAX_ENDPOINTS_PER_ORG,
  within: 'organization',
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_RTSP_ENDPOINTS),
};

/** A camera as the caller describes it. */
export interface ProbeRequest {
  readonly rtspUrl: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly trySavedCredentials: boolean;
  readonly locationUuid?: Ruuid | undefined;
  /** The trust that its certificate must meet. Default: `any`. */
  readonly tls?: TlsTrust | undefined;
}

export interface ProbeResult {
  readonly status: RtspUrlStatus;
  /** null: nothing that could be stored. */
  readonly endpoint: RtspEndpoint | null;
}

/** Which endpoint is meant; at least one of the two is present. */
export interface EndpointQuery {
  readonly macAddress?: string | undefined;
  readonly rtspUrl?: string | undefined;
}

export interface Assignment extends EndpointQuery {
  readonly nvrUuid: Ruuid;
  readonly name?: string | undefined;
  readonly locationUuid?: Ruuid | undefined;
}

export interface RtspEndpointServiceOptions {
  readonly store: Pick<Store, 'cameras' | 'resources'>;
  readonly devices: DeviceService;
  readonly pendingRegistrations: Pick<PendingRegistrations, 'requireNvr'>;
  readonly credentials: RtspCredentials;
  readonly prober: CameraProber;
  readonly clock: Clock;
  readonly onCameraProbed: OnCameraProbed;
}

/** Resolves when the state of the camera has the result of the probe. */
export type OnCameraProbed = (orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict) => Promise<void>;

export class RtspEndpointService {
  readonly #options: RtspEndpointServiceOptions;
  readonly #endpoints: ResourceRepository<RtspEndpointBody>;
  /** Changes of an endpoint and its camera take turns. */
  readonly #locks = new KeyedLock();

  constructor(options: RtspEndpointServiceOptions) {
    this.#options = options;
    this.#endpoints = options.store.resources.of(RTSP_ENDPOINTS);
  }

  /** In discovery order. */
  list(orgUuid: Ruuid): Promise<RtspEndpoint[]> {
    return this.#endpoints.list(orgUuid);
  }

  /** Those of one camera, in the same order; `macAddress` as endpoints have it, in any case. */
  async listOfCamera(orgUuid: Ruuid, macAddress: string): Promise<RtspEndpoint[]> {
    const wanted = macAddress.toLowerCase();
    return (await this.list(orgUuid)).filter(({ body }) => body.macAddress === wanted);
  }

  /** The endpoint that a camera was created from, if any. */
  async endpointOf(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<RtspEndpoint | null> {
    const [endpoint] = await this.#endpoints.listByParent(orgUuid, cameraUuid);
    return endpoint ?? null;
  }

  /** The camera of each assigned endpoint, by endpoint. */
  async assignedCameras(
    orgUuid: Ruuid,
    endpoints: readonly RtspEndpoint[],
  ): Promise<ReadonlyMap<Ruuid, Camera>> {
    const cameras = new Map(
      (await this.#options.store.cameras.list(orgUuid)).map((each) => [each.uuid, each]),
    );
    const assigned = new Map<Ruuid, Camera>();
    for (const { uuid, parentUuid } of endpoints) {
      const camera = parentUuid === null ? undefined : cameras.get(parentUuid);
      if (camera !== undefined && !camera.mummified) assigned.set(uuid, camera);
    }
    return assigned;
  }

  /**
   * Tries a camera and, if it responds, stores it as an endpoint. Fails RTSP_URL_INVALID, LOCATION_NOT_FOUND,
   * TOO_MANY_RTSP_ENDPOINTS, PROBES_TOO_OFTEN, PROBES_BUSY, and like `addressRefused`.
   */
  async discover(orgUuid: Ruuid, request: ProbeRequest): Promise<ProbeResult> {
    const { devices, prober } = this.#options;
    const url = parseRtspUrl(request.rtspUrl);
    if (request.locationUuid !== undefined) await devices.requireLocation(orgUuid, request.locationUuid);
    const logins = await this.#logins(orgUuid, url, request);
    await prober.spend(orgUuid);
    const outcome = await prober.probe(orgUuid, url.redacted(), logins, {
      ...callersReach(orgUuid),
      tls: request.tls ?? 'any',
    });
    // A mistake of the caller, not a response of a camera.
    if (outcome.probe.error !== null && ADDRESS_REFUSALS.has(outcome.probe.error.code)) {
      throw outcome.probe.error;
    }
    const endpoint = await this.#keep(orgUuid, url, request.locationUuid, outcome);
    return { status: outcome.probe.status, endpoint };
  }

  /**
   * Stores the streams that a camera reported over ONVIF, in its order. Known ones keep their state, and cameras that were created from
   * them get the new values. `authenticate` tries the login first. Fails TOO_MANY_RTSP_ENDPOINTS.
   */
  async keepOnvif(
    orgUuid: Ruuid,
    device: OnvifReport,
    access: OnvifAccess,
    locationUuid: Ruuid | undefined,
  ): Promise<RtspEndpoint[]> {
    const kept: RtspEndpoint[] = [];
    for (const stream of device.streams) {
      const url = parseRtspUrl(stream.rtspUrl);
      const uuid = rtspEndpointUuid(orgUuid, url.redacted());
      const { after } = await this.#endpoints.change(
        orgUuid,
        uuid,
        (known) =>
          toldEndpoint({ orgUuid, url, device, stream, known, access, locationUuid, nowMs: this.#nowMs() }),
        ROOM_FOR_ENDPOINTS,
      );
      kept.push(after!);
      await this.#passServiceOn(after!);
    }
    return kept;
  }

  /** The same for a known endpoint. Also fails RTSP_ENDPOINT_NOT_FOUND. */
  async authenticate(
    orgUuid: Ruuid,
    query: EndpointQuery,
    request: Omit<ProbeRequest, 'rtspUrl'>,
  ): Promise<ProbeResult> {
    const known = await this.#find(orgUuid, query);
    // The caller's URL can contain a login.
    const { rtspUrl, onvif } = known.body;
    return this.discover(orgUuid, { ...request, tls: onvif?.tls, rtspUrl: query.rtspUrl ?? rtspUrl });
  }

  /**
   * Creates a camera from an endpoint. Resolves with the camera and with the endpoint's last report. Fails RTSP_ENDPOINT_NOT_FOUND,
   * RTSP_ENDPOINT_ASSIGNED, RTSP_ENDPOINT_NOT_GOOD, NVR_NOT_FOUND, LOCATION_NOT_FOUND, TOO_MANY_CAMERAS.
   */
  async assign(
    orgUuid: Ruuid,
    assignment: Assignment,
  ): Promise<{ cameraUuid: Ruuid; status: RtspUrlStatus }> {
    const { uuid } = await this.#find(orgUuid, assignment);
    return this.#locks.run(uuid, async () => {
      const endpoint = await this.#find(orgUuid, assignment);
      const camera = await this.#cameraOf(endpoint, assignment);
      await this.#options.store.cameras.add(camera, ROOM_FOR_CAMERAS);
      const { after } = await this.#endpoints.change(orgUuid, uuid, (now) =>
        now === null || now.parentUuid !== endpoint.parentUuid
          ? 'unchanged'
          : { ...now, parentUuid: camera.uuid, updatedAtMs: this.#nowMs() },
      );
      if (after?.parentUuid !== camera.uuid) {
        // Another process assigned or removed it in the meantime.
        await this.#options.store.cameras.remove(orgUuid, camera.uuid);
        if (after === null) throw notFound(assignment);
        throw alreadyAssigned((await this.assignedCameras(orgUuid, [after])).get(uuid) ?? camera);
      }
      // Only an endpoint that responded can be assigned, so the camera starts as reachable.
      const atEpochMs = endpoint.body.lastVisibleMs ?? this.#nowMs();
      await this.#options.onCameraProbed(orgUuid, camera.uuid, { fault: null, atEpochMs });
      return { cameraUuid: camera.uuid, status: endpoint.body.lastStatus };
    });
  }

  /** Removes the camera that was created from an endpoint. Fails RTSP_ENDPOINT_NOT_FOUND, CAMERA_NOT_ASSIGNED. */
  async unassign(orgUuid: Ruuid, cameraUuid: Ruuid | undefined, query: EndpointQuery): Promise<void> {
    const candidates =
      cameraUuid === undefined
        ? [await this.#find(orgUuid, query)]
        : matching(await this.#endpoints.listByParent(orgUuid, cameraUuid), query);
    const assigned = await this.assignedCameras(orgUuid, candidates);
    const [camera] = assigned.values();
    if (camera === undefined) {
      throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_ASSIGNED, { camera: cameraUuid });
    }
    await this.#options.devices.removeCamera(orgUuid, camera.uuid, false);
    for (const { uuid } of candidates) {
      await this.#endpoints.change(orgUuid, uuid, (now) =>
        now?.parentUuid === camera.uuid ? { ...now, parentUuid: null } : 'unchanged',
      );
    }
  }

  /** Removes the endpoints of a camera. Fails RTSP_ENDPOINT_NOT_FOUND, RTSP_ENDPOINT_ASSIGNED. */
  async forget(orgUuid: Ruuid, macAddress: string): Promise<void> {
    const endpoints = matching(await this.#endpoints.list(orgUuid), { macAddress });
    if (endpoints.length === 0) throw notFound({ macAddress });
    const [camera] = (await this.assignedCameras(orgUuid, endpoints)).values();
    if (camera !== undefined) throw alreadyAssigned(camera);
    for (const { uuid } of endpoints) await this.#endpoints.remove(orgUuid, uuid);
  }

  /** Opens a camera now. Fails PROBES_BUSY. */
  async probeCamera(camera: Camera): Promise<ProbeOutcome> {
    const login = camera.rtspUrl.credentials();
    const { orgUuid, rtspUrl, transport } = camera;
    // As the hub opens it: a login is for the camera that the certificate proves, and for no other.
    const tls = parseTlsTrust(camera.tls) ?? 'verify';
    const rule = { reach: isOperatorsCamera(camera) ? 'anywhere' : 'no-local', orgUuid } as const;
    const reach = { rule, transport, tls };
    const outcome = await this.#options.prober.probe(orgUuid, rtspUrl.redacted(), [login], reach);
    if (isContacted(outcome)) {
      await this.#options.onCameraProbed(orgUuid, camera.uuid, verdictOf(outcome, camera));
    }
    return outcome;
  }

  /**
   * The logins to try, in this order: the caller's, otherwise the URL's own; the one that the endpoint last accepted; the
   * saved ones.
   */
  async #logins(orgUuid: Ruuid, url: CredentialUrl, request: ProbeRequest): Promise<(RtspLogin | null)[]> {
    const { username, password } = request;
    const isGiven = username !== undefined || password !== undefined;
    const given = isGiven
      ? { username: username ?? '', password: new Secret(password ?? '') }
      : url.credentials();
    if (!request.trySavedCredentials) return [given];
    const known = await this.#endpoints.find(orgUuid, rtspEndpointUuid(orgUuid, url.redacted()));
    const lastGood = known === null ? null : loginOf(known);
    const saved = await this.#options.credentials.logins(orgUuid);
    return [given, ...(lastGood === null ? [] : [lastGood]), ...saved];
  }

  /** An endpoint is stored if its camera responded. A known one gets the result, and keeps a login that worked. */
  async #keep(
    orgUuid: Ruuid,
    url: CredentialUrl,
    locationUuid: Ruuid | undefined,
    outcome: ProbeOutcome,
  ): Promise<RtspEndpoint | null> {
    const uuid = rtspEndpointUuid(orgUuid, url.redacted());
    return this.#locks.run(uuid, async () => {
      const { after: endpoint } = await this.#endpoints.change(
        orgUuid,
        uuid,
        (known) =>
          known === null && !isWorthKeeping(url, outcome)
            ? 'unchanged'
            : this.#endpointOf(orgUuid, url, locationUuid, outcome, known),
        ROOM_FOR_ENDPOINTS,
      );
      if (endpoint === null) return null;
      if (outcome.probe.status === 'GOOD') await this.#passLoginOn(endpoint);
      await this.#tellCamera(endpoint, outcome);
      return endpoint;
    });
  }

  #endpointOf(
    orgUuid: Ruuid,
    url: CredentialUrl,
    locationUuid: Ruuid | undefined,
    { probe, login }: ProbeOutcome,
    known: RtspEndpoint | null,
  ): RtspEndpoint {
    const nowMs = this.#nowMs();
    const isGood = probe.status === 'GOOD' || probe.status === 'NOT_SUPPORTED';
    const video = probe.offered.find(({ kind }) => kind === 'video')?.encodings[0];
    const hasAudio = probe.offered.some(({ kind }) => kind === 'audio');
    return {
      uuid: known?.uuid ?? rtspEndpointUuid(orgUuid, url.redacted()),
      orgUuid,
      name: '',
      parentUuid: known?.parentUuid ?? null,
      body: {
        macAddress: cameraMacAddress(url),
        rtspUrl: url.redacted(),
        username: isGood ? (login?.username ?? null) : (known?.body.username ?? null),
        lastStatus: probe.status,
        lastVisibleMs: isReached(probe.status) ? nowMs : (known?.body.lastVisibleMs ?? null),
        locationUuid: locationUuid ?? known?.body.locationUuid ?? null,
        codec: (video === '' ? undefined : video) ?? known?.body.codec ?? null,
        audioSupported: probe.offered.length > 0 ? hasAudio : (known?.body.audioSupported ?? null),
        onvif: known?.body.onvif,
      },
      secret: isGood ? (login?.password ?? null) : (known?.secret ?? null),
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
  }

  /** A camera that was created from the endpoint switches to the login that works now. */
  async #passLoginOn(endpoint: RtspEndpoint): Promise<void> {
    const camera = (await this.assignedCameras(endpoint.orgUuid, [endpoint])).get(endpoint.uuid);
    if (camera === undefined) return;
    const login = loginOf(endpoint);
    const relogged = (url: CredentialUrl | null) =>
      url === null || login === null ? url : urlWithLogin(url.redacted(), login);
    await this.#options.devices.changeUrls(endpoint.orgUuid, camera.uuid, (now) => ({
      rtspUrl: urlWithLogin(endpoint.body.rtspUrl, login),
      // A camera can want a login for these and none for its main stream.
      substreamUrl: relogged(now.substreamUrl),
      onvifUrl: relogged(now.onvifUrl),
    }));
  }

  /** A camera that was assigned before its ONVIF service was known, or whose service moved. */
  async #passServiceOn(endpoint: RtspEndpoint): Promise<void> {
    if (endpoint.parentUuid === null) return;
    const { substreamUrl, onvifUrl } = onvifPartOf(endpoint, loginOf(endpoint));
    await this.#options.devices.changeUrls(endpoint.orgUuid, endpoint.parentUuid, (now) => ({
      onvifUrl: now.onvifUrl?.redacted() === onvifUrl?.redacted() ? now.onvifUrl : onvifUrl,
      substreamUrl: now.substreamUrl ?? substreamUrl,
    }));
  }

  /** The result of a login other than the camera's reveals nothing about the camera. */
  async #tellCamera(endpoint: RtspEndpoint, outcome: ProbeOutcome): Promise<void> {
    if (endpoint.parentUuid === null) return;
    const camera = (await this.assignedCameras(endpoint.orgUuid, [endpoint])).get(endpoint.uuid);
    if (camera === undefined) return;
    const tried = urlWithLogin(endpoint.body.rtspUrl, outcome.login);
    const verdict = verdictOf(outcome, camera);
    const hasResponse = verdict.fault?.reason !== 'unreachable';
    if (hasResponse && tried.reveal() !== camera.rtspUrl.reveal()) return;
    await this.#options.onCameraProbed(endpoint.orgUuid, camera.uuid, verdict);
  }

  async #cameraOf(endpoint: RtspEndpoint, assignment: Assignment): Promise<Camera> {
    const { devices, pendingRegistrations } = this.#options;
    const { orgUuid, body } = endpoint;
    const taken = (await this.assignedCameras(orgUuid, [endpoint])).get(endpoint.uuid);
    if (taken !== undefined) throw alreadyAssigned(taken);
    if (body.lastStatus !== 'GOOD' && body.lastStatus !== 'NOT_SUPPORTED') throw notGood(body);
    if (assignment.locationUuid !== undefined)
      await devices.requireLocation(orgUuid, assignment.locationUuid);
    const nvr = await pendingRegistrations.requireNvr(orgUuid, assignment.nvrUuid);
    const login = loginOf(endpoint);
    const rtspUrl = urlWithLogin(body.rtspUrl, login);
    const name = assignment.name?.trim() ?? '';
    return newCamera({
      orgUuid,
      rtspUrl,
      nvrUuid: nvr.uuid,
      createdAtMs: this.#nowMs(),
      name: name === '' ? rtspUrl.hostname : name,
      locationUuid: assignment.locationUuid ?? body.locationUuid ?? nvr.locationUuid,
      ...onvifPartOf(endpoint, login),
    });
  }

  async #find(orgUuid: Ruuid, query: EndpointQuery): Promise<RtspEndpoint> {
    const { macAddress, rtspUrl } = query;
    if (macAddress === undefined && rtspUrl === undefined) {
      throw new GatewayError(DEVICE_ERRORS.RTSP_ENDPOINT_NOT_NAMED);
    }
    const found = matching(await this.#endpoints.list(orgUuid), query);
    if (found.length > 1) throw new GatewayError(DEVICE_ERRORS.RTSP_ENDPOINT_AMBIGUOUS);
    if (found[0] === undefined) throw notFound(query);
    return found[0];
  }

  #nowMs(): number {
    return this.#options.clock.epochMs();
  }
}

/** Fails RTSP_URL_INVALID, which does not repeat the text, because it can contain a password. */
function parseRtspUrl(text: string): CredentialUrl {
  const url = URL.canParse(text) && !isTornUrl(text) ? new CredentialUrl(text) : null;
  if (url === null || url.hostname === '') {
    throw new GatewayError(DEVICE_ERRORS.RTSP_URL_INVALID);
  }
  return url;
}

function matching(
  endpoints: readonly RtspEndpoint[],
  { macAddress, rtspUrl }: EndpointQuery,
): RtspEndpoint[] {
  const wanted = rtspUrl === undefined ? undefined : parseRtspUrl(rtspUrl).redacted();
  return endpoints.filter(
    ({ body }) =>
      (macAddress === undefined || body.macAddress === macAddress.toLowerCase()) &&
      (wanted === undefined || body.rtspUrl === wanted),
  );
}

/** A stream that only an ffmpeg worker can carry still counts as reached, unless the camera must not use ffmpeg. */
function verdictOf({ probe }: ProbeOutcome, { engine }: Camera): ProbeVerdict {
  const { status, error, offered } = probe;
  const hasVideo = offered.some(({ kind }) => kind === 'video');
  const isForWorker = status === 'NOT_SUPPORTED' && hasVideo && engine !== 'direct';
  return { fault: error === null || isForWorker ? null : cameraFaultOf(error) };
}

function isReached(status: RtspUrlStatus): boolean {
  return status === 'GOOD' || status === 'NOT_AUTHENTICATED' || status === 'NOT_SUPPORTED';
}

/** Only a worker can tell what RTMP and SRT cameras do, and the API has none. */
function isContacted({ probe }: ProbeOutcome): boolean {
  return probe.error?.code !== PULL_ERRORS.PULL_NEEDS_WORKER.code || probe.offered.length > 0;
}

/** Any web server answers at an HTTP URL: it must offer media. */
function isWorthKeeping(url: CredentialUrl, { probe }: ProbeOutcome): boolean {
  if (isCameraProtocol(url.protocol)) return isReached(probe.status);
  if (!isHttp(url)) return false;
  return probe.status === 'NOT_SUPPORTED' ? probe.offered.length > 0 : isReached(probe.status);
}

function notFound({ macAddress }: EndpointQuery): GatewayError {
  return new GatewayError(DEVICE_ERRORS.RTSP_ENDPOINT_NOT_FOUND, { macAddress });
}

function alreadyAssigned(camera: Camera): GatewayError {
  const sentence = `The RTSP endpoint is assigned to an NVR as the camera ${camera.name}. Unassign it first.`;
  return new GatewayError(DEVICE_ERRORS.RTSP_ENDPOINT_ASSIGNED, { camera: camera.uuid, sentence });
}

function notGood({ lastStatus }: RtspEndpointBody): GatewayError {
  return new GatewayError(DEVICE_ERRORS.RTSP_ENDPOINT_NOT_GOOD, { status: lastStatus });
}
