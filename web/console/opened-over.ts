/** What is opened over any page: the search, the list of keys, or cameras to a partner. Their modules are loaded then. */

import { signal } from '@preact/signals';

export type OpenedOver = 'search' | 'keys' | 'emergency' | null;

export const openedOver = signal<OpenedOver>(null);

export function openSearch(): void {
  openedOver.value = 'search';
}

export function openEmergencyDialog(): void {
  openedOver.value = 'emergency';
}

/** Resolves immediately: it is an action like others. */
export async function openKeys(): Promise<void> {
  openedOver.value = 'keys';
}

/** Unless something else was opened in its place. */
export function closeOver(opened: OpenedOver): void {
  if (openedOver.peek() === opened) openedOver.value = null;
}
