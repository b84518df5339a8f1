/**
 * Checks of whether the public URL answers: a random address for each, which is valid for a short time, and from where it
 * was opened. In memory only: a restart forgets them.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';

/** The most open checks; another one ends the oldest. */
export const MAX_PUBLIC_URL_CHECKS = 32;
/** Addresses that are remembered for a check; another one replaces the one not seen for the longest time. */
export const MAX_VISITORS = 8;
export const PUBLIC_URL_CHECK_MS = 900_000;
const ID_BYTES = 16;

/** One address that opened the address of a check. */
export interface PublicUrlVisit {
  /** The client's, as limits and the audit trail know it. */
  readonly address: string;
  /** The other end of the connection: `address`, or a proxy. */
  readonly peerAddress: string;
  /** Headers of proxies that the request had, by their names in lower case. */
  readonly proxyHeaders: readonly string[];
  readonly atEpochMs: number;
}

export interface OpenedCheck {
  /** 22 characters of base64url. */
  readonly checkId: string;
  readonly endsAtEpochMs: number;
}

interface Check {
  readonly endsAtMonoMs: number;
  /** The one seen last is at the end. */
  readonly visits: Map<string, PublicUrlVisit>;
}

export class PublicUrlVisits {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #checks = new Map<string, Check>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(): OpenedCheck {
    this.#forgetEnded();
    while (this.#checks.size >= MAX_PUBLIC_URL_CHECKS) {
      this.#checks.delete(this.#checks.keys().next().value!);
    }
    const checkId = randomBytes(ID_BYTES).toString('base64url');
    this.#checks.set(checkId, {
      endsAtMonoMs: this.#clock.monoMs() + PUBLIC_URL_CHECK_MS,
      visits: new Map(),
    });
    return { checkId, endsAtEpochMs: this.#clock.epochMs() + PUBLIC_URL_CHECK_MS };
  }

  /** Returns whether there is such a check. */
  visited(checkId: string, visit: Omit<PublicUrlVisit, 'atEpochMs'>): boolean {
    const check = this.#find(checkId);
    if (check === null) return false;
    const { visits } = check;
    const key = `${visit.address} ${visit.peerAddress}`;
    visits.delete(key);
    if (visits.size >= MAX_VISITORS) visits.delete(visits.keys().next().value!);
    visits.set(key, { ...visit, atEpochMs: this.#clock.epochMs() });
    return true;
  }

  /** The last one first; null: there is no such check, or no longer. */
  visitsOf(checkId: string): readonly PublicUrlVisit[] | null {
    const check = this.#find(checkId);
    return check === null ? null : [...check.visits.values()].reverse();
  }

  #find(checkId: string): Check | null {
    this.#forgetEnded();
    return this.#checks.get(checkId) ?? null;
  }

  #forgetEnded(): void {
    const nowMonoMs = this.#clock.monoMs();
    for (const [checkId, { endsAtMonoMs }] of this.#checks) {
      if (endsAtMonoMs > nowMonoMs) return;
      this.#checks.delete(checkId);
    }
  }
}
