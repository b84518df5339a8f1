/** Addresses to which mail can go. */

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
export const MAX_EMAIL_CHARS = 254;

/** One address without a name, a list, or a line break: what follows a command of SMTP. */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]{1,64}@[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]{1,253}$/u;

export function isMailAddress(text: string): boolean {
  return text.length <= MAX_EMAIL_CHARS && ADDRESS.test(text);
}
