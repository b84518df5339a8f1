/** Stored RTSP endpoints and saved credentials. Passwords are the resources' secrets and never leave the gateway. */

import { createHash } from 'node:crypto';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl, type Secret } from '../core/secret.ts';
import { cameraRoute } from '../sources/network/camera-route.ts';
import type { TlsTrust } from '../sources/network/tls-trust.ts';
import type { RtspUrlStatus } from '../sources/probe.ts';
import type { Camera } from '../store/entities.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { OnvifDevice, OnvifStream } from './onvif/onvif-device.ts';

export interface RtspEndpointBody {
  /** The address of its camera; see `cameraMacAddress`. */
  readonly macAddress: string;
  /** Without user info. */
  readonly rtspUrl: string;
  /** null: the camera requires none. The password is the resource's secret. */
  readonly username: string | null;
  readonly lastStatus: RtspUrlStatus;
  /** When the camera last responded; null: never. */
  readonly lastVisibleMs: number | null;
  readonly locationUuid: Ruuid | null;
  /** As the camera offers it, such as `h264`; null: not known. */
  readonly codec: string | null;
  readonly audioSupported: boolean | null;
  /** The camera's report over ONVIF; absent: a caller gave the URL. */
  readonly onvif?: OnvifOrigin | undefined;
}

export interface OnvifOrigin {
  readonly profileToken: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** Its device service, without login. Absent in rows from before version 19 of the store, like the next two. */
  readonly service?: string | undefined;
  /** As in OnvifStream. */
  readonly substreamUrl?: string | null | undefined;
  /** The trust that its certificate must meet. */
  readonly tls?: TlsTrust | undefined;
}

/** The stored report of a camera that answered over ONVIF, and of its streams. */
export interface OnvifReport extends Pick<OnvifDevice, 'service' | 'manufacturer' | 'model' | 'channels'> {
  readonly streams: readonly OnvifReportedStream[];
}

export type OnvifReportedStream = Pick<
  OnvifStream,
  'profileToken' | 'codec' | 'widthPx' | 'heightPx' | 'rtspUrl' | 'substreamUrl'
>;

/** The access with which a camera answered over ONVIF. */
export interface OnvifAccess {
  /** The login that it accepted; null: it requires none. */
  readonly login: RtspLogin | null;
  readonly tls: TlsTrust;
}

/** The parent of an endpoint is the camera that was created from it. It is assigned while that camera exists. */
export const RTSP_ENDPOINTS: ResourceKind<RtspEndpointBody> = resourceKind('rtspEndpoint');

export type RtspEndpoint = Resource<RtspEndpointBody>;

export interface RtspCredentialBody {
  readonly username: string;
  readonly notes: string;
}

export const RTSP_CREDENTIALS: ResourceKind<RtspCredentialBody> = resourceKind('rtspCredential');

export function hostOf({ body }: RtspEndpoint): string {
  return new CredentialUrl(body.rtspUrl).hostname;
}

/** An organization has one endpoint per URL. */
export function rtspEndpointUuid(orgUuid: Ruuid, rtspUrl: string): Ruuid {
  return deriveRuuid('rtsp endpoint', `${orgUuid}\0${rtspUrl}`);
}

const HTTP_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const LOCALLY_ADMINISTERED = 0x02;

/**
 * The MAC address that the API shows for the camera at a URL. RTSP does not reveal the real one, and across routers nothing does. So it is
 * a locally administered address made from host and port: the same for all endpoints of a camera.
 */
export function cameraMacAddress(url: CredentialUrl): string {
  const port = cameraRoute(url, 'auto')?.port ?? url.port ?? HTTP_PORTS[url.protocol] ?? 0;
  const digest = createHash('sha256').update(`${url.hostname.toLowerCase()}\0${port}`).digest();
  const octets = [...digest.subarray(0, 6)];
  octets[0] = (octets[0]! & 0xfc) | LOCALLY_ADMINISTERED;
  return octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}

/** User and password for a camera. */
export interface RtspLogin {
  readonly username: string;
  readonly password: Secret;
}

/** The URL with a login in it; without one, without user info. */
export function urlWithLogin(rtspUrl: string, login: RtspLogin | null): CredentialUrl {
  const url = new URL(rtspUrl);
  // Percent signs of a password would otherwise be read as escapes.
  url.username = login === null ? '' : encodeURIComponent(login.username.toWellFormed());
  url.password = login === null ? '' : encodeURIComponent(login.password.reveal().toWellFormed());
  return new CredentialUrl(url.href);
}

/** A camera's report about one of its streams. */
interface ToldStream {
  readonly orgUuid: Ruuid;
  readonly url: CredentialUrl;
  readonly device: OnvifReport;
  readonly stream: OnvifReportedStream;
  /** null: a new endpoint. */
  readonly known: RtspEndpoint | null;
  readonly access: OnvifAccess;
  readonly locationUuid: Ruuid | undefined;
  readonly nowMs: number;
}

/** The endpoint of a stream; a known one keeps its state. */
export function toldEndpoint({ orgUuid, url, known, nowMs, ...told }: ToldStream): RtspEndpoint {
  const { manufacturer, model, service } = told.device;
  const { profileToken, codec, substreamUrl } = told.stream;
  const { login, tls } = told.access;
  const before = known?.body;
  return {
    uuid: rtspEndpointUuid(orgUuid, url.redacted()),
    orgUuid,
    name: '',
    parentUuid: known?.parentUuid ?? null,
    body: {
      macAddress: cameraMacAddress(url),
      rtspUrl: url.redacted(),
      username: before?.username ?? login?.username ?? null,
      lastStatus: before?.lastStatus ?? 'UNKNOWN',
      lastVisibleMs: nowMs,
      locationUuid: told.locationUuid ?? before?.locationUuid ?? null,
      codec: codec ?? before?.codec ?? null,
      audioSupported: before?.audioSupported ?? null,
      onvif: { profileToken, manufacturer, model, service, substreamUrl, tls },
    },
    secret: before?.username == null ? (login?.password ?? null) : (known?.secret ?? null),
    createdAtMs: known?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  };
}

/** The ONVIF part of a camera that is created from an endpoint. */
export function onvifPartOf(
  { body: { onvif } }: RtspEndpoint,
  login: RtspLogin | null,
): Pick<Camera, 'substreamUrl' | 'onvifUrl' | 'tls'> {
  const { service, substreamUrl = null, tls = 'any' } = onvif ?? {};
  return {
    substreamUrl: substreamUrl === null ? null : urlWithLogin(substreamUrl, login),
    onvifUrl: service === undefined ? null : urlWithLogin(service, login),
    tls,
  };
}

/** The login that an endpoint last accepted. */
export function loginOf({ body, secret }: RtspEndpoint): RtspLogin | null {
  return body.username === null || secret === null ? null : { username: body.username, password: secret };
}
