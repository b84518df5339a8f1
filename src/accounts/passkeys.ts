/**
 * Passkeys: added, listed, renamed, and removed by their person, and used to sign in or to confirm an identity. The person who signs in
 * gives no name: the passkey names its owner. Every invalid response gets the same refusal.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { Passkey } from '../store/passkey.ts';
import type { Person } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { Confirmation, SignedInPerson } from './confirmation.ts';
import type { BegunSession, ConsoleClient, ConsoleSessions } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import type { Invitations } from './invitations.ts';
import { type NewChallenge, PasskeyChallenges } from './passkey-challenges.ts';
import {
  challengeIn,
  type GivenAssertion,
  type GivenRegistration,
  type ProvenPasskey,
  proveRegistration,
  proveUse,
} from './passkey-proof.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';
import type { SignedIn, SignIn, SignInAudit } from './sign-in.ts';
import type { SignInGuesses } from './sign-in-guesses.ts';

export const MAX_PASSKEYS_PER_PERSON = 10;
const MAX_PASSKEYS_PER_ORG = LIMITS.passkeys.perOrganization;

/** The data that a browser needs to make a passkey. */
export interface PasskeyCreation extends NewChallenge {
  readonly party: RelyingParty;
  readonly user: Pick<Person, 'uuid' | 'name' | 'email'>;
  /** Those that the person has: their authenticators make no second one. */
  readonly known: readonly Passkey[];
}

/** The data that a browser needs to use a passkey. */
export interface PasskeyRequest extends NewChallenge {
  readonly party: RelyingParty;
  /** Empty: any. */
  readonly allowed: readonly Passkey[];
}

export interface PasskeysOptions {
  readonly store: Pick<Store, 'people' | 'passkeys' | 'passkeyChallenges'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly sessions: ConsoleSessions;
  readonly signIn: SignIn;
  readonly invitations: Invitations;
  readonly confirmation: Confirmation;
  readonly guesses: SignInGuesses;
  readonly audit: SignInAudit;
  readonly publicApiUrl: string;
}

export class Passkeys {
  readonly #options: PasskeysOptions;
  readonly #challenges: PasskeyChallenges;
  /** Where they work, or why nowhere. */
  readonly party: ReturnType<typeof relyingPartyOf>;

  constructor(options: PasskeysOptions) {
    this.#options = options;
    this.#challenges = new PasskeyChallenges(options);
    this.party = relyingPartyOf(options.publicApiUrl);
  }

  /** Fails PASSKEYS_NEED_NAME, PASSKEYS_NEED_HTTPS, SIGN_IN_LIMITED. */
  async beginSignIn(client: ConsoleClient): Promise<PasskeyRequest> {
    const party = this.#expectParty();
    await this.#expectAllowed(client);
    return { ...(await this.#challenges.begin('sign-in', null, client)), party, allowed: [] };
  }

  /** Fails PASSKEY_REFUSED, SIGN_IN_LIMITED. */
  async signIn(given: GivenAssertion, client: ConsoleClient): Promise<SignedIn> {
    await this.#expectAllowed(client);
    const used = await this.#use(given, 'sign-in', null, client);
    if (used === null) throw await this.#refused(client);
    const begun = await this.#options.signIn.byPasskey(used.person, client);
    await this.#expectUnchanged(begun, used.passkey);
    return begun;
  }

  /** Fails like beginSignIn. */
  async beginConfirmation({ person }: SignedInPerson, client: ConsoleClient): Promise<PasskeyRequest> {
    const party = this.#expectParty();
    await this.#expectAllowed(client);
    const allowed = await this.listWorking(person);
    return { ...(await this.#challenges.begin('confirm', person.uuid, client)), party, allowed };
  }

  /** Fails PASSKEY_NOT_CONFIRMED, SIGN_IN_LIMITED. */
  async confirm(who: SignedInPerson, given: GivenAssertion, client: ConsoleClient): Promise<void> {
    await this.#expectAllowed(client);
    if ((await this.#use(given, 'confirm', who.person, client)) === null) {
      await this.#refused(client);
      throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_NOT_CONFIRMED);
    }
    await this.#options.confirmation.note(who);
  }

  /** Fails CONFIRMATION_REQUIRED, TOO_MANY_PASSKEYS, PASSKEYS_NEED_NAME, PASSKEYS_NEED_HTTPS. */
  async beginAdding(who: SignedInPerson, client: ConsoleClient): Promise<PasskeyCreation> {
    const party = this.#expectParty();
    const { person } = who;
    await this.#options.confirmation.expectFresh(who);
    await this.#expectRoom(person);
    const known = await this.listWorking(person);
    return { ...(await this.#challenges.begin('add', person.uuid, client)), party, user: person, known };
  }

  /** Fails PASSKEY_INVALID, PASSKEY_TAKEN, PASSKEY_UNNAMED, and like beginAdding. */
  async add(
    who: SignedInPerson,
    name: string,
    given: GivenRegistration,
    client: ConsoleClient,
  ): Promise<Passkey> {
    const { person } = who;
    const chosen = checkedPasskeyName(name);
    await this.#options.confirmation.expectFresh(who);
    await this.#expectRoom(person);
    const proven = await this.#prove(given, 'add', person.uuid, client);
    return this.#store(person, chosen, proven);
  }

  /** Begins a passkey for an invited person. `name`: null for the invitation's. Fails INVITATION_INVALID, PERSON_UNNAMED. */
  async beginInvitation(
    inviteToken: string,
    name: string | null,
    client: ConsoleClient,
  ): Promise<PasskeyCreation> {
    const party = this.#expectParty();
    const user = await this.#options.invitations.invited(inviteToken, name);
    return { ...(await this.#challenges.begin('invitation', user.uuid, client)), party, user, known: [] };
  }

  /** Fails PASSKEY_INVALID, PASSKEY_TAKEN, and like accepting with a password. */
  async acceptInvitation(
    inviteToken: string,
    name: string | null,
    given: { readonly name: string; readonly registration: GivenRegistration },
    client: ConsoleClient,
  ): Promise<Person> {
    const { invitations } = this.#options;
    const chosen = checkedPasskeyName(given.name);
    const { uuid } = await invitations.invited(inviteToken, name);
    const proven = await this.#prove(given.registration, 'invitation', uuid, client);
    return invitations.acceptWith(inviteToken, name, async (person) => {
      await this.#store(person, chosen, proven);
    });
  }

  /** In creation order. */
  list({ orgUuid, uuid }: Person): Promise<Passkey[]> {
    return this.#options.store.passkeys.listByPerson(orgUuid, uuid);
  }

  /** Those that work with the address that the console has now. */
  async listWorking(person: Person): Promise<Passkey[]> {
    return (await this.list(person)).filter((passkey) => this.works(passkey));
  }

  /** Whether it works with the address that the console has now. */
  works({ rpId }: Passkey): boolean {
    return rpId === this.#rpId;
  }

  /** Fails PASSKEY_NOT_FOUND, PASSKEY_UNNAMED. */
  async rename(person: Person, uuid: Ruuid, name: string): Promise<Passkey> {
    const chosen = checkedPasskeyName(name);
    const { after } = await this.#options.store.passkeys.change(person.orgUuid, uuid, (known) => {
      if (known?.personUuid !== person.uuid) throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_NOT_FOUND);
      return { ...known, name: chosen };
    });
    return after!;
  }

  /** The person's other sessions end. Fails CONFIRMATION_REQUIRED, PASSKEY_NOT_FOUND, LAST_WAY_TO_SIGN_IN. */
  async remove(who: SignedInPerson, uuid: Ruuid): Promise<void> {
    const { store, sessions, confirmation } = this.#options;
    const { person, session } = who;
    await confirmation.expectFresh(who);
    const wanted = { orgUuid: person.orgUuid, personUuid: person.uuid, uuid };
    const lastWay = () => new GatewayError(ACCOUNT_ERRORS.LAST_WAY_TO_SIGN_IN);
    const removed = await store.passkeys.removeKeepingWay(wanted, this.#rpId, lastWay);
    if (removed === null) throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_NOT_FOUND);
    await sessions.endOthers(person, session.uuid);
  }

  get #rpId(): string | null {
    return typeof this.party === 'string' ? null : this.party.rpId;
  }

  #expectParty(): RelyingParty {
    const { party } = this;
    if (party === 'IP_ADDRESS') throw new GatewayError(ACCOUNT_ERRORS.PASSKEYS_NEED_NAME);
    if (party === 'PLAIN_HTTP') throw new GatewayError(ACCOUNT_ERRORS.PASSKEYS_NEED_HTTPS);
    return party;
  }

  async #expectRoom(person: Person): Promise<void> {
    if ((await this.list(person)).length >= MAX_PASSKEYS_PER_PERSON) throw tooMany();
  }

  /** Fails PASSKEY_INVALID. */
  async #prove(
    given: GivenRegistration,
    purpose: 'add' | 'invitation',
    subjectUuid: Ruuid,
    client: ConsoleClient,
  ): Promise<ProvenPasskey> {
    const party = this.#expectParty();
    const challenge = challengeIn(given.clientDataJson);
    const taken = challenge === null ? null : await this.#challenges.take(challenge, purpose, client);
    const isTheirs = challenge !== null && taken?.subjectUuid === subjectUuid;
    const proven = isTheirs ? await proveRegistration(given, challenge, party) : null;
    if (proven === null) throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_INVALID);
    return proven;
  }

  async #store({ orgUuid, uuid: personUuid }: Person, name: string, proven: ProvenPasskey): Promise<Passkey> {
    const { store, clock } = this.#options;
    const passkey: Passkey = {
      uuid: newRuuid(),
      orgUuid,
      personUuid,
      name,
      rpId: this.#expectParty().rpId,
      ...proven,
      createdAtMs: clock.epochMs(),
      lastUsedAtMs: null,
    };
    try {
      await store.passkeys.add(passkey, { atMost: MAX_PASSKEYS_PER_ORG, full: tooMany });
    } catch (thrown) {
      const isTaken = thrown instanceof GatewayError && thrown.code === STORE_ERRORS.STORE_DUPLICATE.code;
      throw isTaken ? new GatewayError(ACCOUNT_ERRORS.PASSKEY_TAKEN, {}, thrown) : thrown;
    }
    return passkey;
  }

  /** The passkey and its owner; null: refused. `person`: only theirs; null: anyone's. */
  async #use(
    given: GivenAssertion,
    purpose: 'sign-in' | 'confirm',
    person: Person | null,
    client: ConsoleClient,
  ): Promise<{ readonly person: Person; readonly passkey: Passkey } | null> {
    const party = this.#expectParty();
    const { store, audit, clock } = this.#options;
    const challenge = challengeIn(given.clientDataJson);
    const taken = challenge === null ? null : await this.#challenges.take(challenge, purpose, client);
    if (challenge === null || taken === null || taken.subjectUuid !== (person?.uuid ?? null)) return null;
    const passkey = await store.passkeys.findByCredentialId(given.credentialId);
    if (passkey === null || (person !== null && passkey.personUuid !== person.uuid)) return null;
    const owner = await store.people.find(passkey.orgUuid, passkey.personUuid);
    if (owner === null) return null;
    // An authenticator that chose among its passkeys names the owner (WebAuthn §7.2, step 6).
    const names = given.userHandle === null ? person !== null : given.userHandle === userHandleOf(owner);
    const use = names && this.works(passkey) ? await proveUse(given, passkey, challenge, party) : null;
    const isGenuine = use !== null && use.isSynced === passkey.isSynced && !owner.disabled;
    if (!isGenuine || !(await this.#noteUse(passkey, use, clock.epochMs()))) {
      audit.signInFailed(owner, client);
      return null;
    }
    return { person: owner, passkey };
  }

  /** False: the counter did not grow, so there is a copy of the passkey. */
  #noteUse(
    { orgUuid, uuid }: Passkey,
    { counter, isBackedUp }: Pick<Passkey, 'counter' | 'isBackedUp'>,
    atMs: number,
  ): Promise<boolean> {
    return this.#options.store.passkeys.noteUse(orgUuid, uuid, { counter, isBackedUp, atMs });
  }

  /** The passkey may have been removed while it was checked: then the new session was not ended with the others. */
  async #expectUnchanged({ person, session }: BegunSession, { orgUuid, uuid }: Passkey): Promise<void> {
    const { store, sessions } = this.#options;
    const [now, passkey] = [
      await store.people.find(orgUuid, person.uuid),
      await store.passkeys.find(orgUuid, uuid),
    ];
    if (now !== null && !now.disabled && passkey !== null) return;
    if (now !== null) await sessions.end(orgUuid, session.uuid, null).catch(() => undefined);
    throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_REFUSED);
  }

  /** An address, or a known browser, that failed too often is refused before anything is looked up. Fails SIGN_IN_LIMITED. */
  #expectAllowed(client: ConsoleClient): Promise<void> {
    return this.#options.guesses.expectAllowed(client);
  }

  async #refused(client: ConsoleClient): Promise<GatewayError> {
    await this.#options.guesses.failed(client);
    return new GatewayError(ACCOUNT_ERRORS.PASSKEY_REFUSED);
  }
}

/** The user handle in authenticators: the person's UUID, which reveals nothing about them. base64url. */
export function userHandleOf({ uuid }: Pick<Person, 'uuid'>): string {
  return Buffer.from(uuid, 'base64url').toString('base64url');
}

function checkedPasskeyName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new GatewayError(ACCOUNT_ERRORS.PASSKEY_UNNAMED);
  return trimmed;
}

function tooMany(): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.TOO_MANY_PASSKEYS);
}
