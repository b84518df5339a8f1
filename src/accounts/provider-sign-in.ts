/**
 * Maps people whom a provider signs in to people of the console, by OpenID Connect and by SAML. The email address only links them to a
 * person once; from then on, the provider's name for them counts. Codes that begin with OIDC_ are older than SAML, and are of both.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import { isOfDomain } from '../oidc/oidc-settings.ts';
import type { ProviderLogouts } from '../oidc/provider-logouts.ts';
import { SAML_ERRORS } from '../saml/errors.ts';
import { type AccessScope, isSameScope } from '../store/access-scope.ts';
import { emailKey, type Person, type Role, type SessionAtProvider } from '../store/person.ts';
import { type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleClient, ConsoleSessions } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { INVITATIONS } from './invitations.ts';
import { limitedRole } from './limited-rights.ts';
import { type People, withEmailTaken } from './people.ts';
import { checkedEmail, MAX_PEOPLE } from './person-rules.ts';
import type { SignedIn, SignIn, SignInAudit } from './sign-in.ts';

const MAX_NAME_CHARS = 256;

interface LinkBody {
  readonly personUuid: Ruuid;
  /** A provider of the organization; absent: the configured one, or one of SAML that an earlier version did not note. */
  readonly providerUuid?: Ruuid;
}

/** Its UUID is the subject’s, of OpenID Connect or SAML; its parent is the person. */
export const PROVIDER_IDENTITIES: ResourceKind<LinkBody> = resourceKind('oidcIdentity');

/** A person whom a provider has authenticated. */
export interface ProvidedPerson {
  /** null: none that the provider vouches for. */
  readonly email: string | null;
  readonly name: string | null;
  readonly session: SessionAtProvider;
}

/** The rights that the provider's words give. */
export interface ProvidedAccess {
  readonly role: Role;
  /** undefined: as they are; null: the whole organization. */
  readonly scope?: AccessScope | null;
}

/** The rules of one provider. */
export interface ProviderRules {
  readonly method: 'oidc' | 'saml';
  /** Whose people sign in there, and no one else's. */
  readonly orgUuid: Ruuid;
  /** A provider of the organization. Absent: the configured one. */
  readonly providerUuid?: Ruuid;
  /** Domains of email addresses, in lower case; null: invitations or roles alone decide. */
  readonly domains: readonly string[] | null;
  /** Whether an email address alone links an administrator's account. */
  readonly linksAdmins: boolean;
}

export interface ProvidedSignIn {
  readonly person: ProvidedPerson;
  readonly rules: ProviderRules;
  /** null: the person stays out; undefined: the role is the invitation's. */
  readonly access: ProvidedAccess | null | undefined;
  /** Who was signed in to this browser when the sign-in began; null: no one. */
  readonly personUuid: Ruuid | null;
}

export interface ProviderSignInOptions {
  readonly store: Pick<Store, 'people' | 'resources' | 'locations' | 'cameras'>;
  readonly people: People;
  readonly sessions: ConsoleSessions;
  readonly signIn: SignIn;
  readonly logouts: ProviderLogouts;
  readonly audit: Pick<SignInAudit, 'as'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** Whether groups of a directory decide what the person may do: then no value of the provider does. Default: never. */
  readonly hasRightsOfGroups?: HasRightsOfGroups | undefined;
}

export type HasRightsOfGroups = (orgUuid: Ruuid, personUuid: Ruuid) => Promise<boolean>;

export class ProviderSignIn {
  readonly #options: ProviderSignInOptions;

  constructor(options: ProviderSignInOptions) {
    this.#options = options;
  }

  /**
   * Fails OIDC_DOMAIN_NOT_ALLOWED, OIDC_EMAIL_UNVERIFIED, OIDC_NOT_INVITED, OIDC_NO_ROLE, OIDC_PERSON_DISABLED, OIDC_ATTEMPT_INVALID if the
   * provider has ended the session in the meantime, SAML_ADMIN_NOT_LINKED, LAST_ADMIN.
   */
  async enter(wanted: ProvidedSignIn, client: ConsoleClient): Promise<SignedIn> {
    const { signIn, sessions } = this.#options;
    const linked = await this.#linked(wanted);
    const isOfDirectory = await this.#isOfDirectory(linked, wanted);
    const given = isOfDirectory ? { ...wanted, access: undefined } : wanted;
    const { person: provided, rules, access } = given;
    expectDomain(given);
    if (access === null) {
      // A role that was removed at the provider ends the sessions here.
      if (linked !== null) await sessions.endOthers(linked, null);
      throw new GatewayError(OIDC_ERRORS.OIDC_NO_ROLE);
    }
    const person = linked ?? (await this.#firstTime(given, client));
    if (person.disabled) throw new GatewayError(OIDC_ERRORS.OIDC_PERSON_DISABLED);
    const begun = await signIn.byProvider(
      await this.#withAccess(person, access, client),
      rules.method,
      client,
      provided.session,
    );
    await this.#expectNotOver(begun, given);
    return begun;
  }

  /** Call after the session exists: a logout from now on finds it. */
  async #expectNotOver({ token }: SignedIn, { person, rules }: ProvidedSignIn): Promise<void> {
    const { logouts, sessions } = this.#options;
    if (!(await logouts.isOver(rules.orgUuid, person.session))) return;
    await sessions.endByToken(token.reveal());
    throw new GatewayError(OIDC_ERRORS.OIDC_ATTEMPT_INVALID);
  }

  /** null: not linked, or the person was removed since. */
  async #linked({ person, rules }: ProvidedSignIn): Promise<Person | null> {
    const { store } = this.#options;
    const { method, orgUuid, providerUuid } = rules;
    const links = store.resources.of(PROVIDER_IDENTITIES);
    const link = await links.find(orgUuid, person.session.subject);
    if (link === null) return null;
    // A subject of SAML is of one provider, which earlier versions did not note.
    if (method === 'saml' && providerUuid !== undefined && link.body.providerUuid === undefined) {
      await links.change(orgUuid, link.uuid, (known) =>
        known === null ? 'unchanged' : { ...known, body: { ...known.body, providerUuid } },
      );
    }
    return store.people.find(orgUuid, link.body.personUuid);
  }

  async #firstTime(given: ProvidedSignIn, client: ConsoleClient): Promise<Person> {
    const { person: provided, rules, personUuid } = given;
    const { orgUuid, providerUuid } = rules;
    if (provided.email === null) throw new GatewayError(OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED);
    const email = checkedEmail(provided.email);
    const { store, clock } = this.#options;
    const known = await this.#withAddress(orgUuid, email);
    if (known?.disabled) throw new GatewayError(OIDC_ERRORS.OIDC_PERSON_DISABLED);
    // The provider's words alone do not take over an administrator: they confirm it with what they have here.
    if (known?.role === 'admin' && !rules.linksAdmins && known.uuid !== personUuid) {
      throw new GatewayError(SAML_ERRORS.SAML_ADMIN_NOT_LINKED);
    }
    const person = known ?? (await this.#add(given, email, client));
    const nowMs = clock.epochMs();
    const uuid = provided.session.subject;
    await store.resources.of(PROVIDER_IDENTITIES).change(orgUuid, uuid, () => ({
      uuid,
      orgUuid,
      name: '',
      parentUuid: person.uuid,
      secret: null,
      body: { personUuid: person.uuid, ...(providerUuid === undefined ? {} : { providerUuid }) },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }));
    return person;
  }

  async #isOfDirectory(linked: Person | null, { person, rules }: ProvidedSignIn): Promise<boolean> {
    const { hasRightsOfGroups } = this.#options;
    if (hasRightsOfGroups === undefined) return false;
    const { orgUuid } = rules;
    const known = linked ?? (person.email === null ? null : await this.#withAddress(orgUuid, person.email));
    return known !== null && hasRightsOfGroups(orgUuid, known.uuid);
  }

  async #withAddress(orgUuid: Ruuid, email: string): Promise<Person | null> {
    const people = await this.#options.store.people.list(orgUuid);
    const key = emailKey(email);
    return people.find((person) => person.email !== null && emailKey(person.email) === key) ?? null;
  }

  /** Adds a person from an invitation, or with the mapped role. */
  async #add(
    { person: { name }, rules: { orgUuid }, access }: ProvidedSignIn,
    email: string,
    client: ConsoleClient,
  ): Promise<Person> {
    const { store, clock, audit } = this.#options;
    const invitations = store.resources.of(INVITATIONS);
    const nowMs = clock.epochMs();
    const invitation = (await invitations.list(orgUuid)).find(
      ({ body }) => emailKey(body.email) === emailKey(email) && nowMs < body.expiresAtMs,
    );
    const granted = access?.role ?? invitation?.body.role;
    if (granted === undefined) throw new GatewayError(OIDC_ERRORS.OIDC_NOT_INVITED);
    const scope =
      access?.scope === undefined
        ? (invitation?.body.scope ?? null)
        : await this.#knownPlaces(orgUuid, access.scope);
    const person: Person = {
      uuid: invitation
        ? deriveRuuid('person of invitation', invitation.uuid)
        : deriveRuuid('person of provider', `${orgUuid} ${emailKey(email)} ${nowMs}`),
      name: name?.trim().slice(0, MAX_NAME_CHARS) || invitation?.name || email,
      orgUuid,
      email,
      role: limitedRole(granted, scope),
      scope,
      passwordHash: null,
      disabled: false,
      createdAtMs: nowMs,
      lastSignInAtMs: null,
    };
    const decide = async (known: Person | null) => {
      const isGone = invitation !== undefined && (await invitations.find(orgUuid, invitation.uuid)) === null;
      if (known !== null || isGone) throw new GatewayError(OIDC_ERRORS.OIDC_NOT_INVITED);
      return person;
    };
    const room = { atMost: MAX_PEOPLE, full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_PEOPLE) };
    await audit.as(person, client, async () => {
      await withEmailTaken(() => store.people.changeWithRoom(orgUuid, person.uuid, decide, room));
      if (invitation !== undefined) await invitations.remove(orgUuid, invitation.uuid);
    });
    return person;
  }

  /** The person with the rights of now. Narrower ones cut what they are watching. */
  async #withAccess(
    person: Person,
    wanted: ProvidedAccess | undefined,
    client: ConsoleClient,
  ): Promise<Person> {
    const { people, audit } = this.#options;
    if (wanted === undefined) return person;
    const { orgUuid, uuid } = person;
    const scope = wanted.scope === undefined ? person.scope : await this.#knownPlaces(orgUuid, wanted.scope);
    const role = limitedRole(wanted.role, scope);
    if (person.role === role && isSameScope(person.scope, scope)) return person;
    const changes = wanted.scope === undefined ? { role } : { role, scope };
    await audit.as(person, client, () => people.update(orgUuid, uuid, changes));
    return { ...person, role, scope };
  }

  /** Without sites and cameras that were removed since the rule was written: the others still count. */
  async #knownPlaces(orgUuid: Ruuid, scope: AccessScope | null): Promise<AccessScope | null> {
    if (scope === null) return null;
    const { store } = this.#options;
    const locations = new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
    const cameras = new Set((await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
    return {
      locationUuids: scope.locationUuids.filter((uuid) => locations.has(uuid)),
      cameraUuids: scope.cameraUuids.filter((uuid) => cameras.has(uuid)),
    };
  }
}

function expectDomain({ person: { email }, rules: { domains } }: ProvidedSignIn): void {
  if (domains === null) return;
  if (email === null) throw new GatewayError(OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED);
  if (!isOfDomain(email, domains)) throw new GatewayError(OIDC_ERRORS.OIDC_DOMAIN_NOT_ALLOWED);
}
