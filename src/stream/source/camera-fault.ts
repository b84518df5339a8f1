/**
 * Why a camera does not stream, in words that an operator can act on. Error codes say which line of which engine
 * failed; a reason says what to do: check the cable, the password, the path. Plain values, so that threads can pass
 * them on.
 */

import type { ErrorKind, GatewayError } from '../../core/errors.ts';

export const CAMERA_FAULT_REASONS = [
  'unreachable',
  'tls-failed',
  'wrong-password',
  'login-unsupported',
  'wrong-path',
  'busy',
  'refused',
  'not-allowed',
  'unsupported',
  'silent',
  'frozen',
  'flood',
  'disconnected',
  'protocol',
  'no-worker',
  'gateway',
] as const;
export type CameraFaultReason = (typeof CAMERA_FAULT_REASONS)[number];

/** One failed attempt to get video from a camera. */
export interface CameraFault {
  readonly reason: CameraFaultReason;
  /** A code from the registry of the module that failed: docs/reference/errors.md. */
  readonly code: string;
  readonly message: string;
  /** The peer that the gateway talked to, or tried to; null if it did not get that far. */
  readonly host: string | null;
  readonly port: number | null;
  /** The system's error name, such as ECONNREFUSED, EHOSTUNREACH or ENOTFOUND; null if it was not a system error. */
  readonly errno: string | null;
}

const REASON_BY_CODE: Readonly<Record<string, CameraFaultReason>> = {
  STREAM_OUT_OF_REACH: 'gateway',
  DIRECT_UNREACHABLE: 'unreachable',
  DIRECT_CONNECT_TIMEOUT: 'unreachable',
  FFMPEG_CAMERA_UNREACHABLE: 'unreachable',
  FFMPEG_CAMERA_TIMEOUT: 'unreachable',
  PULL_UNREACHABLE: 'unreachable',
  PULL_TIMEOUT: 'unreachable',
  DIRECT_TLS_FAILED: 'tls-failed',
  PULL_TLS_FAILED: 'tls-failed',
  PULL_TLS_OUTDATED: 'tls-failed',
  PULL_CERTIFICATE_REFUSED: 'tls-failed',
  FFMPEG_CAMERA_TLS: 'tls-failed',
  DIRECT_TLS_OUTDATED: 'tls-failed',
  DIRECT_CERTIFICATE_REFUSED: 'tls-failed',
  RTSP_AUTH_FAILED: 'wrong-password',
  FFMPEG_CAMERA_AUTH: 'wrong-password',
  PULL_AUTH_FAILED: 'wrong-password',
  RTSP_AUTH_UNSUPPORTED: 'login-unsupported',
  PULL_AUTH_UNSUPPORTED: 'login-unsupported',
  RTSP_NOT_FOUND: 'wrong-path',
  FFMPEG_CAMERA_NOT_FOUND: 'wrong-path',
  PULL_NOT_FOUND: 'wrong-path',
  PULL_CONTENT_UNSUPPORTED: 'wrong-path',
  DIRECT_BAD_URL: 'wrong-path',
  RTSP_BUSY: 'busy',
  FFMPEG_CAMERA_BUSY: 'busy',
  PULL_BUSY: 'busy',
  RTSP_NO_SUPPORTED_VIDEO: 'unsupported',
  RTSP_SOUND_UNWANTED: 'unsupported',
  RTSP_TRANSPORT_REFUSED: 'unsupported',
  RTSP_TUNNEL_REFUSED: 'unsupported',
  FFMPEG_NO_VIDEO: 'unsupported',
  PULL_NEEDS_WORKER: 'unsupported',
  HLS_NO_VIDEO: 'unsupported',
  HLS_ENCRYPTION_UNSUPPORTED: 'unsupported',
  PULL_PROTOCOL_UNAVAILABLE: 'gateway',
  RTMP_NO_PUBLISHER: 'unreachable',
  RTMP_NO_KEY: 'unreachable',
  STREAM_NO_PICTURE: 'unsupported',
  STREAM_SOUND_ONLY: 'unsupported',
  RTSP_REDIRECT_REFUSED: 'not-allowed',
  FFMPEG_CAMERA_REDIRECTED: 'not-allowed',
  RTMP_UNSUPPORTED_VIDEO: 'unsupported',
  RTMP_NO_PARAMETER_SETS: 'unsupported',
  STREAM_SILENT: 'silent',
  DIRECT_SILENT: 'silent',
  FFMPEG_STALLED: 'silent',
  STREAM_FROZEN: 'frozen',
  FFMPEG_NOT_FOUND: 'gateway',
  FFMPEG_POOL_FULL: 'no-worker',
  FFMPEG_CLOSED: 'gateway',
  FFMPEG_NO_ENCODER: 'gateway',
  FFMPEG_OUT_OF_MEMORY: 'gateway',
  FFMPEG_KILLED: 'gateway',
  FFMPEG_NO_PICTURE_SERVER: 'gateway',
  FFMPEG_SYSCALL_REFUSED: 'gateway',
  FFMPEG_TOO_SLOW: 'gateway',
  RTMP_AT_OTHER_NODE: 'gateway',
  LIVE_TOO_MANY_WAITERS: 'gateway',
  DIRECT_UDP_FAILED: 'gateway',
  CAMERA_THREAD_FAILED: 'gateway',
  CAMERA_THREAD_BEHIND: 'gateway',
  DIRECT_MULTICAST_FAILED: 'gateway',
};

/**
 * Reasons for codes without their own entry. `flood`: errors about a limit on packets or bytes. `not-allowed`: a rule of the gateway
 * refused, not the camera.
 */
const REASON_BY_KIND: Readonly<Record<ErrorKind, CameraFaultReason>> = {
  'invalid-input': 'protocol',
  unauthenticated: 'wrong-password',
  'not-allowed': 'not-allowed',
  'not-found': 'wrong-path',
  conflict: 'not-allowed',
  'rate-limited': 'not-allowed',
  unavailable: 'disconnected',
  'peer-protocol': 'protocol',
  'peer-refused': 'refused',
  timeout: 'silent',
  limit: 'protocol',
  internal: 'gateway',
};

const FLOOD_MARK = 'FLOOD';

/** Codes that end in `…_FLOOD…` are floods, whatever the transport. */
export function faultReasonOf(error: Pick<GatewayError, 'code' | 'kind'>): CameraFaultReason {
  const known = REASON_BY_CODE[error.code];
  if (known !== undefined) return known;
  return error.code.includes(FLOOD_MARK) ? 'flood' : REASON_BY_KIND[error.kind];
}

/** Limits of the gateway that arrive in place of the system's error name, in a sentence. */
const OWN_LIMITS: Readonly<Record<string, string>> = {
  TOO_MANY_LOOKUPS: 'The gateway looks up too many names of cameras at the same time.',
};

/** Host, port and errno come from the error's context, which the engine that talked to the camera fills in. */
export function cameraFaultOf(error: GatewayError): CameraFault {
  const { host, port, errno } = error.context;
  const ownLimit = typeof errno === 'string' ? OWN_LIMITS[errno] : undefined;
  return {
    reason: ownLimit === undefined ? faultReasonOf(error) : 'gateway',
    code: error.code,
    message: ownLimit ?? error.message,
    host: typeof host === 'string' ? host : null,
    port: typeof port === 'number' ? port : null,
    errno: typeof errno === 'string' ? errno : null,
  };
}

/** ` 192.0.2.10:554 (ECONNREFUSED)`, or as much of it as is known; empty if nothing is. */
export function faultPlace({ host, port, errno }: CameraFault): string {
  const place =
    host === null ? '' : ` ${host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`}`;
  return errno === null ? place : `${place} (${errno})`;
}
