/** Whether a badge vendor's token can be any good: what can be told without asking the vendor. */

/** What RFC 6750 §2.1 lets a bearer token consist of. */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * A token that is none, or a JSON Web Token that has ended (RFC 7519 §4.1.4) and cannot be renewed, is refused by the
 * vendor. Other tokens say nothing about themselves and count as good.
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
    // Three parts and no JSON: no JSON Web Token.
    return null;
  }
}
