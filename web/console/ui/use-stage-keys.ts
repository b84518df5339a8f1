/** Keys of a camera's page: they act wherever the focus is, except in fields, grids, sliders, and dialogs. */

import { useEffect, useRef } from 'preact/hooks';

export interface StageKeys {
  /** Returns whether the key does something here now. `isRepeat`: it has been held for a while. */
  readonly down: (key: string, isRepeat: boolean) => boolean;
  readonly up: (key: string) => void;
}

const OWN_KEYS = 'input, select, textarea, [contenteditable], [role="slider"], [role="grid"], summary';
const PRESSED_BY = new Set([' ', 'Enter']);

export function useStageKeys(keys: StageKeys): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const left = new AbortController();
    const down = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest(OWN_KEYS)) return;
      if (PRESSED_BY.has(event.key) && target?.closest('button, a')) return;
      if (newest.current.down(event.key, event.repeat)) event.preventDefault();
    };
    document.addEventListener('keydown', down, left);
    document.addEventListener('keyup', ({ key }) => newest.current.up(key), left);
    return () => left.abort();
  }, []);
}
