/** Chooses how close the rows of all lists are. Phones have no compact rows: a finger needs the room. */

import { chooseDensity, density } from '../density.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import { useNarrow } from './use-narrow.ts';

export function DensitySwitch() {
  const isCompact = density.value === 'compact';
  if (useNarrow()) return null;
  return (
    <button
      type="button"
      class="icon-only"
      aria-pressed={isCompact}
      aria-label={t('Compact rows')}
      title={t('Compact rows')}
      onClick={() => chooseDensity(isCompact ? 'comfortable' : 'compact')}
    >
      <Icon name="compact" />
    </button>
  );
}

/** Whether rows are compact now. */
export function useCompact(): boolean {
  const isNarrow = useNarrow();
  return density.value === 'compact' && !isNarrow;
}
