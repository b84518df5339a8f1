/** Puts a text into the clipboard, and says so. */

import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../copy.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

type Outcome = 'none' | 'copied' | 'failed';

const SHOWN_MS = 2_500;

/** `what`: as in "Copy link"; empty next to a field that says it. `short`: shown instead. Without `isWide`, the words are only read out. */
export function CopyButton({
  what,
  short,
  text,
  isWide = true,
  isPrimary = false,
  onFailed,
}: {
  readonly what: string;
  readonly short?: string;
  readonly text: string;
  readonly isWide?: boolean;
  readonly isPrimary?: boolean;
  /** The browser refused; what shows the text can select it. */
  readonly onFailed?: () => void;
}) {
  const [outcome, setOutcome] = useState<Outcome>('none');
  useEffect(() => {
    if (outcome === 'none') return;
    const timer = setTimeout(() => setOutcome('none'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const words = {
    none: short ?? (what === '' ? t('Copy') : t('Copy {what}', { what })),
    copied: t('Copied'),
    failed: t('Copy with your keyboard'),
  }[outcome];
  const label =
    isWide && short === undefined
      ? {}
      : { 'aria-label': t('Copy {what}', { what }), title: t('Copy {what}', { what }) };
  return (
    <>
      <button
        type="button"
        class={`copy ${isPrimary ? 'primary' : isWide ? '' : 'quiet square'}`}
        data-outcome={outcome}
        {...label}
        onClick={async () => {
          const isCopied = await copyText(text);
          setOutcome(isCopied ? 'copied' : 'failed');
          if (!isCopied) onFailed?.();
        }}
      >
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
        {isWide && <span>{words}</span>}
      </button>
      <span class="off-screen" role="status">
        {outcome === 'none' ? '' : words}
      </span>
    </>
  );
}
