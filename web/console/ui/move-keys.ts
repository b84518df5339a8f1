/** Arrow keys that move the chosen part of a plan or a map. */

import type { KeyDeed } from '../key-board.ts';
import { t } from '../words.ts';

/** `byX`, `byY`: -1, 0 or 1; `isFar`: with Shift. */
export function moveKeys(move: (byX: number, byY: number, isFar: boolean) => void): readonly KeyDeed[] {
  return [
    {
      keys: ['ArrowLeft'],
      title: t('Left; with Shift, further'),
      act: ({ shiftKey }) => move(-1, 0, shiftKey),
    },
    {
      keys: ['ArrowRight'],
      title: t('Right; with Shift, further'),
      act: ({ shiftKey }) => move(1, 0, shiftKey),
    },
    { keys: ['ArrowUp'], title: t('Up; with Shift, further'), act: ({ shiftKey }) => move(0, -1, shiftKey) },
    {
      keys: ['ArrowDown'],
      title: t('Down; with Shift, further'),
      act: ({ shiftKey }) => move(0, 1, shiftKey),
    },
  ];
}
