/**
 * The parameters of `a=fmtp` (RFC 8866 §6.15; `name=value` pairs as in RFC 6184 §8.2.1 and RFC 3640 §4.4). Cameras
 * write them with spaces around `;` and `=`, spaces instead of `;`, a `;` at the end, names in upper case, and a space
 * after the comma of sprop-parameter-sets.
 */

/** Limit on the parameters kept for one format; the rest are ignored. */
export const MAX_FORMAT_PARAMETERS = 64;

/**
 * A space in place of a missing `;`: `name=` and a value follow. A Base64 word after a comma looks the same up to its
 * padding, hence the conditions on both ends.
 */
const MISSING_SEMICOLON = /(?<=[^,;\s])\s+(?=[A-Za-z][A-Za-z0-9_-]*=[^=\s])/;

/** Adds the pairs of `text` to `parameters`, names in lower case; existing names keep their value. */
export function addFormatParameters(parameters: Map<string, string>, text: string): void {
  for (const section of text.split(';')) {
    const tight = section.trim().replace(/^([\w-]+)\s*=\s*/, '$1=');
    for (const pair of tight.split(MISSING_SEMICOLON)) {
      const equals = pair.indexOf('=');
      const name = (equals < 0 ? pair : pair.slice(0, equals)).trim().toLowerCase();
      if (name === '' || parameters.has(name) || parameters.size >= MAX_FORMAT_PARAMETERS) continue;
      parameters.set(name, equals < 0 ? '' : pair.slice(equals + 1).replace(/\s+/g, ''));
    }
  }
}
