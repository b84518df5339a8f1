/**
 * Variables of a playlist: EXT-X-DEFINE, and references such as `{$token}` in URIs, quoted strings and hexadecimal
 * sequences. RFC 8216bis §4.3, §4.4.2.3.
 */

import { GatewayError } from '../../core/errors.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';

/** Values by name. */
export type PlaylistVariables = ReadonlyMap<string, string>;

export const NO_VARIABLES: PlaylistVariables = new Map();

const MAX_VARIABLES = 100;
const MAX_NAME_CHARS = 100;
/** A value as long as a line in each line would make a playlist of a megabyte one of hundreds. */
const MAX_SUBSTITUTED_CHARS = 2 * 1_048_576;

const DEFINE = '#EXT-X-DEFINE';
const NAME = /^[A-Za-z0-9_-]+$/;
const REFERENCE = /\{\$([A-Za-z0-9_-]+)\}/g;
/** Characters that no quoted string can hold (§4.2): a value from a URL would end it, or its line. */
const isUnquotable = (value: string): boolean => /["\p{Cc}]/u.test(value);

export class VariableScope {
  readonly #url: URL;
  readonly #imports: PlaylistVariables;
  readonly #maxChars: number;
  readonly #values = new Map<string, string>();
  #substitutedChars = 0;

  /** `url`: the playlist's own. `imports`: of its Multivariant Playlist. `maxChars`: of a line or value. */
  constructor(url: URL, imports: PlaylistVariables, maxChars: number) {
    this.#url = url;
    this.#imports = imports;
    this.#maxChars = maxChars;
  }

  get values(): PlaylistVariables {
    return this.#values;
  }

  /** EXT-X-DEFINE. Fails HLS_PLAYLIST_INVALID or HLS_PLAYLIST_TOO_LONG. */
  define(attributes: ReadonlyMap<string, string>): void {
    const sources = ['NAME', 'IMPORT', 'QUERYPARAM'].filter((source) => attributes.has(source));
    const [source] = sources;
    if (source === undefined || sources.length > 1) throw invalid('one of NAME, IMPORT and QUERYPARAM');
    const name = attributes.get(source)!;
    if (name.length > MAX_NAME_CHARS || !NAME.test(name)) throw invalid('a name');
    if (this.#values.has(name)) throw invalid('defined twice', name);
    if (this.#values.size >= MAX_VARIABLES) throw tooLong({ variables: MAX_VARIABLES });
    const value = this.#valueOf(source, name, attributes);
    if (value === null) throw invalid('no value', name);
    if (isUnquotable(value)) throw invalid('a value that is no quoted string', name);
    if (value.length > this.#maxChars) throw tooLong({ variable: name, valueChars: value.length });
    this.#values.set(name, value);
  }

  #valueOf(source: string, name: string, attributes: ReadonlyMap<string, string>): string | null {
    if (source === 'NAME') return attributes.get('VALUE') ?? null;
    if (source === 'IMPORT') return this.#imports.get(name) ?? null;
    // An empty parameter has no value (§4.4.2.3).
    return this.#url.searchParams.get(name) || null;
  }

  /** Values are not looked at again. Fails HLS_PLAYLIST_INVALID or HLS_PLAYLIST_TOO_LONG. */
  substitute(text: string): string {
    if (!text.includes('{$')) return text;
    let addedChars = 0;
    const whole = text.replace(REFERENCE, (_reference, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw invalid('not defined', name.slice(0, MAX_NAME_CHARS));
      addedChars += value.length;
      if (addedChars > this.#maxChars) throw tooLong({ variable: name, lineChars: addedChars });
      return value;
    });
    this.#substitutedChars += addedChars;
    if (this.#substitutedChars > MAX_SUBSTITUTED_CHARS) {
      throw tooLong({ substitutedChars: this.#substitutedChars });
    }
    return whole;
  }
}

function invalid(reason: string, variable?: string): GatewayError {
  return new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID, { tag: DEFINE, reason, variable });
}

function tooLong(context: Record<string, string | number>): GatewayError {
  return new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_TOO_LONG, { tag: DEFINE, ...context });
}
