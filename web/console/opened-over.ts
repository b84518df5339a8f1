/** What is opened over any page: the search, or the list of keys. Their modules are loaded then. */

import { signal } from '@preact/signals';

export type OpenedOver = 'search' | 'keys' | null;

export const openedOver = signal<OpenedOver>(null);

export function openSearch(): void {
  openedOver.value = 'search';
}

/** Resolves immediately: it is an action like others. */
export async function openKeys(): Promise<void> {
  openedOver.value = 'keys';
}

/** Unless something else was opened in its place. */
export function closeOver(opened: OpenedOver): void {
  if (openedOver.peek() === opened) openedOver.value = null;
}
