/** Keys that act while a page or a part of it is open, and the listener that passes presses to them. */

import { useEffect, useRef } from 'preact/hooks';
import { addKeys, KeyBoard, type KeyDeed } from '../key-board.ts';

const OWN_KEYS = [
  'input',
  'select',
  'textarea',
  '[contenteditable]',
  '[role="slider"]',
  '[role="grid"]',
  '[role="application"]',
  'summary',
].join();
const CHARACTERS_KEY = 'sluice.keys.characters';

/** Keys of the page, wherever the focus is. `title`: what they belong to, in the list. */
export function useKeys(title: string, keys: readonly KeyDeed[]): void {
  useListed(title, keys, false);
}

/** Keys of a part that has the focus. They are only listed: the part itself calls `pressed`. */
export function usePartKeys(title: string, keys: readonly KeyDeed[]): void {
  useListed(title, keys, true);
}

function useListed(title: string, keys: readonly KeyDeed[], isOfPart: boolean): void {
  const newest = useRef(keys);
  newest.current = keys;
  const isEmpty = keys.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    return addKeys({
      title,
      isOfPart,
      get keys() {
        return newest.current;
      },
    });
  }, [title, isOfPart, isEmpty]);
}

export const keyBoard = new KeyBoard();
keyBoard.hasCharacters = localStorage.getItem(CHARACTERS_KEY) !== 'off';

/** For people whose speech input or hands press letters that they did not mean (WCAG 2.1.4). */
export function allowCharacters(isAllowed: boolean): void {
  keyBoard.hasCharacters = isAllowed;
  if (isAllowed) localStorage.removeItem(CHARACTERS_KEY);
  else localStorage.setItem(CHARACTERS_KEY, 'off');
}

/** Once, around all pages. */
export function useKeyBoard(): void {
  useEffect(() => {
    const left = new AbortController();
    const onDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : null;
      const around = {
        isTyping: target?.closest(OWN_KEYS) != null,
        isPressing: target?.closest('button, a') != null,
        isCovered: document.querySelector('dialog[open]') !== null,
      };
      if (keyBoard.down(event, around, event.timeStamp)) event.preventDefault();
    };
    document.addEventListener('keydown', onDown, left);
    document.addEventListener('keyup', ({ key }) => keyBoard.up(key), left);
    return () => left.abort();
  }, []);
}
