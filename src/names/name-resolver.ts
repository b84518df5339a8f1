/**
 * Addresses of names that organizations chose: those of cameras and of webhooks. `dns.lookup` waits in one of two threads of
 * the process for as long as the system does, up to 10 s and more, so four cameras with a silent name server would delay every other
 * name. This asks name servers without a thread, with a deadline, and remembers what they said. Like the system, it looks into
 * hosts(5) first and follows the search rules of resolv.conf(5). Names of .local (RFC 6762), which only the system can find,
 * are looked up by it, one at a time.
 */

import { isIPv4 } from 'node:net';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { FairQueue } from '../core/fair-queue.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { type HostTable, type SearchRules, searchedNames } from './host-files.ts';

/** Shaped like the addresses of `dns.lookup`. */
export interface NamedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** One address record and how long it may be remembered. */
export interface AddressRecord {
  readonly address: string;
  readonly ttlSec: number;
}

/** Asks name servers. Fails with the codes of `node:dns`. */
export type QueryAddresses = (name: string, family: 4 | 6) => Promise<readonly AddressRecord[]>;

/** The machine's own knowledge of names, without name servers. */
export interface LocalNames {
  readonly hosts: HostTable;
  readonly search: SearchRules;
}

export interface NameResolverOptions {
  readonly clock: Clock;
  readonly query: QueryAddresses;
  readonly readLocalNames: () => Promise<LocalNames>;
  /** Asks the system, for names of .local. */
  readonly lookUpLocally: (name: string) => Promise<readonly NamedAddress[]>;
}

/** Deadline of a name, no matter which servers have to be asked. */
export const NAME_DEADLINE_MS = 5_000;
/** How long the other family may take once one has answered (RFC 8305 §3). */
export const OTHER_FAMILY_MS = 50;
const FAMILIES = [4, 6] as const;
const MIN_KEPT_MS = 1_000;
const MAX_KEPT_MS = 60_000;
/** A name that does not exist, or whose server is silent. */
export const FAILURE_KEPT_MS = 5_000;
const LOCAL_NAMES_MS = 10_000;
const MAX_KEPT_NAMES = 4_096;
const LOOPBACK: readonly NamedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

interface Known {
  readonly addresses: Promise<readonly NamedAddress[]>;
  /** Infinity while it is being found. */
  untilMonoMs: number;
}

interface Found {
  readonly addresses: readonly NamedAddress[];
  readonly keepMs: number;
}

export class NameResolver {
  readonly #clock: Clock;
  readonly #options: NameResolverOptions;
  readonly #lookups = new Pool(LIMITS.nameLookups);
  readonly #locally = new FairQueue({ places: 1 });
  /** Least recently asked first. */
  readonly #known = new Map<string, Known>();
  #localNames: Promise<LocalNames> | null = null;
  #localNamesUntilMonoMs = 0;

  constructor(options: NameResolverOptions) {
    this.#clock = options.clock;
    this.#options = options;
  }

  /**
   * IPv4 first; at least one. `organization`: on whose behalf. Fails with the code ENOTFOUND for a name that does not
   * exist or has no address, ETIMEOUT after NAME_DEADLINE_MS, TOO_MANY_LOOKUPS, or what a name server said.
   */
  addressesOf(name: string, organization: string): Promise<readonly NamedAddress[]> {
    const key = name.toLowerCase();
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known !== undefined && this.#clock.monoMs() < known.untilMonoMs) {
      this.#known.set(key, known);
      return known.addresses;
    }
    const place = this.#lookups.take({ organization });
    if (!place.isTaken) return Promise.reject(new NameError('TOO_MANY_LOOKUPS'));
    const finding = this.#inTime(this.#find(key, organization));
    const entry: Known = {
      addresses: finding.then(({ addresses }) => addresses),
      untilMonoMs: Number.POSITIVE_INFINITY,
    };
    const keepFor = (ms: number) => {
      place.giveBack();
      entry.untilMonoMs = this.#clock.monoMs() + ms;
    };
    finding.then(
      ({ keepMs }) => keepFor(keepMs),
      () => keepFor(FAILURE_KEPT_MS),
    );
    // Those who asked get the failure. Without any, it is not an unhandled one.
    entry.addresses.catch(() => undefined);
    this.#known.set(key, entry);
    if (this.#known.size > MAX_KEPT_NAMES) this.#known.delete(this.#known.keys().next().value!);
    return entry.addresses;
  }

  async #find(name: string, organization: string): Promise<Found> {
    const { hosts, search } = await this.#ownNames();
    const listed = hosts.get(name.replace(/\.$/u, ''));
    if (listed !== undefined) return { addresses: ordered(listed), keepMs: MIN_KEPT_MS };
    // RFC 6761 §6.3.
    if (/(?:^|\.)localhost\.?$/u.test(name)) return { addresses: LOOPBACK, keepMs: MAX_KEPT_MS };
    if (/\.local\.?$/u.test(name)) {
      const turn = { group: organization, member: organization };
      const addresses = await this.#locally.run(turn, () => this.#options.lookUpLocally(name));
      if (addresses === null) throw new NameError('TOO_MANY_LOOKUPS');
      return { addresses, keepMs: MAX_KEPT_MS };
    }
    let failure: unknown = new NameError('ENOTFOUND');
    for (const searched of searchedNames(name, search)) {
      try {
        return await this.#ask(searched);
      } catch (error) {
        failure = error;
        if (!isUnknown(error)) break;
      }
    }
    throw failure;
  }

  /** Both families at the same time. */
  async #ask(name: string): Promise<Found> {
    const records: AddressRecord[] = [];
    const failures: unknown[] = [];
    const { promise: isEnough, resolve } = Promise.withResolvers<void>();
    let otherFamily: TimerHandle | null = null;
    let open = FAMILIES.length;
    const ended = () => {
      open -= 1;
      if (open === 0) resolve();
      else if (records.length > 0) otherFamily = this.#clock.after(OTHER_FAMILY_MS, resolve);
    };
    for (const family of FAMILIES) {
      this.#options
        .query(name, family)
        .then(
          (found) => void records.push(...found),
          (error: unknown) => void failures.push(error),
        )
        .finally(ended);
    }
    await isEnough;
    (otherFamily as TimerHandle | null)?.cancel();
    if (records.length === 0) throw failures.find((error) => !isUnknown(error)) ?? new NameError('ENOTFOUND');
    const ttlMs = 1_000 * Math.min(...records.map(({ ttlSec }) => ttlSec));
    return {
      addresses: ordered(records.map(({ address }) => address)),
      keepMs: Math.min(MAX_KEPT_MS, Math.max(MIN_KEPT_MS, ttlMs)),
    };
  }

  #inTime(finding: Promise<Found>): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const timer = this.#clock.after(NAME_DEADLINE_MS, () => reject(new NameError('ETIMEOUT')));
    finding.then(resolve, reject);
    return promise.finally(() => timer.cancel());
  }

  #ownNames(): Promise<LocalNames> {
    const nowMonoMs = this.#clock.monoMs();
    if (this.#localNames === null || nowMonoMs >= this.#localNamesUntilMonoMs) {
      this.#localNames = this.#options.readLocalNames();
      this.#localNamesUntilMonoMs = nowMonoMs + LOCAL_NAMES_MS;
    }
    return this.#localNames;
  }
}

/** IPv4 first: what most cameras have. */
function ordered(addresses: readonly string[]): readonly NamedAddress[] {
  return addresses
    .map((address): NamedAddress => ({ address, family: isIPv4(address) ? 4 : 6 }))
    .sort((a, b) => a.family - b.family);
}

/** The name does not exist, or has no address of the family. */
function isUnknown(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

/** Why a name has no address, with a code of `node:dns`. Shaped like its errors, because `net.connect` passes both on. */
export class NameError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The name was not resolved: ${code}.`);
    this.name = 'NameError';
    this.code = code;
  }
}
