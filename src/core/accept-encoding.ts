/** Which content codings a client accepts, according to its Accept-Encoding (RFC 9110 §12.5.3). */

export type ContentCoding = 'gzip' | 'br';

/** Browsers send a handful of different headers. Beyond this limit, headers are parsed again each time. */
const MAX_KNOWN_HEADERS = 64;
/** Limit on the codings read in one header. */
const MAX_LISTED = 16;
/** RFC 9110 §8.4.1.3: an alias for gzip. */
const ALIASES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

const known: Readonly<Record<ContentCoding, Map<string, boolean>>> = { gzip: new Map(), br: new Map() };

/**
 * Whether `coding` is accepted and the client does not prefer the uncompressed bytes. Hot: once per playlist. Without
 * the header any coding would be allowed, but such clients get none.
 */
export function acceptsCoding(header: string | string[] | undefined, coding: ContentCoding): boolean {
  if (header === undefined) return false;
  const text = typeof header === 'string' ? header : header.join(',');
  const results = known[coding];
  let isAccepted = results.get(text);
  if (isAccepted === undefined) {
    isAccepted = isPreferred(text, coding);
    if (results.size < MAX_KNOWN_HEADERS) results.set(text, isAccepted);
  }
  return isAccepted;
}

function isPreferred(header: string, coding: ContentCoding): boolean {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',', MAX_LISTED)) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    if (name !== '') weights.set(ALIASES.get(name) ?? name, weightOf(parameters));
  }
  const weight = weights.get(coding) ?? weights.get('*') ?? 0;
  // `*` means every coding that is not named; identity is acceptable unless mentioned, and never preferred.
  const identity = weights.get('identity') ?? 0;
  return weight > 0 && weight >= identity;
}

/** §12.4.2: 0 to 1, three decimals; 1 if absent. An invalid weight excludes the coding. */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (text === undefined) return 1;
  const value = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(text)?.[1];
  return value === undefined ? 0 : Number(value);
}
