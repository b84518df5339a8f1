/** The Session header (RFC 2326 §12.37). */

/** RFC 2326 §12.37: the timeout if the camera does not name one. */
export const DEFAULT_SESSION_TIMEOUT_SEC = 60;
const MAX_SESSION_ID_CHARS = 256;

export interface SessionHeader {
  readonly id: string;
  /** null if the field does not name one. */
  readonly timeoutSec: number | null;
}

/**
 * Parses `4711;timeout=30`, with spaces wherever cameras put them; null without a usable id. A timeout of 0 counts as none.
 */
export function parseSessionHeader(header: string): SessionHeader | null {
  const [id = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (id === '' || id.length > MAX_SESSION_ID_CHARS || /\s/.test(id)) return null;
  for (const parameter of parameters) {
    const digits = /^timeout\s*=\s*"?(\d{1,7})/i.exec(parameter)?.[1];
    if (digits !== undefined && Number(digits) > 0) return { id, timeoutSec: Number(digits) };
  }
  return { id, timeoutSec: null };
}
