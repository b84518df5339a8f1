/**
 * The domains of email addresses whose people sign in at a provider, by OpenID Connect or by SAML. A domain leads to one provider of the
 * whole gateway. If the gateway has several organizations, one of them first proves by a TXT record that the domain is its own: otherwise it
 * could send the people of another one to a page of its own (docs/design/saml.md).
 */

import { actAs, GATEWAY_PRINCIPAL } from '../audit/acting-principal.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { OIDC_ERRORS } from './errors.ts';

/** Of one provider. */
export const MAX_DOMAINS = 20;
const DOMAIN = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const DAY_MS = 86_400_000;
/** Records are looked for often as long as someone may have just added one. */
const SOON_MS = 10 * 60_000;
const SOON_FOR_MS = 3 * DAY_MS;
/** A domain whose record has been missing for so long no longer leads to the provider. */
export const MISSING_MS = 7 * DAY_MS;

interface DomainBody {
  /** It waits for its record. Absent: it leads to the provider. */
  readonly isPending?: true;
  /** When a record proved it first. Absent: it needed no proof when it was added. */
  readonly provenAtMs?: number;
  /** When name servers last said whether there is a record. */
  readonly checkedAtMs?: number;
  /** Since when the record that proved it is missing. Absent: it is not. */
  readonly missingSinceMs?: number;
}

/** The domain is its name, the provider its parent. */
const DOMAINS: ResourceKind<DomainBody> = resourceKind('signInDomain');
type DomainRow = Resource<DomainBody>;

/** A provider of an organization. */
export interface DomainHolder {
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
}

/** A domain of a provider, and the record that proves it. */
export interface DomainProof {
  readonly domain: string;
  readonly providerUuid: Ruuid;
  /** It leads to the provider. */
  readonly isWorking: boolean;
  readonly recordName: string;
  readonly recordText: string;
}

export interface SignInDomainsOptions {
  readonly store: Pick<Store, 'resources'>;
  /** Whether an organization must prove that a domain is its own. */
  readonly isProofNeeded: () => Promise<boolean>;
  /** TXT records of a name. */
  readonly textsOf: (name: string, organization: string) => Promise<readonly string[]>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly log: Log;
}

export class SignInDomains {
  readonly #options: SignInDomainsOptions;
  readonly #rows: ResourceRepository<DomainBody>;

  constructor(options: SignInDomainsOptions) {
    this.#options = options;
    this.#rows = options.store.resources.of(DOMAINS);
  }

  /** The provider to which a domain leads, of any organization; null: to none. */
  async holderOf(domain: string): Promise<DomainHolder | null> {
    const row = await this.#rows.findEverywhere(workingUuid(domain.toLowerCase()));
    return row?.parentUuid == null ? null : { orgUuid: row.orgUuid, uuid: row.parentUuid };
  }

  /** Domains that lead to the provider. */
  async workingOf({ orgUuid, uuid }: DomainHolder): Promise<string[]> {
    const rows = await this.#rows.listByParent(orgUuid, uuid);
    return rows.filter(({ body }) => body.isPending !== true).map(({ name }) => name);
  }

  /** Of all providers of the organization. */
  async proofs(orgUuid: Ruuid): Promise<DomainProof[]> {
    return (await this.#rows.list(orgUuid)).flatMap((row) => (row.parentUuid === null ? [] : [proofOf(row)]));
  }

  /**
   * `domains`: checked. Those that need a proof wait for it. Fails SIGN_IN_DOMAIN_TAKEN. Of two who claim a domain at the same time, the
   * earlier one has it.
   */
  async claim(holder: DomainHolder, domains: readonly string[]): Promise<void> {
    const { orgUuid, uuid: parentUuid } = holder;
    const isPending = await this.#options.isProofNeeded();
    const own = await this.#rows.list(orgUuid);
    const known = new Map(own.map((row) => [row.name, row]));
    if (domains.some((domain) => (known.get(domain)?.parentUuid ?? parentUuid) !== parentUuid)) throw taken();
    const wanted = domains.filter((domain) => !known.has(domain));
    if (!isPending && (await this.#workingElsewhere(orgUuid, wanted)).length > 0) throw taken();
    const nowMs = this.#options.clock.epochMs();
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    for (const name of wanted) {
      const uuid = isPending ? pendingUuid(name) : workingUuid(name);
      const body: DomainBody = isPending ? { isPending: true } : {};
      const row: DomainRow = { uuid, orgUuid, name, parentUuid, secret: null, body, ...times };
      const { after } = await this.#rows.change(orgUuid, uuid, (there) => there ?? row);
      if (after?.parentUuid === parentUuid) continue;
      await this.release(holder, wanted);
      throw taken();
    }
    if (isPending) return;
    const others = await this.#workingElsewhere(orgUuid, wanted);
    if (!others.some((other) => other.createdAtMs < nowMs || other.orgUuid <= orgUuid)) return;
    await this.release(holder, wanted);
    throw taken();
  }

  /** Those that the provider has of them. */
  async release({ orgUuid, uuid }: DomainHolder, domains: readonly string[]): Promise<void> {
    for (const row of await this.#rows.listByParent(orgUuid, uuid)) {
      if (domains.includes(row.name)) await this.#rows.remove(orgUuid, row.uuid);
    }
  }

  /** All of a provider that is being removed. */
  async releaseAll({ orgUuid, uuid }: DomainHolder): Promise<void> {
    for (const row of await this.#rows.listByParent(orgUuid, uuid)) {
      await this.#rows.remove(orgUuid, row.uuid);
    }
  }

  /**
   * Looks for the record of a domain that waits, and leads to the provider from now on. The newest proof counts: another organization that
   * had the domain waits again. Fails SIGN_IN_DOMAIN_UNKNOWN, SIGN_IN_DOMAIN_UNPROVEN, SIGN_IN_DOMAIN_UNREACHABLE.
   */
  async check(orgUuid: Ruuid, domain: string): Promise<DomainProof> {
    const name = domain.trim().toLowerCase();
    const row = (await this.#rows.list(orgUuid)).find((each) => each.name === name);
    if (row === undefined) throw new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_UNKNOWN);
    if (row.body.isPending !== true) return proofOf(row);
    const isProven = await this.#hasRecord(row);
    const isFree =
      !(await this.#options.isProofNeeded()) && (await this.#workingElsewhere(orgUuid, [name])).length === 0;
    if (!isProven && !isFree) {
      await this.#note(row, {});
      throw new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_UNPROVEN);
    }
    return proofOf(await this.#work(row, isProven));
  }

  /** All that may have got a record, or lost it. A failure does not hold up the others. */
  async checkDue(): Promise<void> {
    const nowMs = this.#options.clock.epochMs();
    for (const row of await this.#rows.listEverywhere()) {
      const { isPending, provenAtMs, checkedAtMs = 0 } = row.body;
      if (isPending !== true && provenAtMs === undefined) continue;
      const isSoon = isPending === true && nowMs - row.createdAtMs < SOON_FOR_MS;
      if (nowMs - checkedAtMs < (isSoon ? SOON_MS : DAY_MS)) continue;
      const { orgUuid, name } = row;
      await (isPending === true ? this.check(orgUuid, name) : this.#recheck(row)).catch(() => undefined);
    }
  }

  /** A record that is missing may come back: people are not locked out by a mistake of a moment. */
  async #recheck(row: DomainRow): Promise<void> {
    const { orgUuid, name, body } = row;
    const nowMs = this.#options.clock.epochMs();
    if (await this.#hasRecord(row)) {
      const { missingSinceMs: _, ...found } = body;
      await this.#rows.change(orgUuid, row.uuid, (now) =>
        now === null ? 'unchanged' : { ...now, body: { ...found, checkedAtMs: nowMs } },
      );
      return;
    }
    const missingSinceMs = body.missingSinceMs ?? nowMs;
    if (nowMs - missingSinceMs < MISSING_MS) await this.#note(row, { missingSinceMs });
    else {
      this.#options.log.warn({ orgUuid, domain: name }, 'domain of a sign-in provider no longer proven');
      await this.#wait(row);
    }
  }

  /** Fails SIGN_IN_DOMAIN_UNREACHABLE. */
  async #hasRecord({ orgUuid, name }: DomainRow): Promise<boolean> {
    const wanted = recordTextOf(orgUuid, name);
    const texts = await this.#options.textsOf(recordNameOf(name), orgUuid).catch((cause: unknown) => {
      throw new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_UNREACHABLE, {}, cause);
    });
    return texts.some((text) => text.trim() === wanted);
  }

  async #note(row: DomainRow, facts: Partial<DomainBody>): Promise<void> {
    const checkedAtMs = this.#options.clock.epochMs();
    await this.#rows.change(row.orgUuid, row.uuid, (now) =>
      now === null ? 'unchanged' : { ...now, body: { ...now.body, ...facts, checkedAtMs } },
    );
  }

  /** It leads to its provider from now on, and to no other. */
  async #work(row: DomainRow, isProven: boolean): Promise<DomainRow> {
    const { orgUuid, name } = row;
    const nowMs = this.#options.clock.epochMs();
    const body: DomainBody = isProven ? { provenAtMs: nowMs, checkedAtMs: nowMs } : {};
    const working: DomainRow = { ...row, uuid: workingUuid(name), body, updatedAtMs: nowMs };
    for (const other of await this.#workingElsewhere(orgUuid, [name])) {
      // The trail of another organization must not name who has taken its domain.
      await actAs(GATEWAY_PRINCIPAL, () => this.#wait(other));
    }
    await this.#rows.change(orgUuid, working.uuid, () => working);
    await this.#rows.remove(orgUuid, row.uuid);
    return working;
  }

  /** It waits for its record again. */
  async #wait(row: DomainRow): Promise<void> {
    const { orgUuid, name } = row;
    const nowMs = this.#options.clock.epochMs();
    const body: DomainBody = { isPending: true, checkedAtMs: nowMs };
    const pending: DomainRow = {
      ...row,
      uuid: pendingUuid(name),
      body,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#rows.change(orgUuid, pending.uuid, () => pending);
    await this.#rows.remove(orgUuid, row.uuid);
  }

  async #workingElsewhere(orgUuid: Ruuid, domains: readonly string[]): Promise<DomainRow[]> {
    if (domains.length === 0) return [];
    const wanted = new Set(domains.map(workingUuid));
    const all = await this.#rows.listEverywhere();
    return all.filter((row) => wanted.has(row.uuid) && row.orgUuid !== orgUuid);
  }
}

/** Each once, in lower case. Fails SIGN_IN_DOMAIN_INVALID. */
export function checkedDomains(domains: readonly string[]): string[] {
  const checked = [...new Set(domains.map((domain) => domain.trim().toLowerCase().replace(/^@/, '')))];
  const wrong = checked.find((domain) => !DOMAIN.test(domain));
  if (wrong !== undefined) throw new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_INVALID);
  return checked;
}

function proofOf({ orgUuid, name, parentUuid, body }: DomainRow): DomainProof {
  return {
    domain: name,
    providerUuid: parentUuid!,
    isWorking: body.isPending !== true,
    recordName: recordNameOf(name),
    recordText: recordTextOf(orgUuid, name),
  };
}

function recordNameOf(domain: string): string {
  return `_sluice-domain.${domain}`;
}

/** The same for an organization and a domain, whichever provider it is for. Anyone can read it; only the domain's owner can publish it. */
function recordTextOf(orgUuid: Ruuid, domain: string): string {
  return `sluice-domain=${deriveRuuid(`proof of a domain ${orgUuid}`, domain)}`;
}

/** One of the whole gateway. The text is older than providers of OpenID Connect. */
function workingUuid(domain: string): Ruuid {
  return deriveRuuid('saml domain', domain);
}

/** One of each organization. */
function pendingUuid(domain: string): Ruuid {
  return deriveRuuid('pending sign-in domain', domain);
}

function taken(): GatewayError {
  return new GatewayError(OIDC_ERRORS.SIGN_IN_DOMAIN_TAKEN);
}
