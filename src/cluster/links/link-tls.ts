/**
 * Proves that a peer is a node of the cluster: TLS 1.3 with an external pre-shared key (RFC 8446 §4.2.11). Node's `pskCallback`
 * works with it as long as the cipher suite uses SHA-256, the hash of such keys (OpenSSL, SSL_CTX_set_psk_client_callback). The
 * handshake still exchanges ephemeral keys (psk_dhe_ke), so a secret that leaks later opens no recorded traffic.
 */

import { hkdfSync } from 'node:crypto';
import type { ConnectionOptions, PSKCallbackNegotation, TlsOptions } from 'node:tls';

const KEY_BYTES = 32;
/** Says which key is meant, to everyone on the network: it carries nothing of the key. */
const IDENTITY = 'sluice node links 1';

/** The key of links, which nothing else uses. `secret`: the cluster's. RFC 5869. */
export function linkKeyOf(secret: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', IDENTITY, KEY_BYTES));
}

/** No certificate is trusted, and the listener has none: without the key, no handshake completes. */
const COMMON = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256',
  ca: [],
} as const satisfies TlsOptions;

export function acceptingTls(key: Buffer): TlsOptions {
  return {
    ...COMMON,
    pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null),
  };
}

export function connectingTls(key: Buffer): ConnectionOptions {
  const response: PSKCallbackNegotation = { psk: key, identity: IDENTITY };
  return {
    ...COMMON,
    pskCallback: () => response,
    // Only asked about certificates, which prove nothing here.
    checkServerIdentity: () => new Error('the peer showed a certificate, not the key'),
  };
}
