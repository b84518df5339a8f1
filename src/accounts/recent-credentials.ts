/**
 * Credentials that were read recently, by the hash of their text, with shares by organization. If there is no room, the organization with
 * the most entries loses the one that it read longest ago. Otherwise one organization's thousand keys would displace those of another,
 * which could then end no access while the store is unavailable.
 */

import type { Ruuid } from '../core/ruuid.ts';

interface Entry<Value> {
  readonly value: Value;
  readonly orgUuid: Ruuid;
}

export class RecentCredentials<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<Value>>();
  /** By organization, in the order in which they were read. */
  readonly #hashes = new Map<Ruuid, Set<string>>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(hash: string): Value | undefined {
    return this.#entries.get(hash)?.value;
  }

  has(hash: string): boolean {
    return this.#entries.has(hash);
  }

  put(hash: string, orgUuid: Ruuid, value: Value): void {
    this.delete(hash);
    if (this.#entries.size >= this.#maxEntries) this.#makeRoom();
    this.#entries.set(hash, { value, orgUuid });
    const own = this.#hashes.get(orgUuid);
    if (own === undefined) this.#hashes.set(orgUuid, new Set([hash]));
    else own.add(hash);
  }

  delete(hash: string): void {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return;
    this.#entries.delete(hash);
    const own = this.#hashes.get(entry.orgUuid);
    own?.delete(hash);
    if (own?.size === 0) this.#hashes.delete(entry.orgUuid);
  }

  /** Those whose value is one of these. */
  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [hash, { value }] of this.#entries) if (isGone(value)) this.delete(hash);
  }

  clear(): void {
    this.#entries.clear();
    this.#hashes.clear();
  }

  #makeRoom(): void {
    let most: ReadonlySet<string> = new Set();
    for (const own of this.#hashes.values()) if (own.size > most.size) most = own;
    for (const oldest of most) {
      this.delete(oldest);
      return;
    }
  }
}
