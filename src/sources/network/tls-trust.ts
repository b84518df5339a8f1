/**
 * Requirements for the certificate of an rtsps camera. Cameras come with self-signed certificates, so by default any
 * certificate is accepted: the connection is protected against eavesdropping, but not against an impostor.
 */

import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/**
 * `any`; `verify`: valid for the host, from an authority that this machine trusts; otherwise the certificate's SHA-256
 * fingerprint, `sha256:` and 64 hexadecimal digits in lower case.
 */
export type TlsTrust = 'any' | 'verify' | `sha256:${string}`;

const FINGERPRINT = /^sha256:(?:[0-9a-f]{2}:?){31}[0-9a-f]{2}$/i;

/** As people write it: OpenSSL puts colons between bytes and uses upper case. null: none of the three. */
export function parseTlsTrust(text: string): TlsTrust | null {
  if (text === 'any' || text === 'verify') return text;
  if (!FINGERPRINT.test(text)) return null;
  return `sha256:${text.slice('sha256:'.length).replaceAll(':', '').toLowerCase()}`;
}

/** Why a certificate is not the one that the camera's setting requires. */
export interface TrustFault {
  /** Node's or OpenSSL's name of the fault, or FINGERPRINT_MISMATCH. */
  readonly reason: string;
  /** The fingerprint of the presented certificate, as the setting takes it; null if there was none. */
  readonly fingerprint: string | null;
}

/**
 * Judges an encrypted connection after its handshake and before its first byte; null: it leads to the camera. The
 * connection is opened with `rejectUnauthorized: false`, because Node forgets a certificate that it rejects itself, and
 * the fingerprint of a rejected one is what its operator wants to see.
 */
export function trustFault(socket: TLSSocket, trust: TlsTrust): TrustFault | null {
  if (trust === 'any') return null;
  const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate(true);
  const digits = certificate.fingerprint256?.replaceAll(':', '').toLowerCase();
  const fingerprint = digits === undefined ? null : `sha256:${digits}`;
  if (trust !== 'verify')
    return fingerprint === trust ? null : { reason: 'FINGERPRINT_MISMATCH', fingerprint };
  return socket.authorized ? null : { reason: authorizationFault(socket), fingerprint };
}

/** Node declares an error and sets its code. */
function authorizationFault({ authorizationError }: TLSSocket): string {
  const fault: unknown = authorizationError;
  return typeof fault === 'string' ? fault : 'UNVERIFIED';
}

/**
 * OpenSSL's error codes if the other side speaks only TLS 1.1 or older, with an alert or without, or offers only ciphers
 * and keys of that time.
 */
const OUTDATED_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_DH_KEY_TOO_SMALL',
]);

/** Whether a handshake failed because the camera's TLS is too old. `code`: of Node's error. */
export function isOutdatedTls(code: string): boolean {
  return OUTDATED_TLS.has(code);
}
