/**
 * Which URLs to use for SETUP and PLAY (RFC 2326 §C.1.1, §12.14, §12.16). The standard resolves a track's control
 * attribute against a base as RFC 1808 does; cameras expect what players have always done: append the control text to
 * the base, after a slash, even if the base ends in a query (Dahua: `…?channel=1&subtype=0/trackID=0`).
 */

const ABSOLUTE_RTSP = /^rtsps?:\/\/[^/?#]/i;
/** Longest URL accepted from a camera. */
export const MAX_URL_CHARS = 4096;

/**
 * The base of the presentation: Content-Base, otherwise Content-Location, otherwise the requested URL. Values that are
 * neither an RTSP URL nor an absolute path are skipped; firmwares leave the field empty or put a file name in it.
 */
export function presentationBase(
  requestUrl: string,
  contentBase: string | null,
  contentLocation: string | null,
): string {
  return usableBase(requestUrl, contentBase) ?? usableBase(requestUrl, contentLocation) ?? requestUrl;
}

/** The URL for `control`, an `a=control` value (null or `*`: the base itself). */
export function resolveControl(base: string, control: string | null): string {
  if (control === null || control === '*' || control.length > MAX_URL_CHARS) return base;
  if (ABSOLUTE_RTSP.test(control)) return requestUri(control);
  if (control.startsWith('?')) return requestUri(base + control);
  const left = base.endsWith('/') ? base.slice(0, -1) : base;
  return requestUri(left + (control.startsWith('/') ? '' : '/') + control);
}

/** `url` as allowed in a request line: no user info, everything outside printable ASCII percent-encoded. */
export function requestUri(url: string): string {
  const withoutUserInfo = url.replace(/^(rtsps?:\/\/)[^/?#]*@/i, '$1');
  return withoutUserInfo.replace(/[^\x21-\x7e]+/g, percentEncode);
}

/** The target of a 3xx response or REDIRECT request; null if it is not an RTSP URL, or would give up TLS. */
export function redirectTarget(fromUrl: string, location: string | null): string | null {
  const target = location?.trim() ?? '';
  if (target.length > MAX_URL_CHARS || !ABSOLUTE_RTSP.test(target) || !URL.canParse(target)) return null;
  const isDowngrade = /^rtsps:/i.test(fromUrl) && !/^rtsps:/i.test(target);
  return isDowngrade ? null : target;
}

function usableBase(requestUrl: string, value: string | null): string | null {
  const text = value?.trim() ?? '';
  if (text.length > MAX_URL_CHARS) return null;
  if (ABSOLUTE_RTSP.test(text)) return requestUri(text);
  const origin = /^rtsps?:\/\/[^/?#]+/i.exec(requestUrl)?.[0];
  return text.startsWith('/') && origin !== undefined ? requestUri(origin + text) : null;
}

function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8'))
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}
