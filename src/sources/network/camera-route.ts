/** How a camera's URL and its transport setting lead to a connection: host, port, TLS, and HTTP around RTSP. */

import type { CredentialUrl } from '../../core/secret.ts';
import type { TunnelTarget } from '../../rtsp/tunnel-request.ts';

/**
 * `auto`: within the RTSP connection, over UDP if the camera refuses that (461), or by multicast if it refuses both and
 * describes a group. `http`: RTSP over HTTP, or over HTTPS for an rtsps URL.
 */
export type TransportPreference = 'auto' | LowerTransport | 'http';

/** How media comes. */
export type LowerTransport = 'tcp' | 'udp' | 'multicast';

export interface CameraRoute {
  /** Host name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The HTTP requests around RTSP; null: RTSP as such. */
  readonly tunnel: TunnelTarget | null;
  /** The URL that RTSP requests name, with the credentials to use. */
  readonly rtspUrl: CredentialUrl;
}

interface Scheme {
  readonly isTls: boolean;
  readonly isTunnel: boolean;
}

/** Schemes of a camera's URL, in the order in which documents list them. */
export const CAMERA_URL_SCHEMES = ['rtsp', 'rtsps', 'rtsp+http', 'rtsp+https'] as const;

const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['rtsp:', { isTls: false, isTunnel: false }],
  ['rtsps:', { isTls: true, isTunnel: false }],
  ['rtsp+http:', { isTls: false, isTunnel: true }],
  ['rtsp+https:', { isTls: true, isTunnel: true }],
]);

const RTSP_PORT = 554;
/** IANA's port for rtsps. */
const RTSPS_PORT = 322;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Whether `protocol`, such as `rtsp:`, is that of a camera's URL. */
export function isCameraProtocol(protocol: string): boolean {
  return SCHEMES.has(protocol);
}

/** null: not the URL of a camera. */
export function cameraRoute(url: CredentialUrl, transport: TransportPreference): CameraRoute | null {
  const scheme = SCHEMES.get(url.protocol);
  if (scheme === undefined || url.hostname === '') return null;
  const { isTls } = scheme;
  const isTunnel = scheme.isTunnel || transport === 'http';
  const rtspUrl = scheme.isTunnel ? url.withProtocol(isTls ? 'rtsps:' : 'rtsp:') : url;
  const standardPort = isTunnel ? (isTls ? HTTPS_PORT : HTTP_PORT) : isTls ? RTSPS_PORT : RTSP_PORT;
  const port = url.port ?? standardPort;
  const tunnel = isTunnel ? tunnelTarget(url, port === standardPort ? null : port) : null;
  return { host: url.hostname, port, isTls, tunnel, rtspUrl };
}

function tunnelTarget(url: CredentialUrl, port: number | null): TunnelTarget {
  const { pathname, search } = new URL(url.redacted());
  const host = url.hostname.includes(':') ? `[${url.hostname}]` : url.hostname;
  return {
    path: `${pathname === '' ? '/' : pathname}${search}`,
    host: port === null ? host : `${host}:${port}`,
  };
}
