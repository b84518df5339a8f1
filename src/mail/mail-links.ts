/**
 * Links in mails. One to an alert leads to the console, where the reader signs in: a mail is stored and passed on, so it opens nothing by
 * itself. One to end mails works without signing in (RFC 8058), and does only that. Both are sealed, and expire.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { SealedValues } from '../oidc/sign-in-attempt.ts';

const DAY_MS = 24 * 60 * 60_000;
export const ALERT_LINK_MS = 7 * DAY_MS;
/** Programs keep mails for long, and their button must still work. */
export const UNSUBSCRIBE_MS = 400 * DAY_MS;
export const ALERT_LINK_PATH = '/mail/alert';
export const UNSUBSCRIBE_PATH = '/mail/unsubscribe';

interface AlertLink {
  /** null: the page of all alerts. */
  readonly alert: string | null;
  readonly expiresAtMs: number;
}

export interface UnsubscribeLink {
  readonly orgUuid: Ruuid;
  readonly personUuid: Ruuid;
  readonly expiresAtMs: number;
}

export interface MailLinksOptions {
  readonly key: Uint8Array;
  readonly publicApiUrl: string;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class MailLinks {
  readonly consoleUrl: string;
  readonly #base: string;
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #alerts: SealedValues<AlertLink>;
  readonly #unsubscribes: SealedValues<UnsubscribeLink>;

  constructor({ key, publicApiUrl, clock }: MailLinksOptions) {
    this.#base = withoutTrailingSlashes(publicApiUrl);
    this.consoleUrl = `${this.#base}/console/`;
    this.#clock = clock;
    this.#alerts = new SealedValues(key, 'mail alert', clock);
    this.#unsubscribes = new SealedValues(key, 'mail unsubscribe', clock);
  }

  alertUrl(alert: string | null): string {
    const expiresAtMs = this.#clock.epochMs() + ALERT_LINK_MS;
    return this.#url(ALERT_LINK_PATH, this.#alerts.seal({ alert, expiresAtMs }));
  }

  /** Where the link leads; null: it has expired, or is not ours. */
  alertTarget(token: string): string | null {
    const opened = this.#alerts.open(token);
    if (opened === null) return null;
    const query = opened.alert === null ? '' : `?alert=${encodeURIComponent(opened.alert)}`;
    return `${this.consoleUrl}alerts${query}`;
  }

  unsubscribeUrl(orgUuid: Ruuid, personUuid: Ruuid): string {
    const expiresAtMs = this.#clock.epochMs() + UNSUBSCRIBE_MS;
    return this.#url(UNSUBSCRIBE_PATH, this.#unsubscribes.seal({ orgUuid, personUuid, expiresAtMs }));
  }

  /** null: it has expired, or is not ours. */
  unsubscribing(token: string): UnsubscribeLink | null {
    return this.#unsubscribes.open(token);
  }

  #url(path: string, token: string): string {
    return `${this.#base}${path}?token=${token}`;
  }
}
