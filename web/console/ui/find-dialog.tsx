/**
 * One search for everything: cameras, sites, shares, people, settings, pages, and actions. A combobox with a list box (ARIA
 * Authoring Practices): the focus stays in the field, and arrows choose.
 */

import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type FindKind, type FoundGroup, keyOf, MAX_SHOWN, type Target } from '../find-targets.ts';
import { place } from '../places.ts';
import { sharesPlace } from '../share-places.ts';
import { t, tRich } from '../words.ts';
import type { OverProps } from './find-button.tsx';
import { FormError } from './form-error.tsx';
import { Icon, type IconName } from './icon.tsx';
import { useAction } from './use-action.ts';
import { useFound } from './use-found.ts';

const TITLES: Readonly<Record<FindKind, string>> = {
  camera: t('Cameras'),
  site: t('Sites'),
  nvr: t('NVRs'),
  page: t('Pages'),
  action: t('Actions'),
  share: t('Shares'),
  wall: t('Walls'),
  person: t('People'),
  schedule: t('Schedules'),
  setting: t('Settings'),
};

const ICONS: Readonly<Record<FindKind, IconName>> = {
  camera: 'camera',
  site: 'site',
  nvr: 'recorder',
  page: 'page',
  action: 'play',
  share: 'share',
  wall: 'wall',
  person: 'person',
  schedule: 'schedule',
  setting: 'settings',
};

/** Lists that show all results of a kind. */
const LISTS: Readonly<
  Partial<Record<FindKind, { readonly title: string; readonly place: (typed: string) => string }>>
> = {
  camera: { title: t('More cameras…'), place: (typed) => place(`?text=${encodeURIComponent(typed)}`) },
  share: { title: t('More shares…'), place: (typed) => sharesPlace(`q=${encodeURIComponent(typed)}`) },
};

const PAGE_STEP = 8;

interface Option extends Pick<Target, 'kind' | 'title' | 'detail' | 'href'> {
  readonly key: string;
  readonly target: Target | null;
}

export function FindDialog({ onClose, typed: typedBefore }: OverProps) {
  const { route } = useLocation();
  const [typed, setTyped] = useState(typedBefore);
  const { groups, missing, isSearching, opened } = useFound(typed);
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const action = useAction();
  const id = useId();
  const shown = groups.map((group) => ({ group, options: optionsOf(group, typed) }));
  const options = shown.flatMap((each) => each.options);
  // The first result is chosen until someone chooses another one, and again when that is no longer there.
  const chosen = options.find(({ key }) => key === chosenKey) ?? options[0] ?? null;
  const open = (option: Option, isNewTab: boolean) => {
    const { target, href } = option;
    if (target !== null) opened(target);
    if (href === null) {
      void action.run(async () => {
        await target?.run?.();
        onClose();
      });
      return;
    }
    if (isNewTab) {
      window.open(href, '_blank', 'noopener');
      return;
    }
    onClose();
    route(href);
  };
  const step = (by: number) => {
    const at = chosen === null ? -1 : options.indexOf(chosen);
    const isOver = Math.abs(by) === 1;
    const next = isOver
      ? (at + by + options.length) % options.length
      : Math.max(0, Math.min(options.length - 1, at + by));
    setChosenKey(options[next]?.key ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE_STEP,
      PageUp: -PAGE_STEP,
    };
    const by = steps[event.key];
    if (by !== undefined) {
      event.preventDefault();
      step(by);
    } else if (event.key === 'Enter' && chosen !== null) {
      event.preventDefault();
      open(chosen, event.ctrlKey || event.metaKey);
    } else if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <Frame onClose={onClose}>
      <div class="find-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={t('Search')}
          placeholder={t('Cameras, sites, shares, settings…')}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen === null ? undefined : `${id}-${chosen.key}`}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="go"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setChosenKey(null);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="quiet square" aria-label={t('Close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <FormError error={action.error} />
      <div class="find-results" role="listbox" id={`${id}-list`} aria-label={t('Results')}>
        {shown.map(({ group, options: some }) => (
          <div class="find-group" role="group" key={group.kind} aria-labelledby={`${id}-${group.kind}`}>
            <h2 id={`${id}-${group.kind}`} role="presentation">
              {group.kind === null ? t('Opened recently') : TITLES[group.kind]}
            </h2>
            {some.map((option) => (
              <Row
                key={option.key}
                id={`${id}-${option.key}`}
                option={option}
                isChosen={option === chosen}
                onPoint={() => setChosenKey(option.key)}
                onOpen={(isNewTab) => open(option, isNewTab)}
              />
            ))}
          </div>
        ))}
      </div>
      <Status count={options.length} typed={typed} isSearching={isSearching} missing={missing} />
    </Frame>
  );
}

function Frame({
  onClose,
  children,
}: {
  readonly onClose: () => void;
  readonly children: preact.ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current!;
    shown.showModal();
    shown.querySelector('input')!.focus();
    return () => {
      shown.close();
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      (isThere ? opener : document.querySelector<HTMLElement>('main'))?.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      class="find"
      aria-label={t('Search')}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      <div class="find-box">{children}</div>
    </dialog>
  );
}

function Row({
  id,
  option: { kind, title, detail, target },
  isChosen,
  onPoint,
  onOpen,
}: {
  readonly id: string;
  readonly option: Option;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onOpen: (isNewTab: boolean) => void;
}) {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isChosen) row.current!.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus has the keys
    <div
      ref={row}
      id={id}
      class="find-row"
      role="option"
      aria-selected={isChosen}
      onPointerMove={() => {
        if (!isChosen) onPoint();
      }}
      onPointerDown={(event) => event.preventDefault()}
      onClick={({ ctrlKey, metaKey }) => onOpen(ctrlKey || metaKey)}
    >
      <Icon name={ICONS[kind]} />
      <span class="find-title">{title}</span>
      {target?.state === 'offline' && <span class="sign offline">{t('Offline')}</span>}
      <span class="find-detail">{detail}</span>
    </div>
  );
}

function Status({
  count,
  typed,
  isSearching,
  missing,
}: {
  readonly count: number;
  readonly typed: string;
  readonly isSearching: boolean;
  readonly missing: readonly string[];
}) {
  const found = t('{count, plural, one {# result} other {# results}}', { count });
  const none = isSearching ? t('Searching…') : t('Nothing matches “{text}”.', { text: typed.trim() });
  const text = count === 0 ? none : found;
  return (
    <div class="find-foot">
      <p role="status" class={count === 0 ? '' : 'off-screen'}>
        {text}
      </p>
      {missing.map((what) => (
        <p key={what} class="bad-text">
          {t('{what}: could not be searched.', { what })}
        </p>
      ))}
      <p class="find-keys" aria-hidden="true">
        {tRich('<up></up> <down></down> choose <enter></enter> open <escape></escape> close', {
          up: () => <kbd>↑</kbd>,
          down: () => <kbd>↓</kbd>,
          enter: () => <kbd>Enter</kbd>,
          escape: () => <kbd>{t('Esc')}</kbd>,
        })}
      </p>
    </div>
  );
}

function optionsOf({ kind, targets, total }: FoundGroup, typed: string): readonly Option[] {
  const options = targets.map(
    (target): Option => ({ ...target, key: `${kind === null ? 'recent-' : ''}${keyOf(target)}`, target }),
  );
  const list = kind === null || total <= MAX_SHOWN ? undefined : LISTS[kind];
  if (kind === null || list === undefined || typed.trim() === '') return options;
  const more: Option = {
    key: `more-${kind}`,
    kind,
    title: list.title,
    detail: '',
    href: list.place(typed.trim()),
    target: null,
  };
  return [...options, more];
}
