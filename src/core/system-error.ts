/**
 * Distinguishes errors of the operating system from our defects: a TypeError in code that handles files does not mean that the disk failed.
 */

/** Names of the system's error numbers; Node's own codes begin with `ERR_`. */
const ERRNO = /^E(?!RR_)[A-Z0-9]+$/;

/** The name of its errno, for example `ENOSPC`; null: the system did not throw it. */
export function errnoOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown)) return null;
  return typeof thrown.code === 'string' && ERRNO.test(thrown.code) ? thrown.code : null;
}
