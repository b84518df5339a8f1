/** Which content codings a client takes, by its Accept-Encoding (RFC 9110 §12.5.3). */

export type ContentCoding = 'gzip' | 'br';

/** Browsers have a handful between them. Beyond it, headers are read anew. */
const MAX_KNOWN_HEADERS = 64;
/** Codings looked at in one header. */
const MAX_LISTED = 16;
/** RFC 9110 §8.4.1.3: to be taken for gzip. */
const ALIASES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

const known: Readonly<Record<ContentCoding, Map<string, boolean>>> = { gzip: new Map(), br: new Map() };

/**
 * Whether `coding` is accepted, and the client does not say that it would rather have the bytes as they are. Hot: once per
 * playlist. Without the header any coding would do; whoever does not speak of codings gets none.
 */
export function acceptsCoding(header: string | string[] | undefined, coding: ContentCoding): boolean {
  if (header === undefined) return false;
  const text = typeof header === 'string' ? header : header.join(',');
  const answers = known[coding];
  let isAccepted = answers.get(text);
  if (isAccepted === undefined) {
    isAccepted = isPreferred(text, coding);
    if (answers.size < MAX_KNOWN_HEADERS) answers.set(text, isAccepted);
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
  // `*` speaks of every coding that is not named; identity is fine where nothing is said of it, and preferred nowhere.
  const identity = weights.get('identity') ?? 0;
  return weight > 0 && weight >= identity;
}

/** §12.4.2: 0 to 1, three decimals; 1 when absent. What is no weight excludes the coding. */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (text === undefined) return 1;
  const value = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(text)?.[1];
  return value === undefined ? 0 : Number(value);
}
