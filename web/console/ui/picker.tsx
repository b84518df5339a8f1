/** One of many, chosen from a list that opens over the page: next to its button, or from below on a phone. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PickGroup, PickOption } from '../picker-rows.ts';
import { OptionList } from './option-list.tsx';

const MIN_WIDTH_PX = 280;
const MAX_HEIGHT_PX = 440;
const EDGE_PX = 8;
const GAP_PX = 4;
const NARROW = '(max-width: 720px)';

export interface PickerProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly PickOption<Value>[];
  readonly groups?: readonly PickGroup<Value>[];
  /** Of the button; absent: the label is an element of its own. */
  readonly name: Readonly<Record<string, string>>;
  readonly onValue: (value: Value) => void;
}

export function Picker<Value extends string>({
  label,
  value,
  options,
  groups = [],
  name,
  onValue,
}: PickerProps<Value>) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const all = [...options, ...groups.flatMap((group) => group.options)];
  const shown = all.find((option) => option.value === value)?.title ?? '';
  const close = () => {
    setIsOpen(false);
    button.current?.focus();
  };
  return (
    <div class="picker-field">
      <button
        ref={button}
        type="button"
        class="picker-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...name}
        aria-label={`${label}: ${shown}`}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={(event) => {
          // As in a native list.
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        <span>{shown}</span>
      </button>
      {isOpen && (
        <Panel label={label} button={button} onGone={() => setIsOpen(false)} onEscape={close}>
          <OptionList
            label={label}
            options={options}
            groups={groups}
            chosen={new Set([value])}
            onPick={(picked) => {
              close();
              onValue(picked);
            }}
          />
        </Panel>
      )}
    </div>
  );
}

/** A list over everything, also over a dialog: it closes by Escape, by a press outside, and when the focus leaves. */
function Panel({
  label,
  button,
  onGone,
  onEscape,
  children,
}: {
  readonly label: string;
  readonly button: { readonly current: HTMLElement | null };
  readonly onGone: () => void;
  readonly onEscape: () => void;
  readonly children: ComponentChildren;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = panel.current!;
    const place = () => placePanel(shown, button.current!);
    shown.showPopover();
    place();
    // A finger finds first, and opens the keyboard only to type.
    if (!matchMedia('(pointer: coarse)').matches) shown.querySelector('input')!.focus();
    else shown.focus();
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    visualViewport?.addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      removeEventListener('resize', place);
      visualViewport?.removeEventListener('resize', place);
    };
  }, []);
  useEffect(() => {
    const press = ({ target }: Event) => {
      const isInside = panel.current!.contains(target as Node) || button.current!.contains(target as Node);
      if (!isInside) onGone();
    };
    addEventListener('pointerdown', press, { capture: true });
    return () => removeEventListener('pointerdown', press, { capture: true });
  }, [onGone]);
  return (
    <div
      ref={panel}
      class="picker-panel"
      popover="manual"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The dialog around it stays.
        event.preventDefault();
        event.stopPropagation();
        onEscape();
      }}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && panel.current!.contains(relatedTarget);
        if (relatedTarget !== null && !isInside && relatedTarget !== button.current) onGone();
      }}
    >
      {children}
    </div>
  );
}

/** Below the button, or above it where there is more room; on a phone from the bottom of the visible part of the screen. */
function placePanel(panel: HTMLElement, button: HTMLElement): void {
  const { style } = panel;
  const height = visualViewport?.height ?? innerHeight;
  if (matchMedia(NARROW).matches) {
    const hidden = innerHeight - height - (visualViewport?.offsetTop ?? 0);
    style.inset = 'auto 0';
    style.bottom = `${Math.max(0, hidden)}px`;
    style.width = '100%';
    style.maxHeight = `${Math.round(height * 0.75)}px`;
    return;
  }
  const rect = button.getBoundingClientRect();
  const width = Math.min(Math.max(rect.width, MIN_WIDTH_PX), innerWidth - 2 * EDGE_PX);
  const left = Math.min(Math.max(rect.left, EDGE_PX), innerWidth - EDGE_PX - width);
  const below = height - rect.bottom - 2 * EDGE_PX;
  const above = rect.top - 2 * EDGE_PX;
  const isBelow = below >= Math.min(MAX_HEIGHT_PX, above);
  const room = Math.min(MAX_HEIGHT_PX, isBelow ? below : above);
  style.inset = 'auto';
  style.left = `${left}px`;
  style.width = `${width}px`;
  if (isBelow) style.top = `${rect.bottom + GAP_PX}px`;
  else style.bottom = `${innerHeight - rect.top + GAP_PX}px`;
  style.maxHeight = `${room}px`;
}
