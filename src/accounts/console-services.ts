/** Wires up what people need to sign in to the console, and admins to manage them. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../store/store.ts';
import { Confirmation } from './confirmation.ts';
import { ConsoleCodes } from './console-codes.ts';
import { ConsoleSessions } from './console-sessions.ts';
import type { CredentialRules } from './credential-rules.ts';
import { Invitations } from './invitations.ts';
import { KnownBrowsers } from './known-browsers.ts';
import { Passkeys } from './passkeys.ts';
import { People } from './people.ts';
import type { PasswordHasher } from './person-rules.ts';
import { createProviderServices, type ProviderOptions, type ProviderServices } from './provider-services.ts';
import type { HasRightsOfGroups } from './provider-sign-in.ts';
import { PushSubscriptions } from './push-subscriptions.ts';
import { relyingPartyOf } from './relying-party.ts';
import { SignIn, type SignInAudit } from './sign-in.ts';
import { SignInGuesses, type SignInLimiters } from './sign-in-guesses.ts';

const KEY_BYTES = 32;

export interface ConsoleServices extends ProviderServices {
  readonly people: People;
  readonly invitations: Invitations;
  readonly consoleSessions: ConsoleSessions;
  readonly signIn: SignIn;
  readonly knownBrowsers: KnownBrowsers;
  readonly passkeys: Passkeys;
  readonly pushSubscriptions: PushSubscriptions;
  readonly confirmation: Confirmation;
  /** Where the console's pages and the media are for people, without a trailing slash. */
  readonly consoleAddresses: ConsoleAddresses;
  /** The label of the single sign-on button; null: there is no such button. */
  readonly ssoLabel: string | null;
}

export interface ConsoleAddresses {
  readonly publicApiUrl: string;
  readonly publicMediaUrl: string;
  /** null: the console has no street map. */
  readonly mapTiles: MapTiles | null;
}

/** Where browsers get the tiles of a street map. */
export interface MapTiles {
  /** With {z}, {x}, and {y}. */
  readonly url: string;
  /** Whose map it is, for people. */
  readonly attribution: string;
  /** The largest zoom for which there are tiles. */
  readonly maxZoom: number;
}

export interface ConsoleServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly passwords: PasswordHasher;
  readonly credentialRules: CredentialRules;
  readonly signInLimiters: SignInLimiters;
  /** Seals what known browsers keep. Absent: one of this process, so they are unknown after a restart. */
  readonly knownBrowserKey?: Uint8Array | undefined;
  readonly signInAudit: SignInAudit;
  readonly consoleAddresses: ConsoleAddresses;
  readonly ssoLabel: string | null;
  readonly log: Log;
  /** Sign-ins at providers. Default: with the defaults. */
  readonly providers?: ProviderOptions | undefined;
  readonly hasRightsOfGroups?: HasRightsOfGroups | undefined;
}

export function createConsoleServices(parts: ConsoleServiceParts): ConsoleServices {
  const {
    store,
    clock,
    passwords,
    credentialRules: rules,
    signInLimiters: limiters,
    signInAudit: audit,
  } = parts;
  const { publicApiUrl } = parts.consoleAddresses;
  const party = relyingPartyOf(publicApiUrl);
  const sessions = new ConsoleSessions({ store, rules, clock });
  const codes = new ConsoleCodes({ store, clock });
  const confirmation = new Confirmation({
    store,
    passwords,
    guesses: limiters.perPerson,
    audit,
    clock,
    rpId: typeof party === 'string' ? null : party.rpId,
  });
  const invitations = new Invitations({ store, passwords, clock });
  const browsers = new KnownBrowsers(parts.knownBrowserKey ?? randomBytes(KEY_BYTES), clock);
  const guesses = new SignInGuesses(limiters, browsers);
  const signIn = new SignIn({
    store,
    sessions,
    codes,
    passwords,
    guesses,
    browsers,
    audit,
    nowMs: () => clock.epochMs(),
  });
  const people = new People({ store, sessions, passwords, rules, confirmation });
  return {
    ...createProviderServices({
      ...parts,
      people,
      sessions,
      signIn,
      confirmation,
      audit,
      publicApiUrl,
      options: parts.providers ?? {},
    }),
    people,
    invitations,
    consoleSessions: sessions,
    signIn,
    confirmation,
    knownBrowsers: browsers,
    pushSubscriptions: new PushSubscriptions({ store, clock }),
    passkeys: new Passkeys({
      store,
      clock,
      sessions,
      signIn,
      invitations,
      confirmation,
      guesses,
      audit,
      publicApiUrl,
    }),
    consoleAddresses: parts.consoleAddresses,
    ssoLabel: parts.ssoLabel,
  };
}
