/** Whether the menu has the first steps: until they are done, or until a person of this browser does not want them. */

import { signal } from '@preact/signals';
import { CONSOLE_BASE, place } from './places.ts';
import type { ConsoleSession } from './session.ts';

export const FIRST_STEPS_PATH = 'start';
const STORAGE_KEY = 'sluice.first-steps';

export const isInMenu = signal(localStorage.getItem(STORAGE_KEY) !== 'hidden');

export function showInMenu(isShown: boolean): void {
  isInMenu.value = isShown;
  if (isShown) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, 'hidden');
}

/** The first sign-in by the printed link leads to them, if it leads nowhere else. */
export function openFirstSteps({ person }: ConsoleSession): void {
  const isFirst = !person.hasPassword && person.role === 'admin' && isInMenu.peek();
  if (isFirst && location.pathname === CONSOLE_BASE) history.replaceState(null, '', place(FIRST_STEPS_PATH));
}
