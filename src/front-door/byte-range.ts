/** The Range header: one range of bytes. RFC 9110 §14.2. */

/** Both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;

/**
 * `whole`: there is no range, or one that a server may ignore (other units, several ranges, nonsense).
 * `unsatisfiable`: beyond the end.
 */
export function parseByteRange(
  header: string | undefined,
  totalBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = header === undefined ? null : SINGLE_RANGE.exec(header.trim());
  if (match === null) return 'whole';
  const [, firstText, lastText, suffixText] = match;
  if (suffixText !== undefined) {
    const suffix = Math.min(Number(suffixText), totalBytes);
    return suffix === 0 ? 'unsatisfiable' : { first: totalBytes - suffix, last: totalBytes - 1 };
  }
  const first = Number(firstText);
  const last = lastText === '' ? totalBytes - 1 : Math.min(Number(lastText), totalBytes - 1);
  if (lastText !== '' && Number(lastText) < first) return 'whole';
  return first >= totalBytes ? 'unsatisfiable' : { first, last };
}
