/** The box that selects an item of a list: by mouse or keyboard, with Shift from the last one on. */

import { useRef } from 'preact/hooks';
import { t } from '../words.ts';

export interface ListSelection {
  readonly has: (uuid: string) => boolean;
  readonly toggle: (uuid: string, isRange: boolean) => void;
}

export function SelectBox({
  uuid,
  name,
  selection,
}: {
  readonly uuid: string;
  readonly name: string;
  readonly selection: ListSelection;
}) {
  const isShift = useRef(false);
  const watchShift = (event: KeyboardEvent) => {
    isShift.current = event.shiftKey;
  };
  return (
    <label class="select-box">
      <input
        type="checkbox"
        aria-label={t('Select {name}', { name })}
        checked={selection.has(uuid)}
        // The click that Space causes does not say in every browser that Shift is held.
        onKeyDown={watchShift}
        onKeyUp={watchShift}
        onClick={(event) => {
          const isByKey = event.detail === 0;
          selection.toggle(uuid, event.shiftKey || (isByKey && isShift.current));
        }}
      />
    </label>
  );
}
