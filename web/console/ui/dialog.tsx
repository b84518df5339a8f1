/** A dialog over the page. The browser keeps the focus within it; afterwards, it is back where it was, if that is still there. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

const STAYS = { current: true } as const;

export function Dialog({
  title,
  onClose,
  openerStays = STAYS,
  children,
}: {
  /** Another title is another step, which begins at its top. */
  readonly title: string;
  readonly onClose: () => void;
  /** False when it closes: what opened it is about to go. The focus is then on the page. */
  readonly openerStays?: { readonly current: boolean };
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isGone = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current!;
    shown.showModal();
    return () => {
      isGone.current = true;
      shown.close();
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      (isThere && openerStays.current ? opener : document.querySelector<HTMLElement>('main'))?.focus();
    };
  }, []);
  useEffect(() => {
    heading.current!.focus();
    dialog.current!.scrollTop = 0;
  }, [title]);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        if (!isGone.current) onClose();
      }}
    >
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="quiet square" aria-label={t('Close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
