/** Stored RTSP endpoints and saved credentials. Passwords are the resources' secrets and never leave the gateway. */

import { createHash } from 'node:crypto';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl, type Secret } from '../core/secret.ts';
import type { RtspUrlStatus } from '../sources/direct/probe.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';

export interface RtspEndpointBody {
  /** Of its camera; see `cameraMacAddress`. */
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
  /** What the camera reported over ONVIF; absent: a caller gave the URL. */
  readonly onvif?: OnvifOrigin | undefined;
}

export interface OnvifOrigin {
  readonly profileToken: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
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

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'rtsp:': 554, 'rtsps:': 322 };
const LOCALLY_ADMINISTERED = 0x02;

/**
 * What serves as the MAC address of the camera at a URL. RTSP does not reveal the real one, and across routers nothing
 * does. So it is a locally administered address made from host and port: the same for all endpoints of a camera.
 */
export function cameraMacAddress(url: CredentialUrl): string {
  const port = url.port ?? DEFAULT_PORTS[url.protocol] ?? 0;
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

/** The login that an endpoint last accepted. */
export function loginOf({ body, secret }: RtspEndpoint): RtspLogin | null {
  return body.username === null || secret === null ? null : { username: body.username, password: secret };
}
