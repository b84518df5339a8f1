/** The way to the search on every page, and what it, `?`, and the emergency button open. They are loaded when they are first opened. */

import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keysText } from '../key-board.ts';
import { closeOver, openEmergencyDialog, openedOver, openSearch } from '../opened-over.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';

export interface OverProps {
  readonly onClose: () => void;
  /** Typed before it was loaded. */
  readonly typed: string;
}

type Over = FunctionComponent<OverProps>;

const LOADS = {
  search: () => import('./find-dialog.tsx').then(({ FindDialog }): Over => FindDialog),
  keys: () => import('./keys-dialog.tsx').then(({ KeysDialog }): Over => KeysDialog),
  emergency: () =>
    import('./emergency-dialog.tsx').then(
      ({ EmergencyDialog }): Over =>
        ({ onClose }) => <EmergencyDialog cameraUuids={[]} onClose={onClose} />,
    ),
} as const;

const SEARCH_KEY = { keys: ['Ctrl+k'] };
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function FindButton() {
  return (
    <button
      type="button"
      class="find-button"
      aria-keyshortcuts="Control+K Meta+K"
      onPointerEnter={() => void LOADS.search().catch(() => undefined)}
      onClick={openSearch}
    >
      <Icon name="search" />
      <span>{t('Search')}</span>
      <kbd>{keysText(SEARCH_KEY, IS_MAC)[0]}</kbd>
    </button>
  );
}

/** On a phone, on every page: no one looks for it in the menu. */
export function QuickEmergency() {
  if (!may('operator')) return null;
  return (
    <button
      type="button"
      class="quick-emergency"
      aria-label={t('Open cameras in an emergency')}
      title={t('Open cameras in an emergency')}
      onClick={openEmergencyDialog}
    >
      <Icon name="emergency" />
    </button>
  );
}

/** Over the page, on request. */
export function OpenedOver() {
  const wanted = openedOver.value;
  return wanted === null ? null : <Loaded key={wanted} which={wanted} />;
}

type State = { readonly kind: 'loading' | 'missing' } | { readonly kind: 'loaded'; readonly Over: Over };

function Loaded({ which }: { readonly which: keyof typeof LOADS }) {
  const [state, setState] = useState<State>({ kind: 'loading' });
  const typed = useTypedMeanwhile(state.kind === 'loading');
  useEffect(() => {
    let isLeft = false;
    LOADS[which]().then(
      (Over) => !isLeft && setState({ kind: 'loaded', Over }),
      () => !isLeft && setState({ kind: 'missing' }),
    );
    return () => {
      isLeft = true;
    };
  }, [which]);
  if (state.kind === 'loaded') return <state.Over onClose={() => closeOver(which)} typed={typed()} />;
  if (state.kind === 'loading') return null;
  return (
    <div class="over-missing" role="alert">
      <Notice title={t('The gateway did not answer')}>
        <p>{t('Reload the page when it answers again.')}</p>
        <button type="button" onClick={() => closeOver(which)}>
          {t('Close')}
        </button>
      </Notice>
    </div>
  );
}

/** What someone types while the search is being loaded is not lost. */
function useTypedMeanwhile(isOn: boolean): () => string {
  const [kept] = useState({ text: '' });
  useEffect(() => {
    if (!isOn) return;
    const left = new AbortController();
    document.addEventListener(
      'keydown',
      (event) => {
        const { key, ctrlKey, metaKey, altKey } = event;
        if (key.length !== 1 || ctrlKey || metaKey || altKey) return;
        kept.text += key;
        event.preventDefault();
        event.stopPropagation();
      },
      { signal: left.signal, capture: true },
    );
    return () => left.abort();
  }, [isOn]);
  return () => kept.text;
}
