/** Finds lines that must never appear in a gateway's log. */

const WARN = 40;

/** A line about a failure inside the gateway, not in a camera. */
export function isFailure(line: string): boolean {
  if (/^\s+at |Unhandled|DeprecationWarning/.test(line)) return true;
  const level = /"level":(\d+)/.exec(line)?.[1];
  return level !== undefined && Number(level) > WARN;
}
