/** The keys of every page: the search, the list of keys, and those that go to a page. */

import { useLocation } from 'preact-iso';
import type { KeyDeed } from '../key-board.ts';
import { openKeys, openSearch } from '../opened-over.ts';
import { MENU_PAGES } from '../pages.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { useKeyBoard, useKeys } from './use-keys.ts';

export const COMMON_TITLE = t('On every page');
export const GO_TITLE = t('Go to');

export function useCommonKeys(): void {
  const { route } = useLocation();
  useKeyBoard();
  useKeys(GO_TITLE, goKeys(route));
  useKeys(COMMON_TITLE, [
    { keys: ['Ctrl+k', '/'], title: t('Search everything'), act: openSearch },
    { keys: ['?'], title: t('Show the keys'), act: () => void openKeys() },
  ]);
}

function goKeys(route: (to: string) => void): readonly KeyDeed[] {
  return MENU_PAGES.flatMap(({ path, menu, role }) =>
    !may(role)
      ? []
      : [{ keys: [['g', menu.key].join(' ')], title: menu.title, act: () => route(place(path)) }],
  );
}
