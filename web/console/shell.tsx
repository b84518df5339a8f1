/** The frame of every page: the menu, the signed-in person, and whether the content is current. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { openAlerts } from './alert-watch.ts';
import { badgeText } from './alert-words.ts';
import { isBareShell } from './bare-shell.ts';
import { staleSinceEpochMs } from './changes.ts';
import { isInMenu } from './first-steps-choice.ts';
import { ACCOUNT, entryAt, MENU_GROUPS, MENU_PAGES, type MenuPage } from './pages.ts';
import { ROLE_NAMES } from './person-list.ts';
import { pathBelowConsole, place } from './places.ts';
import { preloadPage } from './preload-page.ts';
import { onOpenedNotification } from './push-browser.ts';
import { type ConsoleSession, may, signOut } from './session.ts';
import { AlertNotices, AlertSound } from './ui/alert-notices.tsx';
import { ChoiceFoot } from './ui/choice-foot.tsx';
import { ClockTime } from './ui/clock-time.tsx';
import { useCommonKeys } from './ui/common-keys.ts';
import { EmergencyBar } from './ui/emergency-bar.tsx';
import { FindButton, OpenedOver, QuickEmergency } from './ui/find-button.tsx';
import { Icon } from './ui/icon.tsx';
import { TimeSince } from './ui/time.tsx';
import { useMoreBelow } from './ui/use-more-below.ts';
import { t, tRich } from './words.ts';

/** As many as fit next to the button on a phone; the style sheet hides the others. */
const PHONE_ITEMS = 4;

export function Shell({
  session,
  children,
}: {
  readonly session: ConsoleSession;
  readonly children: ComponentChildren;
}) {
  const { path, route } = useLocation();
  useCommonKeys();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  // After following a link, keyboards and screen readers continue in the new page.
  useEffect(() => {
    if (shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [path]);
  useEffect(() => onOpenedNotification((to) => route(place(to))), [route]);
  const isBare = isBareShell.value;
  return (
    <div class={isBare ? 'shell bare' : 'shell'}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t('Skip to content')}
      </button>
      <header class="masthead">
        <a class="brand" href={place('')}>
          <Icon name="mark" />
          <span>Sluice</span>
        </a>
        <p class="org">{session.orgName}</p>
        <StaleSign />
        <QuickEmergency />
        <FindButton />
        <AlertSound />
        <Who session={session} isHere={entryAt(pathBelowConsole(path)) === ACCOUNT} />
      </header>
      <Menu path={path} />
      <main ref={main} tabIndex={-1}>
        {!isBare && <EmergencyBar />}
        {children}
        <OpenedOver />
      </main>
      <AlertNotices isListShown={path === place('alerts')} isWall={isBare} />
    </div>
  );
}

/**
 * Groups of pages. On a phone, four pages and a button that shows all groups, because people do not find items beyond the
 * screen.
 */
function Menu({ path }: { readonly path: string }) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  const menu = useRef<HTMLElement>(null);
  const isMoreBelow = useMoreBelow(menu);
  const items = MENU_PAGES.filter(({ menu, role }) => (isInMenu.value || !menu.canBeHidden) && may(role));
  const entry = entryAt(pathBelowConsole(path));
  const isHere = ({ path: to }: MenuPage) => to === entry;
  const onPhone = items.filter(({ menu }) => menu.isOnPhone).slice(0, PHONE_ITEMS);
  // On a low window, the entry can be out of sight.
  useEffect(
    () => menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [entry],
  );
  const isBelowMore = items.some((item) => !onPhone.includes(item) && isHere(item));
  return (
    <nav
      ref={menu}
      class={isOpen ? 'menu open' : 'menu'}
      aria-label={t('Console')}
      onKeyDown={({ key }) => key === 'Escape' && setIsOpen(false)}
    >
      {[null, ...MENU_GROUPS].map((group) => (
        <MenuItems
          key={group}
          title={group}
          items={items.filter(({ menu }) => menu.group === group)}
          onPhone={onPhone}
          isHere={isHere}
        />
      ))}
      <ChoiceFoot />
      <button
        type="button"
        class={isBelowMore ? 'more here' : 'more'}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="more" />
        <span>{isOpen ? t('Less') : t('More')}</span>
      </button>
      {isMoreBelow && (
        <span class="menu-below" aria-hidden="true">
          <Icon name="down" />
        </span>
      )}
    </nav>
  );
}

/** One group; `title` null: without a heading. */
function MenuItems({
  title,
  items,
  onPhone,
  isHere,
}: {
  readonly title: string | null;
  readonly items: readonly MenuPage[];
  readonly onPhone: readonly MenuPage[];
  readonly isHere: (page: MenuPage) => boolean;
}) {
  if (items.length === 0) return null;
  return (
    <div class="menu-group">
      {title !== null && <h2 id={`menu-${title}`}>{title}</h2>}
      <ul aria-labelledby={title === null ? undefined : `menu-${title}`}>
        {items.map((item) => (
          <li key={item.path} class={onPhone.includes(item) ? 'on-phone' : ''}>
            <a
              href={place(item.path)}
              aria-current={isHere(item) ? 'page' : undefined}
              onPointerEnter={() => preloadPage(place(item.path))}
            >
              <Icon name={item.menu.icon} />
              <span>{item.menu.title}</span>
              {item.path === 'alerts' && <AlertBadge />}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function AlertBadge() {
  const open = openAlerts.value;
  if (open === null || open.count === 0) return null;
  return (
    <span class="menu-badge">
      {badgeText(open)}
      <span class="off-screen"> {t('open')}</span>
    </span>
  );
}

function StaleSign() {
  const sinceEpochMs = staleSinceEpochMs.value;
  return (
    <p class="freshness" role="status">
      {sinceEpochMs !== null && (
        <span class="badge warn">
          {tRich('Not current since {time}, for {duration}', {
            time: <ClockTime epochMs={sinceEpochMs} />,
            duration: <TimeSince epochMs={sinceEpochMs} />,
          })}
        </span>
      )}
    </p>
  );
}

function Who({
  session: { person, hasPasskey },
  isHere,
}: {
  readonly session: ConsoleSession;
  /** Whether the page of one's own account is open. */
  readonly isHere: boolean;
}) {
  return (
    <div class="who">
      {!person.hasPassword && !hasPasskey && (
        <a class="badge warn" href={place('account')}>
          {t('Set a password')}
        </a>
      )}
      <a class="account" href={place(ACCOUNT)} aria-current={isHere ? 'page' : undefined}>
        <Icon name="person" />
        <span class="off-screen">{t('Your account:')} </span>
        <span class="account-name">
          <b>{person.name}</b>
          {ROLE_NAMES[person.role]}
        </span>
      </a>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        {t('Sign out')}
      </button>
    </div>
  );
}
