/** One of the first steps: its number or a check mark, its purpose, and its content. */

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

export function Step({
  number,
  title,
  isDone,
  /** Next to the content: a picture, or a code for the phone. */
  aside = null,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <li class={isDone ? 'step done' : 'step'}>
      <section aria-labelledby={id}>
        <header>
          <span class="step-mark" aria-hidden="true">
            {isDone ? <Icon name="check" /> : number}
          </span>
          <h2 id={id}>{title}</h2>
          <span class={isDone ? 'badge good' : 'off-screen'}>{isDone ? t('Done') : t('Not done yet')}</span>
        </header>
        <div class={aside === null ? 'step-body' : 'step-body with-aside'}>
          <div class="step-doing">{children}</div>
          {aside !== null && <div class="step-aside">{aside}</div>}
        </div>
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
