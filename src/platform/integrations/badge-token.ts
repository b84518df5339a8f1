/** Whether a badge vendor's token can be valid, as far as this can be known without asking the vendor. */

/** The characters that RFC 6750 §2.1 allows in a bearer token. */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * The vendor refuses malformed tokens, and JSON Web Tokens that have expired (RFC 7519 §4.1.4) and cannot be renewed.
 * Other tokens say nothing about themselves and count as valid.
 */
export function isUsableToken(apiToken: string | null, refreshToken: string | null, nowMs: number): boolean {
  if (refreshToken !== null && !BEARER_TOKEN.test(refreshToken)) return false;
  if (apiToken === null) return refreshToken !== null;
  if (!BEARER_TOKEN.test(apiToken)) return false;
  const endSec = expiryOf(apiToken);
  return endSec === null || endSec * 1_000 > nowMs || refreshToken !== null;
}

/** Epoch seconds; null for tokens that do not say. */
function expiryOf(token: string): number | null {
  const [, claims, ...rest] = token.split('.');
  if (claims === undefined || rest.length !== 1) return null;
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp : null;
  } catch {
    // Three parts but no JSON: not a JSON Web Token.
    return null;
  }
}
