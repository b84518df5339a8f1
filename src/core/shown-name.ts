/** Names that a caller chose, as a sentence may repeat them: short, and nothing in them that a terminal or a page obeys. */

const MAX_SHOWN_LENGTH = 40;
/** Characters that are shown as they are. Marks, controls, and directions are not. */
const HARMLESS = /[\p{L}\p{N}_$.-]/u;

/** At most 40 characters; every other character becomes `?`. */
export function shownName(name: string): string {
  let shown = '';
  let count = 0;
  for (const character of name) {
    if (count === MAX_SHOWN_LENGTH) return `${shown}…`;
    shown += HARMLESS.test(character) ? character : '?';
    count += 1;
  }
  return shown === '' ? '?' : shown;
}
