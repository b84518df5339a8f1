/**
 * Maps people whom the provider signs in to people of the console. An identity is an issuer and a subject. The email address only links
 * them to a person once, and only if the provider has verified it.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import { isOfDomain, type OidcSettings, type RoleMapping } from '../oidc/oidc-settings.ts';
import { subjectUuid } from '../oidc/provider-logout.ts';
import type { ProviderLogouts } from '../oidc/provider-logouts.ts';
import { emailKey, type Person, ROLES, type Role } from '../store/person.ts';
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
const MAX_CLAIM_VALUES = 1_000;

interface LinkBody {
  readonly personUuid: Ruuid;
}

/** Its UUID is derived from issuer and subject; its parent is the person. */
export const OIDC_IDENTITIES: ResourceKind<LinkBody> = resourceKind('oidcIdentity');

export interface OidcSignInOptions {
  readonly store: Pick<Store, 'people' | 'resources'>;
  readonly people: People;
  readonly sessions: ConsoleSessions;
  readonly signIn: SignIn;
  readonly logouts: Pick<ProviderLogouts, 'isOver'>;
  readonly audit: Pick<SignInAudit, 'as'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly settings: OidcSettings;
  /** The organization of the console. */
  readonly orgUuid: Ruuid;
}

export class OidcSignIn {
  readonly #options: OidcSignInOptions;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /**
   * Fails OIDC_DOMAIN_NOT_ALLOWED, OIDC_EMAIL_UNVERIFIED, OIDC_NOT_INVITED, OIDC_NO_ROLE, OIDC_PERSON_DISABLED, OIDC_ATTEMPT_INVALID if the
   * provider has ended the session in the meantime, LAST_ADMIN.
   */
  async enter(identity: ProviderIdentity, client: ConsoleClient): Promise<SignedIn> {
    const { settings, signIn } = this.#options;
    const linked = await this.#linked(identity);
    this.#expectDomain(identity);
    const role = settings.roles === null ? null : roleOf(identity.claims, settings.roles);
    if (settings.roles !== null && role === null) {
      // A role that was removed at the provider ends the sessions here.
      if (linked !== null) await this.#options.sessions.endOthers(linked, null);
      throw new GatewayError(OIDC_ERRORS.OIDC_NO_ROLE);
    }
    const person = linked ?? (await this.#firstTime(identity, role, client));
    if (person.disabled) throw new GatewayError(OIDC_ERRORS.OIDC_PERSON_DISABLED);
    const begun = await signIn.byProvider(
      await this.#withRole(person, role, client),
      client,
      identity.session,
    );
    await this.#expectNotOver(begun, identity);
    return begun;
  }

  /** Call after the session exists: a logout from now on finds it. */
  async #expectNotOver({ token }: SignedIn, { session }: ProviderIdentity): Promise<void> {
    const { logouts, sessions } = this.#options;
    if (!(await logouts.isOver(session))) return;
    await sessions.endByToken(token.reveal());
    throw new GatewayError(OIDC_ERRORS.OIDC_ATTEMPT_INVALID);
  }

  #expectDomain({ email }: ProviderIdentity): void {
    const { allowedDomains } = this.#options.settings;
    if (allowedDomains.length === 0) return;
    if (email === null) throw new GatewayError(OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED);
    if (!isOfDomain(email, allowedDomains)) throw new GatewayError(OIDC_ERRORS.OIDC_DOMAIN_NOT_ALLOWED);
  }

  /** null: not linked, or the person was removed since. */
  async #linked(identity: ProviderIdentity): Promise<Person | null> {
    const { store, orgUuid } = this.#options;
    const link = await store.resources.of(OIDC_IDENTITIES).find(orgUuid, identityUuid(identity));
    return link === null ? null : store.people.find(orgUuid, link.body.personUuid);
  }

  async #firstTime(identity: ProviderIdentity, role: Role | null, client: ConsoleClient): Promise<Person> {
    if (identity.email === null) throw new GatewayError(OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED);
    const email = checkedEmail(identity.email);
    const { store, orgUuid, clock } = this.#options;
    const people = await store.people.list(orgUuid);
    const known = people.find(
      (person) => person.email !== null && emailKey(person.email) === emailKey(email),
    );
    if (known?.disabled) throw new GatewayError(OIDC_ERRORS.OIDC_PERSON_DISABLED);
    const person = known ?? (await this.#add(identity, email, role, client));
    const nowMs = clock.epochMs();
    const uuid = identityUuid(identity);
    await store.resources.of(OIDC_IDENTITIES).change(orgUuid, uuid, () => ({
      uuid,
      orgUuid,
      name: '',
      parentUuid: person.uuid,
      secret: null,
      body: { personUuid: person.uuid },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }));
    return person;
  }

  /** Adds a person from an invitation, or with the mapped role. */
  async #add(
    { name }: ProviderIdentity,
    email: string,
    role: Role | null,
    client: ConsoleClient,
  ): Promise<Person> {
    const { store, orgUuid, clock, audit } = this.#options;
    const invitations = store.resources.of(INVITATIONS);
    const nowMs = clock.epochMs();
    const invitation = (await invitations.list(orgUuid)).find(
      ({ body }) => emailKey(body.email) === emailKey(email) && nowMs < body.expiresAtMs,
    );
    const granted = role ?? invitation?.body.role;
    if (granted === undefined) throw new GatewayError(OIDC_ERRORS.OIDC_NOT_INVITED);
    const scope = invitation?.body.scope ?? null;
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

  async #withRole(person: Person, wanted: Role | null, client: ConsoleClient): Promise<Person> {
    const { people, audit } = this.#options;
    if (wanted === null) return person;
    const role = limitedRole(wanted, person.scope);
    if (person.role === role) return person;
    await audit.as(person, client, () => people.update(person.orgUuid, person.uuid, { role }));
    return { ...person, role };
  }
}

function identityUuid({ issuer, subject }: ProviderIdentity): Ruuid {
  return subjectUuid(issuer, subject);
}

/** The highest role that a value of the claim has; null: none. */
function roleOf(claims: ProviderIdentity['claims'], { claim, values }: RoleMapping): Role | null {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const words = new Set((Array.isArray(given) ? given : [given]).slice(0, MAX_CLAIM_VALUES));
  return ROLES.toReversed().find((role) => values[role].some((value) => words.has(value))) ?? null;
}
