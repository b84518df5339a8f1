/**
 * What the certificate of an rtsps camera must prove. Cameras come with self-signed certificates, so by default any
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

/** Why an encrypted connection, after its handshake, does not lead to the camera; null if it does. */
export function trustFault(socket: TLSSocket, trust: TlsTrust): string | null {
  if (trust === 'any' || trust === 'verify') return null;
  const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate(true);
  const presented = certificate.fingerprint256?.replaceAll(':', '').toLowerCase();
  return `sha256:${presented}` === trust ? null : 'FINGERPRINT_MISMATCH';
}
