/**
 * The people of an organization: listed, changed, removed, and how they change their own password. A change of role takes
 * effect with the next request; a person who is disabled or removed, or whose password changes, loses their sessions.
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from '../store/access-scope.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import { type KnownPerson, knownPerson, type Person, type Role } from '../store/person.ts';
import type { KeptAdmin, Store } from '../store/store.ts';
import type { Confirmation, SignedInPerson } from './confirmation.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { CredentialRules } from './credential-rules.ts';
import { storedOrInForce } from './end-without-store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { checkedScope, expectLimitable } from './limited-rights.ts';
import { checkedEmail, checkedName, checkPassword, lastAdmin, type PasswordHasher } from './person-rules.ts';

/** Changes to a person; absent: unchanged. */
export interface PersonChanges {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly role?: Role | undefined;
  /** null: the whole organization. */
  readonly scope?: AccessScope | null | undefined;
  readonly disabled?: boolean | undefined;
}

export interface PeopleOptions {
  readonly store: Pick<Store, 'people' | 'locations' | 'cameras'>;
  readonly sessions: ConsoleSessions;
  readonly passwords: PasswordHasher;
  readonly rules: CredentialRules;
  readonly confirmation: Confirmation;
}

export class People {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** In the order in which they were added. */
  list(orgUuid: Ruuid): Promise<Person[]> {
    return this.#options.store.people.list(orgUuid);
  }

  /**
   * Disabling alone does not wait for the store. `kept`: as in `changeKeepingAdmin`. Fails PERSON_NOT_FOUND, PERSON_UNNAMED, PERSON_EMAIL_INVALID, PERSON_EMAIL_TAKEN,
   * LAST_ADMIN, ACCESS_SCOPE_UNKNOWN, ACCESS_SCOPE_OF_ADMIN, and like `storedOrInForce`.
   */
  async update(
    orgUuid: Ruuid,
    personUuid: Ruuid,
    changes: PersonChanges,
    kept?: KeptAdmin,
  ): Promise<KnownPerson> {
    const { store } = this.#options;
    const checked = {
      ...(changes.name === undefined ? {} : { name: checkedName(changes.name) }),
      ...(changes.email === undefined ? {} : { email: checkedEmail(changes.email) }),
      ...(changes.role === undefined ? {} : { role: changes.role }),
      ...(changes.scope === undefined ? {} : { scope: await checkedScope(store, orgUuid, changes.scope) }),
      ...(changes.disabled === undefined ? {} : { disabled: changes.disabled }),
    };
    const change = async () => {
      const next = (known: Person) => {
        const changed = { ...known, ...checked };
        expectLimitable(changed.role, changed.scope);
        return changed;
      };
      const person = await this.#change(orgUuid, personUuid, next, kept);
      if (person.disabled) await this.#options.sessions.endOthers(person, null);
      return knownPerson(person);
    };
    if (!isOnlyDisabling(checked)) return change();
    const end = { kind: 'person', uuid: personUuid, isRemoved: false } as const;
    const changed = await storedOrInForce(this.#options.rules, orgUuid, end, change);
    return changed.isStored ? changed.result : (changed.record as KnownPerson);
  }

  /** While the store is unavailable, too. Fails PERSON_NOT_FOUND, LAST_ADMIN, and like `storedOrInForce`. */
  async remove(orgUuid: Ruuid, personUuid: Ruuid, kept?: KeptAdmin): Promise<void> {
    const { store, rules, sessions } = this.#options;
    const decide = (known: Person | null) => {
      if (known === null) throw new GatewayError(ACCOUNT_ERRORS.PERSON_NOT_FOUND);
      return 'removed' as const;
    };
    const end = { kind: 'person', uuid: personUuid, isRemoved: true } as const;
    const removed = await storedOrInForce(rules, orgUuid, end, async () => {
      const ending = await sessions.list(orgUuid, personUuid);
      await store.people.changeKeepingAdmin(orgUuid, personUuid, decide, lastAdmin, kept);
      return ending;
    });
    if (!removed.isStored) return;
    await rules.applied({ kind: 'person', uuid: personUuid, record: null });
    // The store has removed them with the person.
    for (const { uuid } of removed.result) {
      await rules.applied({ kind: 'consoleSession', uuid, record: null });
    }
  }

  /**
   * A person's own password. `current`: not needed by those who have none, or signed in with a one-time code or a passkey,
   * for as long as that is recent. Their other sessions end. Fails PERSON_PASSWORD_TOO_SHORT, PERSON_PASSWORD_TOO_LONG,
   * PERSON_EMAIL_REQUIRED, CONFIRMATION_REQUIRED, PASSWORD_WRONG, SIGN_IN_LIMITED.
   */
  async changePassword(who: SignedInPerson, current: string | null, next: string): Promise<void> {
    const { person, session } = who;
    const { passwords, sessions } = this.#options;
    checkPassword(next);
    if (person.email === null) throw new GatewayError(ACCOUNT_ERRORS.PERSON_EMAIL_REQUIRED);
    await this.#expectRight(who, current);
    const passwordHash = await passwords.hash(next);
    await this.#change(person.orgUuid, person.uuid, (known) => {
      // Someone else has changed it in the meantime.
      if (known.passwordHash !== person.passwordHash) throw new GatewayError(ACCOUNT_ERRORS.PASSWORD_WRONG);
      return { ...known, passwordHash };
    });
    await sessions.endOthers(person, session.uuid);
  }

  async #expectRight(who: SignedInPerson, current: string | null): Promise<void> {
    const { confirmation } = this.#options;
    const { passwordHash } = who.person;
    const canOmit =
      passwordHash === null || who.session.method === 'code' || who.session.method === 'passkey';
    if (canOmit && (await confirmation.isFresh(who))) return;
    if (passwordHash === null || (canOmit && current === null)) {
      throw new GatewayError(ACCOUNT_ERRORS.CONFIRMATION_REQUIRED);
    }
    await confirmation.expectPassword(who, passwordHash, current);
  }

  async #change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    next: (known: Person) => Person,
    kept?: KeptAdmin,
  ): Promise<Person> {
    const { store, rules } = this.#options;
    const decide = (known: Person | null) => {
      if (known === null) throw new GatewayError(ACCOUNT_ERRORS.PERSON_NOT_FOUND);
      return next(known);
    };
    const { after } = await withEmailTaken(() =>
      store.people.changeKeepingAdmin(orgUuid, uuid, decide, lastAdmin, kept),
    );
    await rules.applied({ kind: 'person', uuid, record: after });
    return after!;
  }
}

/** The change only ends access. */
function isOnlyDisabling({ disabled, ...others }: PersonChanges): boolean {
  return disabled === true && Object.keys(others).length === 0;
}

/** Turns the store's failure into PERSON_EMAIL_TAKEN: no other value of a person is unique. */
export async function withEmailTaken<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== STORE_ERRORS.STORE_DUPLICATE.code) throw thrown;
    throw new GatewayError(ACCOUNT_ERRORS.PERSON_EMAIL_TAKEN, {}, thrown);
  }
}
