/**
 * One of the first steps: its number or a check mark, its purpose, and its content. One that was done when the page opened shows its content
 * only on request; one that is done now stays open, so nothing moves under the hand of who did it.
 */

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

export function Step({
  number,
  title,
  isDone,
  staysOpen = false,
  /** Next to the content: a picture, or a code for the phone. */
  aside = null,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  /** It is worth looking at, also when it is done. */
  readonly staysOpen?: boolean;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const [wasDone] = useState(isDone && !staysOpen);
  const [choice, setChoice] = useState<boolean | null>(null);
  const isOpen = !isDone || (choice ?? !wasDone);
  return (
    <li class={isDone ? 'step done' : 'step'}>
      <section aria-labelledby={id}>
        <header>
          <span class="step-mark" aria-hidden="true">
            {isDone ? <Icon name="check" /> : number}
          </span>
          <h2 id={id}>{title}</h2>
          <span class={isDone ? 'badge good' : 'off-screen'}>{isDone ? t('Done') : t('Not done yet')}</span>
          {isDone && (
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? t('Hide') : t('Show')}: ${title}`}
              onClick={() => setChoice(!isOpen)}
            >
              {isOpen ? t('Hide') : t('Show')}
            </button>
          )}
        </header>
        {isOpen && (
          <div class={aside === null ? 'step-body' : 'step-body with-aside'}>
            <div class="step-doing">{children}</div>
            {aside !== null && <div class="step-aside">{aside}</div>}
          </div>
        )}
      </section>
    </li>
  );
}

/** Something that is true now, as a line with a dot. */
export function StateLine({
  kind,
  children,
}: {
  readonly kind: 'good' | 'waiting' | 'bad';
  readonly children: ComponentChildren;
}) {
  return (
    <p class={`state-line ${kind}`} role="status">
      <span>{children}</span>
    </p>
  );
}
