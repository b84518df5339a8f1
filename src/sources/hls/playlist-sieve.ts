/**
 * The part of a camera's playlist that m3u8-parser gets to see: the tags that the source uses, with rewritten attribute
 * lists. The parser trusts its input: a GROUP-ID of `__proto__` in EXT-X-MEDIA reaches Object.prototype, and many tags that
 * it knows cost time that grows with the square of their number or length. RFC 8216 §4.
 */

import { GatewayError } from '../../core/errors.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { type PlaylistVariables, VariableScope } from './playlist-variables.ts';

/** A playlist of 10,000 segments with three tags each has 40,000. */
export const MAX_LINES = 50_000;
/** URLs with tokens are long. */
const MAX_LINE_CHARS = 8_192;
/** Tags with attribute lists; a playlist that changes its init section or its key at every segment has many. */
const MAX_ATTRIBUTE_TAGS = 5_000;
const MAX_ATTRIBUTES = 64;

const PLAIN_TAGS: ReadonlySet<string> = new Set([
  '#EXTM3U',
  '#EXTINF',
  '#EXT-X-TARGETDURATION',
  '#EXT-X-MEDIA-SEQUENCE',
  '#EXT-X-DISCONTINUITY-SEQUENCE',
  '#EXT-X-DISCONTINUITY',
  '#EXT-X-BYTERANGE',
  '#EXT-X-ENDLIST',
  '#EXT-X-GAP',
]);
const ATTRIBUTE_TAGS: ReadonlySet<string> = new Set([
  '#EXT-X-STREAM-INF',
  '#EXT-X-MAP',
  '#EXT-X-KEY',
  '#EXT-X-SERVER-CONTROL',
  '#EXT-X-MEDIA',
  '#EXT-X-DEFINE',
]);

/** `NAME=value` or `NAME="value"`, and the comma after it. Each step consumes what it looked at: linear. */
const ATTRIBUTE = /\s*([A-Z0-9-]+)=(?:"([^"]*)"|([^",]*))\s*(?:,|$)/y;

const HEXADECIMAL = /^0x/i;

export type AttributeList = ReadonlyMap<string, string>;

/** An EXT-X-MEDIA of TYPE=AUDIO (§4.3.4.1). */
export interface AudioRendition {
  readonly groupId: string;
  /** null: within the variant's own segments. */
  readonly uri: string | null;
  readonly isDefault: boolean;
}

export interface SievedPlaylist {
  readonly text: string;
  readonly audioRenditions: readonly AudioRendition[];
  readonly variables: PlaylistVariables;
}

/**
 * `url`: where the text came from; `imports`: variables of its Multivariant Playlist. Fails HLS_PLAYLIST_INVALID,
 * HLS_PLAYLIST_TOO_LONG or HLS_ENCRYPTION_UNSUPPORTED.
 */
export function sievePlaylist(text: string, url: URL, imports: PlaylistVariables): SievedPlaylist {
  if (!/^\uFEFF?#EXTM3U\s/.test(`${text.slice(0, 16)}\n`)) throw invalid('#EXTM3U');
  const kept: string[] = [];
  const audioRenditions: AudioRendition[] = [];
  const variables = new VariableScope(url, imports, MAX_LINE_CHARS);
  let lines = 0;
  let attributeTags = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === '') continue;
    if (++lines > MAX_LINES) throw tooLong({ lines: MAX_LINES });
    if (line.length > MAX_LINE_CHARS) throw tooLong({ lineChars: line.length });
    if (!line.startsWith('#')) {
      kept.push(checkedUri(variables.substitute(line)));
      continue;
    }
    const colon = line.indexOf(':');
    const tag = colon < 0 ? line : line.slice(0, colon);
    if (PLAIN_TAGS.has(tag)) kept.push(line);
    if (!ATTRIBUTE_TAGS.has(tag)) continue;
    if (++attributeTags > MAX_ATTRIBUTE_TAGS) throw tooLong({ attributeTags: MAX_ATTRIBUTE_TAGS });
    const attributes = readAttributes(tag, line.slice(tag.length + 1), variables);
    if (tag === '#EXT-X-DEFINE') variables.define(attributes);
    else if (tag === '#EXT-X-MEDIA') addRendition(audioRenditions, attributes);
    else kept.push(`${tag}:${checked(tag, attributes)}`);
  }
  return { text: `${kept.join('\n')}\n`, audioRenditions, variables: variables.values };
}

/** Variables could make a tag of it, or nothing. */
function checkedUri(line: string): string {
  const uri = line.trim();
  if (uri === '' || uri.startsWith('#')) throw invalid('URI');
  return uri;
}

/** §4.2. Of attributes with the same name, the first one counts. Fails HLS_PLAYLIST_INVALID or HLS_PLAYLIST_TOO_LONG. */
function readAttributes(tag: string, text: string, variables: VariableScope): AttributeList {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < text.length) {
    const match = ATTRIBUTE.exec(text);
    if (match === null || attributes.size >= MAX_ATTRIBUTES) throw invalid(tag);
    const [, name, quoted, plain] = match;
    if (attributes.has(name!)) continue;
    const hasReferences = quoted !== undefined || HEXADECIMAL.test(plain!);
    attributes.set(name!, hasReferences ? variables.substitute(quoted ?? plain!) : plain!);
  }
  return attributes;
}

/** The attributes that are used, as the parser reads them. */
function checked(tag: string, attributes: AttributeList): string {
  switch (tag) {
    case '#EXT-X-KEY':
      checkKey(attributes);
      return written(attributes, ['METHOD', 'URI', 'IV']);
    case '#EXT-X-MAP':
      if (!attributes.has('URI')) throw invalid(tag);
      return written(attributes, ['URI', 'BYTERANGE']);
    case '#EXT-X-STREAM-INF':
      return written(attributes, ['BANDWIDTH', 'CODECS', 'RESOLUTION', 'AUDIO']);
    case '#EXT-X-SERVER-CONTROL':
      return written(attributes, ['CAN-BLOCK-RELOAD', 'HOLD-BACK']);
    default:
      throw invalid(tag);
  }
}

const QUOTED_VALUES: ReadonlySet<string> = new Set(['URI', 'BYTERANGE', 'CODECS', 'AUDIO']);

function written(attributes: AttributeList, names: readonly string[]): string {
  const pairs: string[] = [];
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined) pairs.push(QUOTED_VALUES.has(name) ? `${name}="${value}"` : `${name}=${value}`);
  }
  return pairs.join(',');
}

/** §4.3.2.4 */
function checkKey(attributes: AttributeList): void {
  const method = attributes.get('METHOD');
  if (method === 'NONE') return;
  const format = attributes.get('KEYFORMAT') ?? 'identity';
  if (method !== 'AES-128' || format !== 'identity') {
    throw new GatewayError(HLS_SOURCE_ERRORS.HLS_ENCRYPTION_UNSUPPORTED, { method });
  }
  const iv = attributes.get('IV');
  const isReadable = iv === undefined || /^0x[0-9a-f]{32}$/i.test(iv);
  if (!isReadable || !attributes.has('URI')) throw invalid('#EXT-X-KEY');
}

function addRendition(renditions: AudioRendition[], attributes: AttributeList): void {
  const groupId = attributes.get('GROUP-ID');
  if (attributes.get('TYPE') !== 'AUDIO' || groupId === undefined) return;
  const isDefault = attributes.get('DEFAULT') === 'YES';
  renditions.push({ groupId, uri: attributes.get('URI') ?? null, isDefault });
}

function invalid(tag: string): GatewayError {
  return new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID, { tag });
}

function tooLong(context: Record<string, number>): GatewayError {
  return new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_TOO_LONG, context);
}
