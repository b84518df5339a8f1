/**
 * Invitations to the console: a link that someone passes on, which works once, for seven days. Who accepts it chooses a
 * name and a password, or makes a passkey; the role and the email address are the invitation's.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import type { AccessScope } from '../store/access-scope.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import { waitingBriefly } from '../store/brief-waits.ts';
import { emailKey, type Person, type Role } from '../store/person.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { newConsoleToken } from './console-token.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { checkedScope, expectLimitable } from './limited-rights.ts';
import { withEmailTaken } from './people.ts';
import { checkedEmail, checkedName, checkPassword, MAX_PEOPLE, type PasswordHasher } from './person-rules.ts';

export const INVITATION_MS = 7 * 24 * 3_600_000;
export const MAX_INVITATIONS = LIMITS.invitations.perOrganization;

export interface InvitationBody {
  readonly email: string;
  readonly role: Role;
  /** Absent: the whole organization. */
  readonly scope?: AccessScope;
  readonly expiresAtMs: number;
}

/** The token is not stored: the uuid is derived from its hash. The name is the invited person's. */
export const INVITATIONS: ResourceKind<InvitationBody> = resourceKind('invitation');

export type Invitation = Resource<InvitationBody>;

export interface WantedPerson {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** null or absent: the whole organization. */
  readonly scope?: AccessScope | null | undefined;
}

export interface InvitationsOptions {
  readonly store: Pick<Store, 'resources' | 'people' | 'locations' | 'cameras'>;
  readonly passwords: PasswordHasher;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class Invitations {
  readonly #options: InvitationsOptions;

  constructor(options: InvitationsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the token, which is not stored. An earlier invitation to the same address ends. Fails PERSON_UNNAMED,
   * PERSON_EMAIL_INVALID, PERSON_EMAIL_TAKEN, PERSON_PROVISIONED, PERSON_DEPROVISIONED, TOO_MANY_INVITATIONS, and like `checkedScope` and
   * `expectLimitable`.
   */
  async create(
    orgUuid: Ruuid,
    wanted: WantedPerson,
  ): Promise<{ readonly invitation: Invitation; readonly token: Secret }> {
    const { store, clock } = this.#options;
    const invitations = store.resources.of(INVITATIONS);
    const [name, email] = [checkedName(wanted.name), checkedEmail(wanted.email)];
    const scope = await checkedScope(store, orgUuid, wanted.scope ?? null);
    expectLimitable(wanted.role, scope);
    const people = await store.people.list(orgUuid);
    const known = people.find(
      (person) => person.email !== null && emailKey(person.email) === emailKey(email),
    );
    if (known !== undefined) throw await this.#alreadyThere(known);
    const nowMs = clock.epochMs();
    for (const { uuid, body } of await invitations.list(orgUuid)) {
      const isReplaced = emailKey(body.email) === emailKey(email);
      if (isReplaced || body.expiresAtMs <= nowMs) await invitations.remove(orgUuid, uuid);
    }
    const { token, hash } = newConsoleToken('sli_');
    const invitation: Invitation = {
      uuid: uuidOf(hash),
      orgUuid,
      name,
      parentUuid: null,
      secret: null,
      body: {
        email,
        role: wanted.role,
        ...(scope === null ? {} : { scope }),
        expiresAtMs: nowMs + INVITATION_MS,
      },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await invitations.change(orgUuid, invitation.uuid, () => invitation, {
      atMost: MAX_INVITATIONS,
      within: 'organization',
      full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_INVITATIONS),
    });
    return { invitation, token };
  }

  /** Why someone who is there is not invited: a directory alone lets in the people that it manages. */
  async #alreadyThere({ orgUuid, uuid, disabled }: Person): Promise<GatewayError> {
    const record = await this.#options.store.resources.of(resourceKind('scimUser')).find(orgUuid, uuid);
    if (record === null) return new GatewayError(ACCOUNT_ERRORS.PERSON_EMAIL_TAKEN);
    const { PERSON_DEPROVISIONED, PERSON_PROVISIONED } = ACCOUNT_ERRORS;
    return new GatewayError(disabled ? PERSON_DEPROVISIONED : PERSON_PROVISIONED);
  }

  /** Those that still work, in creation order. */
  async list(orgUuid: Ruuid): Promise<Invitation[]> {
    const nowMs = this.#options.clock.epochMs();
    const invitations = await this.#options.store.resources.of(INVITATIONS).list(orgUuid);
    return invitations.filter(({ body }) => nowMs < body.expiresAtMs);
  }

  /** Ends an invitation that was not accepted; false: there is none with this UUID. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return this.#options.store.resources.of(INVITATIONS).remove(orgUuid, uuid);
  }

  /** The same; false also if the store is unavailable: whatever has this UUID may be a person. */
  async removeIfKnown(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return waitingBriefly(() => this.remove(orgUuid, uuid)).catch((thrown: unknown) => {
      if (!isStoreAway(thrown)) throw thrown;
      return false;
    });
  }

  /**
   * Adds the person. `name`: null for the invitation's. Fails INVITATION_INVALID, PERSON_UNNAMED,
   * PERSON_PASSWORD_TOO_SHORT, PERSON_PASSWORD_TOO_LONG, PERSON_EMAIL_TAKEN, TOO_MANY_PEOPLE.
   */
  async accept(token: string, name: string | null, password: string): Promise<Person> {
    const invited = await this.invited(token, name);
    checkPassword(password);
    const person = { ...invited, passwordHash: await this.#options.passwords.hash(password) };
    return this.#join(token, person, async () => undefined);
  }

  /**
   * The same without a password. `addWay` gives the person another way to sign in; if it fails, they are not added. Fails
   * like `accept`.
   */
  async acceptWith(
    token: string,
    name: string | null,
    addWay: (person: Person) => Promise<void>,
  ): Promise<Person> {
    return this.#join(token, await this.invited(token, name), addWay);
  }

  /** The person who would be added: always with the same UUID. Fails INVITATION_INVALID, PERSON_UNNAMED. */
  async invited(token: string, name: string | null): Promise<Person> {
    const { store, clock } = this.#options;
    const invitation = await store.resources.of(INVITATIONS).findEverywhere(uuidOf(hashApiKey(token)));
    if (invitation === null || clock.epochMs() >= invitation.body.expiresAtMs) throw invalid();
    const { orgUuid, body } = invitation;
    const chosen = name === null ? invitation.name : checkedName(name);
    return {
      // If the invitation is accepted twice at the same time, both requests add the same person.
      uuid: deriveRuuid('person of invitation', invitation.uuid),
      orgUuid,
      name: chosen,
      email: body.email,
      role: body.role,
      scope: body.scope ?? null,
      passwordHash: null,
      disabled: false,
      createdAtMs: clock.epochMs(),
      lastSignInAtMs: null,
    };
  }

  async #join(token: string, person: Person, addWay: (person: Person) => Promise<void>): Promise<Person> {
    const { store } = this.#options;
    const { orgUuid } = person;
    const invitations = store.resources.of(INVITATIONS);
    const invitationUuid = uuidOf(hashApiKey(token));
    const decide = async (known: Person | null) => {
      const isStillThere = (await invitations.find(orgUuid, invitationUuid)) !== null;
      if (known !== null || !isStillThere) throw invalid();
      return person;
    };
    await withEmailTaken(() =>
      store.people.changeWithRoom(orgUuid, person.uuid, decide, {
        atMost: MAX_PEOPLE,
        full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_PEOPLE),
      }),
    );
    try {
      await addWay(person);
    } catch (thrown) {
      await store.people.remove(orgUuid, person.uuid);
      throw thrown;
    }
    await invitations.remove(orgUuid, invitationUuid);
    return person;
  }
}

function invalid(): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.INVITATION_INVALID);
}

function uuidOf(hash: string): Ruuid {
  return deriveRuuid('invitation', hash);
}
