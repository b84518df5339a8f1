/** The session of the person who is signed in. */

import { computed, effect, signal } from '@preact/signals';
import { type Answer, CallError, call, noteSignIn, onSignedOut } from './api.ts';
import { openFirstSteps } from './first-steps-choice.ts';
import { place } from './places.ts';
import { turnOffPush } from './push-browser.ts';

type SessionResponse = Answer<'console/getSession'>;

export type Role = Person['role'];

/** Without a password or a passkey, they can return only by another link. */
export type Person = NonNullable<SessionResponse['person']>;

export interface ConsoleSession {
  readonly person: Person;
  readonly orgUuid: string;
  readonly orgName: string;
  readonly publicMediaUrl: string;
  /** null: there is no street map. */
  readonly mapTiles: NonNullable<SessionResponse['mapTiles']> | null;
  /** Whether the gateway has a mail server. */
  readonly sendsMail: boolean;
  /** Whether they can return with a passkey. */
  readonly hasPasskey: boolean;
}

export type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'unreachable'; readonly error: CallError }
  | { readonly kind: 'signed-in'; readonly session: ConsoleSession };

export const sessionState = signal<SessionState>({ kind: 'unknown' });

/** Null if the browser is not signed in. */
export const session = computed(() =>
  sessionState.value.kind === 'signed-in' ? sessionState.value.session : null,
);

/** Set while someone is signed in here. It only says that a page is worth loading early; the cookie decides. */
const SIGNED_IN_KEY = 'sluice.signedIn';

export function wasSignedIn(): boolean {
  return localStorage.getItem(SIGNED_IN_KEY) !== null;
}

effect(() => {
  const { kind } = sessionState.value;
  if (kind === 'signed-in') {
    localStorage.setItem(SIGNED_IN_KEY, '');
    noteSignIn();
  }
  if (kind === 'signed-out') localStorage.removeItem(SIGNED_IN_KEY);
});

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether the person may do what this role allows. The gateway decides; this only hides what it would refuse. */
export function may(role: Role): boolean {
  const current = session.value;
  return current !== null && RANK[current.person.role] >= RANK[role];
}

/** Whether the person sees only chosen sites and cameras. */
export function isLimited(): boolean {
  return session.value?.person.scope !== undefined;
}

/** Text of the button for single sign-on; null: there is none, or the gateway cannot be reached. */
export async function loadSsoLabel(): Promise<string | null> {
  try {
    return (await call('console/getSession')).ssoLabel ?? null;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return null;
  }
}

/** Asks the gateway who is signed in. `before`: called before the console opens. */
export async function loadSession(before?: (session: ConsoleSession) => void): Promise<void> {
  try {
    const state = await askSession();
    if (state.kind === 'signed-in') before?.(state.session);
    sessionState.value = state;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    sessionState.value = { kind: 'unreachable', error };
  }
}

/**
 * Checks whether that, or what the person may do and see, has changed. Open pages stay open until the gateway reports it.
 */
export async function checkSession(): Promise<void> {
  try {
    const state = await askSession();
    if (state.kind !== 'signed-in' || rightsOf(state) !== rightsOf(sessionState.value)) {
      sessionState.value = state;
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
  }
}

/** Equal for equal rights. */
function rightsOf(state: SessionState): string {
  if (state.kind !== 'signed-in') return state.kind;
  const { role, scope } = state.session.person;
  return JSON.stringify([role, scope]);
}

/** Fails with a CallError. */
async function askSession(): Promise<SessionState> {
  const response = await call('console/getSession');
  const { person, organization, publicMediaUrl, mapTiles = null, sendsMail, hasPasskey = false } = response;
  if (person === undefined || organization === undefined) return { kind: 'signed-out' };
  return {
    kind: 'signed-in',
    session: {
      person,
      orgUuid: organization.uuid,
      orgName: organization.name,
      publicMediaUrl,
      mapTiles,
      sendsMail,
      hasPasskey,
    },
  };
}

export type SignIn = { readonly oneTimeCode: string } | { readonly email: string; readonly password: string };

/** Fails with a CallError. */
export async function signIn(credentials: SignIn): Promise<void> {
  await call('console/signIn', credentials);
  await loadSession('oneTimeCode' in credentials ? openFirstSteps : undefined);
}

/** Joins with the token of an invitation, and signs in. Fails with a CallError. */
export async function acceptInvite(inviteToken: string, name: string, password: string): Promise<void> {
  await call('console/acceptInvite', { inviteToken, name, password });
  await loadSession();
}

export type SignInProvider = NonNullable<Answer<'console/findSignInProvider'>['provider']>;

/** The provider of an email address's domain; null: there is none. Fails with a CallError. */
export async function findSignInProvider(email: string, signal: AbortSignal): Promise<SignInProvider | null> {
  return (await call('console/findSignInProvider', { email }, signal)).provider ?? null;
}

/** Leaves the console if the person is still signed in at the provider: that session ends there. */
export async function signOut(): Promise<void> {
  const { providerEndPath } = await call('console/signOut');
  await turnOffPush().catch(() => undefined);
  if (providerEndPath !== undefined) location.assign(place(providerEndPath.replace('/console/', '')));
  sessionState.value = { kind: 'signed-out' };
}

onSignedOut(() => {
  sessionState.value = { kind: 'signed-out' };
});
