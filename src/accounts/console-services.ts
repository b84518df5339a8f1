/** Wires up what people need to sign in to the console, and admins to manage them. */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { ConsoleCodes } from './console-codes.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { Invitations } from './invitations.ts';
import { People } from './people.ts';
import type { PasswordHasher, PersonRules } from './person-rules.ts';
import { SignIn, type SignInAudit, type SignInLimiters } from './sign-in.ts';

export interface ConsoleServices {
  readonly people: People;
  readonly invitations: Invitations;
  readonly consoleSessions: ConsoleSessions;
  readonly signIn: SignIn;
  /** Where the console's pages and the media are for people, without a trailing slash. */
  readonly consoleAddresses: ConsoleAddresses;
  /** What the button of single sign-on says; null: there is none. */
  readonly ssoLabel: string | null;
}

export interface ConsoleAddresses {
  readonly publicApiUrl: string;
  readonly publicMediaUrl: string;
}

export interface ConsoleServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly passwords: PasswordHasher;
  readonly personRules: PersonRules;
  readonly signInLimiters: SignInLimiters;
  readonly signInAudit: SignInAudit;
  readonly consoleAddresses: ConsoleAddresses;
  readonly ssoLabel: string | null;
}

export function createConsoleServices(parts: ConsoleServiceParts): ConsoleServices {
  const { store, clock, passwords, personRules: rules, signInLimiters: limiters } = parts;
  const sessions = new ConsoleSessions({ store, rules, clock });
  const codes = new ConsoleCodes({ store, clock });
  return {
    people: new People({ store, sessions, passwords, rules, guesses: limiters.perPerson }),
    invitations: new Invitations({ store, passwords, clock }),
    consoleSessions: sessions,
    signIn: new SignIn({
      ...{ store, sessions, codes, passwords, limiters, audit: parts.signInAudit },
      nowMs: () => clock.epochMs(),
    }),
    consoleAddresses: parts.consoleAddresses,
    ssoLabel: parts.ssoLabel,
  };
}
