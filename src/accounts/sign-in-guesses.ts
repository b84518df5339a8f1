/**
 * How many guesses someone has left. A lock that anyone can close could keep a person out, so attempts are counted separately:
 *
 * - of a browser in which the person has signed in before: its own, which others cannot use;
 * - of one address with one email address: an office's address does not lock people elsewhere;
 * - of all other browsers together with one email address: at most 100 in a row (NIST SP 800-63B §5.2.2). So guessing from many addresses
 *   is limited, too, and locks only browsers that the person has never used;
 * - failures of one address, with every kind of credential.
 */

import { GatewayError } from '../core/errors.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { ConsoleClient } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import type { KnownBrowser, KnownBrowsers } from './known-browsers.ts';

/** Passwords from browsers that are known wait apart from those of strangers. */
export const KNOWN_BROWSERS_TURN = 'sign-in of known browsers';

/** Someone's guesses (counters/rate-limiter.ts). */
export interface GuessLimiter {
  take(key: string): Promise<GuessVerdict>;
  peek(key: string): Promise<GuessVerdict>;
}

interface GuessVerdict {
  readonly isAllowed: boolean;
  readonly retryAfterSec: number;
}

export interface SignInLimiters {
  /** Failures of one address, with every kind of credential. */
  readonly perAddress: GuessLimiter;
  /** Attempts of one browser or address with one email address. */
  readonly perPerson: GuessLimiter;
  /** Attempts of all unknown browsers with one email address. */
  readonly strangers: GuessLimiter;
}

/** The place in the queue of password comparisons. */
export interface GuessTurn {
  readonly group: string;
  readonly member: string;
}

export class SignInGuesses {
  readonly #limiters: SignInLimiters;
  readonly #browsers: Pick<KnownBrowsers, 'find'>;

  constructor(limiters: SignInLimiters, browsers: Pick<KnownBrowsers, 'find'>) {
    this.#limiters = limiters;
    this.#browsers = browsers;
  }

  /** Where an attempt with a password waits for its turn. `key`: as `emailKey` writes the email address. */
  turnOf(key: string, client: ConsoleClient): GuessTurn {
    const browser = this.#browserOf(client, key);
    return browser === null
      ? { group: 'sign-in', member: subscriberOf(client.address) }
      : { group: KNOWN_BROWSERS_TURN, member: browser.name };
  }

  /** Takes a guess, before the password is looked at: parallel ones count. Fails SIGN_IN_LIMITED. */
  async takeFor(key: string, client: ConsoleClient): Promise<void> {
    const { perPerson, strangers } = this.#limiters;
    const browser = this.#browserOf(client, key);
    if (browser !== null) {
      expectAllowed(await perPerson.take(browserKey(browser)));
      return;
    }
    // An address that has none left takes none of all.
    expectAllowed(await perPerson.take(`${key} ${subscriberOf(client.address)}`));
    expectAllowed(await strangers.take(key));
  }

  /** A client that failed too often gets no further guess. `key`: null if the request does not name a person yet. Fails SIGN_IN_LIMITED. */
  async expectAllowed(client: ConsoleClient, key: string | null = null): Promise<void> {
    const browser = this.#browserOf(client, key);
    const { perAddress, perPerson } = this.#limiters;
    expectAllowed(
      browser === null
        ? await perAddress.peek(subscriberOf(client.address))
        : await perPerson.peek(browserKey(browser)),
    );
  }

  async failed(client: ConsoleClient, key: string | null = null): Promise<void> {
    const browser = this.#browserOf(client, key);
    const { perAddress, perPerson } = this.#limiters;
    if (browser === null) await perAddress.take(subscriberOf(client.address));
    // Its attempt with a password was taken before.
    else if (key === null) await perPerson.take(browserKey(browser));
  }

  /** null: it is unknown, or another person's. */
  #browserOf(client: ConsoleClient, key: string | null): KnownBrowser | null {
    const browser = this.#browsers.find(client.browserProof);
    return browser !== null && (key === null || browser.isOf(key)) ? browser : null;
  }
}

function browserKey({ name }: KnownBrowser): string {
  return `browser ${name}`;
}

function expectAllowed({ isAllowed, retryAfterSec }: GuessVerdict): void {
  if (!isAllowed) throw new GatewayError(ACCOUNT_ERRORS.SIGN_IN_LIMITED, { retryAfterSec });
}
