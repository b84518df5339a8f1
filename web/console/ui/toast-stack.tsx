/** Notices of new alerts over every page, and the undo of what was just acknowledged. Loaded when there is the first one. */

import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { alertTitle } from '../alert-list.ts';
import { type AlertNotice, type Toasts, uuidsOf } from '../alert-toasts.ts';
import {
  type Acknowledged,
  acknowledgeAlerts,
  canUndo,
  lastAcknowledged,
  UNDO_TITLE,
  undoAcknowledged,
} from '../alert-undo.ts';
import { alertToasts, forgetAlerts } from '../alert-watch.ts';
import { newAlertsText, noticePlace } from '../alert-words.ts';
import type { KeyDeed } from '../key-board.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { AlertImage } from './alert-still.tsx';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { TimeAgo } from './time.tsx';
import { useAction } from './use-action.ts';
import { useKeys } from './use-keys.ts';

const NO_KEYS: readonly KeyDeed[] = [];
const STAY_MS = 12_000;
const TICK_MS = 500;

export function AlertToasts({ isListShown }: { readonly isListShown: boolean }) {
  const toasts = alertToasts.value;
  const acknowledged = lastAcknowledged.value;
  return (
    <section class="toasts" aria-label={t('Notices of alerts')}>
      {acknowledged !== null && <UndoToast acknowledged={acknowledged} hasKey />}
      {!isListShown && <NewAlerts toasts={toasts} />}
    </section>
  );
}

function NewAlerts({ toasts }: { readonly toasts: Toasts }) {
  if (toasts.kind === 'few') {
    return (
      <>
        {toasts.notices.map((notice) => (
          <AlertToast
            key={notice.alert.uuid}
            title={alertTitle(notice.alert)}
            notice={notice}
            uuids={[notice.alert.uuid]}
            showPlace={place(`alerts?alert=${notice.alert.uuid}`)}
          />
        ))}
      </>
    );
  }
  const uuids = uuidsOf(toasts);
  return (
    <AlertToast
      title={newAlertsText(uuids.length)}
      notice={toasts.newest}
      uuids={uuids}
      showPlace={place('alerts')}
    />
  );
}

/** `uuids`: of all alerts that it stands for; `notice` is the newest. */
function AlertToast({
  title,
  notice,
  uuids,
  showPlace,
}: {
  readonly title: string;
  readonly notice: AlertNotice;
  readonly uuids: readonly string[];
  readonly showPlace: string;
}) {
  const toast = useRef<HTMLElement>(null);
  const { isBusy, error, run } = useAction();
  const close = () => forgetAlerts(uuids);
  useLeaving(toast, uuids.length, close);
  const isMany = uuids.length > 1;
  const newest = isMany ? `${alertTitle(notice.alert)} · ${noticePlace(notice)}` : noticePlace(notice);
  return (
    <article ref={toast} class="toast alert-toast" aria-label={title}>
      <AlertImage key={notice.alert.uuid} alert={notice.alert} isCamera={notice.isCamera} />
      <div class="toast-text">
        <h2>{title}</h2>
        <p>{newest}</p>
        <p>
          <TimeAgo epochMs={notice.alert.timestampMs} />
        </p>
      </div>
      <button type="button" class="quiet square" aria-label={t('Close: {title}', { title })} onClick={close}>
        <Icon name="close" />
      </button>
      <div class="toast-actions">
        {may('operator') && (
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            aria-label={t('Acknowledge: {title}', { title })}
            onClick={() => void run(() => acknowledgeAlerts(uuids))}
          >
            {isMany ? t('Acknowledge all') : t('Acknowledge')}
          </button>
        )}
        <a class="button" href={showPlace} aria-label={t('Show: {title}', { title })} onClick={close}>
          {t('Show')}
        </a>
      </div>
      <FormError error={error} />
    </article>
  );
}

/** `hasKey`: its key acts, too; otherwise the page has that key. */
export function UndoToast({
  acknowledged,
  hasKey,
}: {
  readonly acknowledged: Acknowledged;
  readonly hasKey: boolean;
}) {
  const toast = useRef<HTMLElement>(null);
  const { isBusy, error, run } = useAction();
  const close = () => {
    lastAcknowledged.value = null;
  };
  useLeaving(toast, acknowledged, close);
  const undo = () => void run(() => undoAcknowledged(acknowledged));
  useKeys(
    t('Alerts that you just acknowledged'),
    hasKey && canUndo(acknowledged)
      ? [{ keys: ['u'], title: UNDO_TITLE, act: ({ repeat }) => (repeat ? false : undo()) }]
      : NO_KEYS,
  );
  return (
    <article ref={toast} class="toast undo-toast">
      <p role="status">{undoText(acknowledged)}</p>
      {canUndo(acknowledged) && (
        <button type="button" disabled={isBusy} aria-keyshortcuts="u" onClick={undo}>
          {t('Undo')} <kbd>U</kbd>
        </button>
      )}
      <button type="button" class="quiet square" aria-label={t('Close')} onClick={close}>
        <Icon name="close" />
      </button>
      <FormError error={error} />
    </article>
  );
}

function undoText({ uuids, otherCount, otherName, isReopened }: Acknowledged): string {
  const count = uuids.length;
  if (isReopened) {
    return t('{count, plural, one {The alert is open again.} other {# alerts are open again.}}', { count });
  }
  const done = t('{count, plural, one {# alert acknowledged.} other {# alerts acknowledged.}}', { count });
  if (otherCount === 0) return done;
  const person = otherName ?? '';
  if (count === 0 && otherCount === 1) return t('{person} acknowledged it first.', { person });
  const others = t(
    '{count, plural, one {{person} was first for #.} other {{person} and others were first for #.}}',
    { count: otherCount, person },
  );
  return `${done} ${others}`;
}

/**
 * Closes after a while in which the person could see it and did not point at it or focus it. `content`: begins again when it changes. A
 * dialog over the page stops the time, too.
 */
function useLeaving(toast: RefObject<HTMLElement | null>, content: unknown, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    let leftMs = STAY_MS;
    const timer = setInterval(() => {
      const isHeld =
        document.hidden ||
        toast.current?.matches(':hover, :focus-within') === true ||
        document.querySelector('dialog[open]') !== null;
      if (isHeld) return;
      leftMs -= TICK_MS;
      if (leftMs <= 0) latest.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [content]);
}
