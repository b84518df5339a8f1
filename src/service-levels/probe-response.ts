/** The outcome of a request of the synthetic viewer. Media are counted, not stored. */

import type { RequestError } from './measurement.ts';

export type ProbeResponse =
  | { readonly kind: 'ok'; readonly text: string; readonly atMonoMs: number }
  /** `reason`: the reason in the gateway's own refusals, or the certificate's fault; null: neither. */
  | { readonly kind: 'error'; readonly error: RequestError; readonly reason: string | null };

/** A playlist of the longest window has 100 kB. */
const MAX_TEXT_BYTES = 1_048_576;
/** A segment of 20 s at 50 Mbit/s. */
const MAX_MEDIA_BYTES = 134_217_728;
const NETWORK_ERRORS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** Names of a certificate's faults, by the codes of Node and OpenSSL (X509_V_ERR_…). */
const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-name',
  HOSTNAME_MISMATCH: 'certificate-name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-untrusted',
  CERT_UNTRUSTED: 'certificate-untrusted',
};

/** The body of one response, while it arrives. */
export class ProbeBody {
  readonly #status: number;
  readonly #isKept: boolean;
  readonly #chunks: Buffer[] = [];
  #byteLength = 0;

  /** `isText`: whether the body is wanted. That of an error always is. */
  constructor(status: number, isText: boolean) {
    this.#status = status;
    this.#isKept = isText || status !== 200;
  }

  /** false: it is too large, and nothing more must come. */
  push(chunk: Buffer): boolean {
    this.#byteLength += chunk.length;
    if (this.#byteLength > (this.#isKept ? MAX_TEXT_BYTES : MAX_MEDIA_BYTES)) return false;
    if (this.#isKept) this.#chunks.push(chunk);
    return true;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Once it is complete, which it was at `atMonoMs`. */
  toResponse(atMonoMs: number): ProbeResponse {
    const text = Buffer.concat(this.#chunks).toString();
    if (this.#status === 200) return { kind: 'ok', text, atMonoMs };
    return { kind: 'error', error: statusError(this.#status), reason: reasonOf(text) };
  }
}

export function failure(error: RequestError): ProbeResponse {
  return { kind: 'error', error, reason: null };
}

/** The outcome of an error before the response. */
export function failureOf({ code = '' }: NodeJS.ErrnoException): ProbeResponse {
  if (NETWORK_ERRORS.has(code)) return failure('connect');
  // The connection exists, and the stream or the session was ended.
  if (code.startsWith('ERR_HTTP2_')) return failure('cut-off');
  const reason = CERTIFICATE_REASONS[code] ?? null;
  const isTls = reason !== null || /CERT|CRL|TLS|SSL|EPROTO|SIGNATURE/.test(code);
  return { kind: 'error', error: isTls ? 'tls' : 'other', reason };
}

function statusError(status: number): RequestError {
  if (status >= 500) return 'status-5xx';
  if (status >= 400) return 'status-4xx';
  return status >= 300 ? 'status-3xx' : 'other';
}

/** The reason in the gateway's own refusals (front-door/response/refusal-response.ts). A proxy's page has none. */
function reasonOf(text: string): string | null {
  try {
    const { reason } = JSON.parse(text) as { readonly reason?: unknown };
    return typeof reason === 'string' && /^[a-z-]{1,40}$/.test(reason) ? reason : null;
  } catch {
    // Not JSON.
    return null;
  }
}
