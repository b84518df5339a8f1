/** Passwords of shares: how hard one is to guess, and new ones that are easy to read out. Pure, except for chance. */

export type Strength = 'none' | 'weak' | 'fair' | 'strong';

/** Bits from which guessing takes long although the gateway slows it down, and from which it is hopeless. */
const FAIR_BITS = 30;
const STRONG_BITS = 50;

/** Without those that people confuse: 0 o, 1 l i. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 3;
const GROUP_CHARS = 4;

/** The most common passwords, without digits and signs. */
const COMMON = new Set(
  (
    'password passwort passwd pass secret admin administrator root user guest test welcome letmein qwerty qwertz ' +
    'azerty asdf abc iloveyou dragon monkey master login camera kamera cam video live share sluice office summer ' +
    'winter spring autumn'
  )
    .split(' ')
    .concat(''),
);

export function strengthOf(password: string): Strength {
  if (password.trim() === '') return 'none';
  const letters = password.toLowerCase().replaceAll(/[^\p{L}]/gu, '');
  const isCommon = COMMON.has(letters) && password.length < 2 * GROUPS * GROUP_CHARS;
  const bits = Math.log2(poolOf(password)) * effectiveLength(password);
  if (isCommon || bits < FAIR_BITS) return 'weak';
  return bits < STRONG_BITS ? 'fair' : 'strong';
}

/** Some 59 bits, as in "k7mw-9hfp-2xqd". `fill` fills the bytes with chance. */
export function newPassword(
  fill: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => crypto.getRandomValues(bytes),
): string {
  const groups: string[] = [];
  while (groups.length < GROUPS) {
    let group = '';
    while (group.length < GROUP_CHARS) group += randomChar(fill);
    groups.push(group);
  }
  return groups.join('-');
}

function randomChar(fill: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const byte = new Uint8Array(1);
  // Beyond the last multiple, the first characters would come more often.
  const limit = 256 - (256 % ALPHABET.length);
  do fill(byte);
  while (byte[0]! >= limit);
  return ALPHABET[byte[0]! % ALPHABET.length]!;
}

/** How many characters a guesser has to try at each place. */
function poolOf(password: string): number {
  let pool = 0;
  if (/[a-z]/.test(password)) pool += 26;
  if (/[A-Z]/.test(password)) pool += 26;
  if (/\d/.test(password)) pool += 10;
  if (/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e ]/.test(password)) pool += 33;
  if (/[^\x20-\x7e]/.test(password)) pool += 60;
  return Math.max(pool, 2);
}

/** Characters that continue a row (`1234`, `aaaa`, `dcba`) count a quarter. */
function effectiveLength(password: string): number {
  const codes = [...password].map((char) => char.codePointAt(0)!);
  return codes.reduce((length, code, i) => {
    if (i < 2) return length + 1;
    const step = code - codes[i - 1]!;
    const isRow = Math.abs(step) <= 1 && step === codes[i - 1]! - codes[i - 2]!;
    return length + (isRow ? 0.25 : 1);
  }, 0);
}
