/** How close the rows of lists are: a choice of this browser. */

import { signal } from '@preact/signals';

export type Density = 'comfortable' | 'compact';

const STORAGE_KEY = 'sluice.density';

export const density = signal<Density>(
  localStorage.getItem(STORAGE_KEY) === 'compact' ? 'compact' : 'comfortable',
);

export function chooseDensity(chosen: Density): void {
  density.value = chosen;
  if (chosen === 'compact') localStorage.setItem(STORAGE_KEY, chosen);
  else localStorage.removeItem(STORAGE_KEY);
}
