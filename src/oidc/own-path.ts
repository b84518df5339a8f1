/** The paths that a sign-in may return to: only those below one of our own, whatever was requested. */

const MAX_PATH_CHARS = 1_000;
const BASE = 'http://own.invalid';

/** `wanted` if it is a path below `home`, which ends with a slash; otherwise `home`. */
export function ownPath(wanted: unknown, home: string): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_PATH_CHARS || !wanted.startsWith('/')) return home;
  const url = URL.parse(wanted, BASE);
  if (url === null || url.origin !== BASE || !url.pathname.startsWith(home)) return home;
  return `${url.pathname}${url.search}`;
}
