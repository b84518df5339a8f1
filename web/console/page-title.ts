/** The title of the document while a page is open, with the number of open alerts. */

import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { openAlerts } from './alert-watch.ts';
import { badgeText } from './alert-words.ts';

/** '': no page has set one yet. */
const pageTitle = signal('');

effect(() => {
  const open = openAlerts.value;
  if (pageTitle.value === '') return;
  const count = open === null || open.count === 0 ? '' : `(${badgeText(open)}) `;
  document.title = `${count}${pageTitle.value} · Sluice`;
});

export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
  }, [title]);
}
