/**
 * Keys of pages and of their parts. One table makes a key act and puts it into the list that `?` opens, so the list is
 * true. Keys act wherever the focus is, except in fields, grids, sliders, and dialogs.
 */

import { signal } from '@preact/signals';
import { t } from './words.ts';

/** Of a KeyboardEvent. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'repeat'
>;

export interface KeyDeed {
  /** As `keyName` names them; `g c`: one after the other. */
  readonly keys: readonly string[];
  readonly title: string;
  /** How the list shows them; default: each. */
  readonly shown?: readonly string[];
  /** False: it has nothing to do now, and the press is for others. */
  readonly act: (press: Press) => unknown;
  /** Called with the key when it is up again. */
  readonly release?: (key: string) => void;
}

export interface KeySet {
  /** What they belong to, above them in the list. */
  readonly title: string;
  readonly keys: readonly KeyDeed[];
  /** They act only while that part has the focus, and it calls `pressed`. Default false. */
  readonly isOfPart?: boolean;
}

/** What surrounds a press. */
export interface Around {
  /** The focus is where text or arrows have a meaning of their own. */
  readonly isTyping: boolean;
  /** It is on a button or a link. */
  readonly isPressing: boolean;
  /** A dialog is open. */
  readonly isCovered: boolean;
}

/** The second of two keys comes within this time. */
const SEQUENCE_MS = 1_500;
const PRESSING = new Set([' ', 'Enter']);
const NAMES: Readonly<Record<string, string>> = {
  ' ': t('Space'),
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: t('Esc'),
  PageUp: t('Page up'),
  PageDown: t('Page down'),
  '-': '−',
};

/** Those that can act now: the common ones first, then the page's. */
export const keySets = signal<readonly KeySet[]>([]);

/** Returns what removes them. */
export function addKeys(set: KeySet): () => void {
  keySets.value = [...keySets.peek(), set];
  return () => {
    keySets.value = keySets.peek().filter((other) => other !== set);
  };
}

/** Letters are lower case, also on keyboards of other scripts; ⌘ counts as Ctrl. */
export function keyName({ key, code, ctrlKey, metaKey }: Press): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isForeign = key.length === 1 && key.codePointAt(0)! > 0x24f && letter !== undefined;
  const name = isForeign ? letter : key;
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${name.length === 1 ? name.toLowerCase() : name}`;
}

/** Whether one of them acted. For a part that has the focus. */
export function pressed(keys: readonly KeyDeed[], press: Press): boolean {
  if (press.altKey) return false;
  const name = keyName(press);
  return keys.some((deed) => deed.keys.includes(name) && deed.act(press) !== false);
}

/** The keyboard, as the open page uses it. */
export class KeyBoard {
  /** Whether keys that type a character act. */
  hasCharacters = true;
  #first: { readonly key: string; readonly atMs: number } | null = null;
  readonly #held = new Map<string, (key: string) => void>();

  /** Whether the press did something. `nowMs`: any clock that does not go back. */
  down(press: Press, around: Around, nowMs = 0): boolean {
    const name = keyName(press);
    const first = this.#first;
    this.#first = null;
    if (press.altKey || around.isCovered) return false;
    if (around.isTyping && !name.startsWith('Ctrl+')) return false;
    if (around.isPressing && PRESSING.has(name)) return false;
    if (name.length === 1 && name !== ' ' && !this.hasCharacters) return false;
    const keys = keySets
      .peek()
      .flatMap((set) => (set.isOfPart === true ? [] : [...set.keys]))
      .toReversed();
    if (first !== null && nowMs - first.atMs < SEQUENCE_MS) {
      return this.#act(keys, `${first.key} ${name}`, press);
    }
    if (this.#act(keys, name, press)) return true;
    if (!keys.some((deed) => deed.keys.some((key) => key.startsWith(`${name} `)))) return false;
    this.#first = { key: name, atMs: nowMs };
    return true;
  }

  up(key: string): void {
    const name = key.length === 1 ? key.toLowerCase() : key;
    const release = this.#held.get(name);
    this.#held.delete(name);
    release?.(name);
  }

  #act(keys: readonly KeyDeed[], name: string, press: Press): boolean {
    const deed = keys.find((each) => each.keys.includes(name) && each.act(press) !== false);
    if (deed?.release !== undefined) this.#held.set(name, deed.release);
    return deed !== undefined;
  }
}

/** One text for each key, as on the keyboard. */
export function keysText(
  { keys, shown }: Pick<KeyDeed, 'keys' | 'shown'>,
  isMac: boolean,
): readonly string[] {
  if (shown !== undefined) return shown;
  return keys.map((key) =>
    key
      .split(/\+(?=.)| (?=.)/)
      .map((part) =>
        part === 'Ctrl'
          ? isMac
            ? '⌘'
            : t('Ctrl')
          : (NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part)),
      )
      .join(' '),
  );
}
