/**
 * Phone numbers in the form of E.164: `+`, the country code, the rest, at most 15 digits. Separators between the digits are removed. A
 * number without its country code is invalid: its country is unknown here.
 */

const SEPARATORS = /[\s().\-/\u00a0\u2010-\u2015]/g;
/** The trunk prefix as it is shown to callers from abroad: `+44 (0)20 …`. */
const SHOWN_TRUNK_PREFIX = /\(0\)/;
/** The international prefix that most of the world dials (ITU-T E.164, "prefix 00"). */
const INTERNATIONAL_PREFIX = /^00/;
const E164 = /^\+[1-9]\d{6,14}$/;

/** `+1 (202) 555-0123` → `+12025550123`; null for text that is not a number with a country code. */
export function e164(text: string): string | null {
  const digits = text
    .replace(SHOWN_TRUNK_PREFIX, '')
    .replace(SEPARATORS, '')
    .replace(INTERNATIONAL_PREFIX, '+');
  return E164.test(digits) ? digits : null;
}
