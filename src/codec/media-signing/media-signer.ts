/** Who signs a stream: the camera's certificate, and whether it leads to one that the gateway trusts (RFC 5280 §6.1). */

import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { HashAlgorithm } from './signing-sei.ts';

/**
 * `unknown`: no trusted certificates are set up. `untrusted`: the chain leads to none of them, or a certificate was not
 * valid at the time.
 */
export const SIGNER_TRUSTS = ['trusted', 'untrusted', 'unknown'] as const;
export type SignerTrust = (typeof SIGNER_TRUSTS)[number];

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\w+/=\s]{1,16384}-----END CERTIFICATE-----/g;
const MAX_RSA_BITS = 8_192;
/** Certificates that a camera sends. */
const MAX_CHAIN = 8;
/** 2020: Media Signing did not exist before. */
const FIRST_PLAUSIBLE_MS = Date.UTC(2020);

export class MediaSigner {
  /** As the camera sent it. */
  readonly pem: string;
  /** SHA-256 of the certificate, in hexadecimal without colons. */
  readonly fingerprint: string;
  /** One attribute a line, as OpenSSL writes it. */
  readonly subject: string;
  readonly issuer: string;
  readonly #chain: readonly X509Certificate[];
  readonly #anchors: readonly X509Certificate[];

  private constructor(pem: string, chain: readonly X509Certificate[], anchors: readonly X509Certificate[]) {
    const [own] = chain;
    this.pem = pem;
    this.fingerprint = own!.fingerprint256.replaceAll(':', '').toLowerCase();
    this.subject = own!.subject;
    this.issuer = own!.issuer;
    this.#chain = chain;
    this.#anchors = anchors;
  }

  /** `pem`: the camera's certificate and those that lead to an anchor. null: it cannot be read. */
  static read(pem: string, anchors: readonly X509Certificate[]): MediaSigner | null {
    const texts = pem.match(CERTIFICATE) ?? [];
    if (texts.length === 0 || texts.length > MAX_CHAIN) return null;
    try {
      const chain = texts.map((text) => new X509Certificate(text));
      return isUsable(chain[0]!.publicKey) ? new MediaSigner(pem, chain, anchors) : null;
    } catch {
      return null;
    }
  }

  /** Whether the camera's key made the signature; false, too, if the key is of a kind that cannot sign. */
  hasSigned(bytes: Uint8Array, signature: Uint8Array, algorithm: HashAlgorithm): boolean {
    try {
      return verify(algorithm, bytes, this.#chain[0]!.publicKey, signature);
    } catch {
      return false;
    }
  }

  /** `signedAtMs`: when the camera signed, by its clock; `nowMs` counts if that clock was never set. Both in epoch milliseconds. */
  trustAt(signedAtMs: number, nowMs: number): SignerTrust {
    if (this.#anchors.length === 0) return 'unknown';
    const atMs = signedAtMs < FIRST_PLAUSIBLE_MS ? nowMs : signedAtMs;
    const rest = new Set(this.#chain.slice(1));
    let current = this.#chain[0]!;
    for (let depth = 0; depth <= MAX_CHAIN; depth++) {
      if (!isValidAt(current, atMs)) return 'untrusted';
      if (this.#anchors.some((anchor) => anchor.raw.equals(current.raw) || isIssuedBy(current, anchor))) {
        return 'trusted';
      }
      const issuer = [...rest].find((each) => each.ca && isIssuedBy(current, each));
      if (issuer === undefined) return 'untrusted';
      rest.delete(issuer);
      current = issuer;
    }
    return 'untrusted';
  }
}

/** Longer keys, and those of other kinds, can make a check take long. */
function isUsable({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): boolean {
  if (type === 'rsa' || type === 'rsa-pss') return (asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_RSA_BITS;
  return type === 'ec';
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, atMs: number): boolean {
  return validFromDate.getTime() <= atMs && atMs <= validToDate.getTime();
}
