/** The box that selects an item of a list: by mouse or keyboard, with Shift from the last one on. */

import { useRef } from 'preact/hooks';

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
  return (
    <label class="select-box">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={selection.has(uuid)}
        // The click that Space causes does not say that Shift is held in every browser.
        onKeyDown={(event) => {
          isShift.current = event.shiftKey;
        }}
        onKeyUp={() => {
          isShift.current = false;
        }}
        onClick={(event) => selection.toggle(uuid, event.shiftKey || isShift.current)}
      />
    </label>
  );
}
