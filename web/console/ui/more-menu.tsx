/** Further deeds of a row, behind one button. They are in the top layer, so no list cuts them off. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** `label`: names the button, with the thing that the deeds are about. `children`: buttons; each closes the menu. */
export function MoreMenu({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    place(panel.current!, opener.current!);
    const left = new AbortController();
    const close = () => panel.current?.hidePopover();
    // It would stay where the row no longer is.
    addEventListener('scroll', close, { signal: left.signal, capture: true });
    addEventListener('resize', close, left);
    return () => left.abort();
  }, [isOpen]);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class="icon-only"
        aria-label={label}
        aria-expanded={isOpen}
        title={label}
        popovertarget={id}
      >
        <Icon name="more" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons in it have their own */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        class="more-panel"
        onToggle={(event) => setIsOpen(event.newState === 'open')}
        onClick={() => panel.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

const GAP_PX = 4;

/** Below the button, or above it where there is no room. */
function place(panel: HTMLElement, opener: HTMLElement): void {
  const at = opener.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const isBelow = at.bottom + GAP_PX + height <= innerHeight;
  panel.style.setProperty('left', `${Math.max(GAP_PX, at.right - width)}px`);
  panel.style.setProperty('top', `${isBelow ? at.bottom + GAP_PX : at.top - GAP_PX - height}px`);
}
