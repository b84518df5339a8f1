/** Everything within the document: the way in, or the console of who is signed in. */

import { Component, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { watchAlerts } from './alert-watch.ts';
import { follow, onLive, stopFollowing } from './changes.ts';
import { watchEmergencies } from './emergency-list.ts';
import { PageMissing } from './lazy-page.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { PAGES } from './pages.ts';
import { CONSOLE_BASE, place } from './places.ts';
import { renewPush } from './push-browser.ts';
import { type ConsoleSession, checkSession, loadSession, may, sessionState } from './session.ts';
import { Shell } from './shell.tsx';
import { ErrorNotice, Notice, Silence } from './ui/notice.tsx';
import { t, tRich } from './words.ts';

export function App() {
  const state = sessionState.value;
  switch (state.kind) {
    case 'unknown':
      return (
        <p class="boot" role="status">
          {t('Opening the console…')}
          <Silence />
        </p>
      );
    case 'unreachable':
      return (
        <main class="boot">
          <ErrorNotice error={state.error} retry={() => void loadSession()} />
        </main>
      );
    case 'signed-out':
      return <SignInPage />;
    case 'signed-in':
      return <Console session={state.session} />;
  }
}

function Console({ session }: { readonly session: ConsoleSession }) {
  useEffect(() => {
    // The gateway ends the connection with the session.
    follow(session.orgUuid, () => void checkSession());
    const stopWatching = watchAlerts();
    const stopEmergencies = watchEmergencies();
    // A browser without a push service, or a gateway that is busy: the next visit renews it.
    renewPush(session.person.personUuid).catch(() => undefined);
    return () => {
      stopWatching();
      stopEmergencies();
      stopFollowing();
    };
  }, [session.orgUuid, session.person.personUuid]);
  return (
    <LocationProvider scope={CONSOLE_BASE}>
      <Shell session={session}>
        <PageBoundary>
          <Router>
            {PAGES.filter(({ role }) => may(role)).map(({ path, component }) => (
              <Route key={path} path={place(path)} component={component} />
            ))}
            <Route default component={UnknownPage} />
          </Router>
        </PageBoundary>
      </Shell>
    </LocationProvider>
  );
}

/** A page that fails, or cannot be loaded, leaves the menu, and other pages open. */
function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  return <FailureBoundary path={path}>{children}</FailureBoundary>;
}

interface Failed {
  readonly path: string;
  readonly failure: Error;
}

/** Preact passes an error only to components with `componentDidCatch`; otherwise it reaches the window. */
class FailureBoundary extends Component<
  { readonly path: string; readonly children: ComponentChildren },
  { readonly failed: Failed | null }
> {
  override state = { failed: null as Failed | null };

  override componentDidCatch(failure: Error): void {
    this.setState({ failed: { path: this.props.path, failure } });
  }

  override componentDidUpdate({ path }: { readonly path: string }): void {
    if (path !== this.props.path && this.state.failed !== null) this.setState({ failed: null });
  }

  override render() {
    const { failed } = this.state;
    if (failed?.path === this.props.path) return <PageFailure failure={failed.failure} />;
    return <ErrorBoundary>{this.props.children}</ErrorBoundary>;
  }
}

function PageFailure({ failure }: { readonly failure: Error }) {
  const isMissing = failure instanceof PageMissing;
  useEffect(() => {
    if (!isMissing) return;
    // Not at first: a page that never comes would load the document again and again.
    return onLive((isFirst) => {
      if (!isFirst) location.reload();
    });
  }, [isMissing]);
  return (
    <Notice isPage title={isMissing ? t('This page could not be loaded') : t('This page failed')}>
      <p>{failure.message}</p>
      <button type="button" onClick={() => location.reload()}>
        {t('Reload')}
      </button>
    </Notice>
  );
}

function UnknownPage() {
  return (
    <Notice isPage title={t('There is no such page')}>
      <p>
        {tRich('The address may be old, or your role cannot open it. <link>See the cameras</link>', {
          link: (text) => <a href={place('')}>{text}</a>,
        })}
      </p>
    </Notice>
  );
}
