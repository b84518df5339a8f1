/**
 * Phone numbers as E.164 writes them: `+`, the country code, the rest, at most 15 digits. What people put between the
 * digits goes. A number without its country code is none: whose country would be meant is not known here.
 */

const SEPARATORS = /[\s().\-/\u00a0\u2010-\u2015]/g;
/** The trunk prefix as it is shown to callers from abroad: `+44 (0)20 …`. */
const SHOWN_TRUNK_PREFIX = /\(0\)/;
/** The international prefix that most of the world dials (ITU-T E.164, "prefix 00"). */
const INTERNATIONAL_PREFIX = /^00/;
const E164 = /^\+[1-9]\d{6,14}$/;

/** `+1 (202) 555-0123` → `+12025550123`; null for what is no number with a country code. */
export function e164(text: string): string | null {
  const digits = text
    .replace(SHOWN_TRUNK_PREFIX, '')
    .replace(SEPARATORS, '')
    .replace(INTERNATIONAL_PREFIX, '+');
  return E164.test(digits) ? digits : null;
}
