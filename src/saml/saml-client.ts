/**
 * The conversation with SAML providers (SAML 2.0 Profiles §4.1 and §4.4). A sign-in waits in a cookie of the browser that began it, as with
 * OpenID Connect. Providers post their responses from another site, which sends no cookie, so a response is verified, stored for a minute,
 * and finished by a navigation of our own: there the browser shows that it began the sign-in.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { ATTEMPT_MS, SealedValues } from '../oidc/sign-in-attempt.ts';
import type { SessionAtProvider } from '../store/person.ts';
import { SAML_ERRORS } from './errors.ts';
import { type LogoutMessage, readLogout } from './logout-message.ts';
import { ownMetadata } from './own-metadata.ts';
import {
  type BrowserRequest,
  logoutRequest,
  logoutResponse,
  type ProviderSubject,
  signInRequest,
} from './requests.ts';
import { type SamlAssertion, verifyResponse } from './response-verifier.ts';
import type { SamlKeyStore } from './saml-key-store.ts';
import type { OwnParty } from './saml-party.ts';
import type { SamlProvider, SamlProviders } from './saml-providers.ts';
import type { UsedIds } from './used-ids.ts';

/** From the verified response to the navigation that finishes the sign-in. */
const TICKET_MS = 60_000;
/** A session lasts no longer. */
const SUBJECT_MS = 30 * 86_400_000;
const MAX_REASON_CHARS = 200;
const MAX_ID_CHARS = 256;
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** A sign-in that waits for the provider, sealed in the browser's cookie. */
export interface SamlAttempt {
  readonly requestId: string;
  readonly providerUuid: Ruuid;
  /** An own path. */
  readonly returnTo: string;
  /** An admin tries the provider: no one is signed in. */
  readonly isTest: boolean;
  /** Who was signed in to this browser when it began; null: no one. */
  readonly personUuid: Ruuid | null;
  readonly expiresAtMs: number;
}

/** A verified person, or the reason why there is none. */
export type SamlOutcome =
  | { readonly kind: 'person'; readonly statement: SamlStatement }
  | { readonly kind: 'failure'; readonly error: ErrorDefinition; readonly reason: string };

/** What the provider states about a person, in JSON. */
export interface SamlStatement extends ProviderSubject {
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly issuedAtMs: number;
  readonly isEncrypted: boolean;
}

export interface FinishedSaml {
  readonly provider: SamlProvider;
  /** null: the provider began. */
  readonly attempt: SamlAttempt | null;
  readonly returnTo: string | null;
  readonly outcome: SamlOutcome;
}

/** Sealed in the address of the last navigation. */
interface Ticket {
  readonly providerUuid: Ruuid;
  /** null: the provider began. */
  readonly requestId: string | null;
  /** What the provider sent along, if it began; null: nothing. */
  readonly relayState: string | null;
  readonly result: { readonly stored: Ruuid } | { readonly code: string; readonly reason: string };
  readonly expiresAtMs: number;
}

interface TestStart {
  readonly providerUuid: Ruuid;
  readonly expiresAtMs: number;
}

/** Sealed in a cookie as long as the session may last: a logout at the provider names the person and its session. */
interface KeptSubject extends ProviderSubject {
  readonly providerUuid: Ruuid;
  readonly expiresAtMs: number;
}

export interface SamlClientOptions {
  readonly providers: SamlProviders;
  readonly keys: SamlKeyStore;
  readonly usedIds: UsedIds;
  readonly sealingKey: Uint8Array;
  /** The address of the API, without a trailing slash. */
  readonly publicApiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class SamlClient {
  readonly #options: SamlClientOptions;
  readonly #attempts: SealedValues<SamlAttempt>;
  readonly #tickets: SealedValues<Ticket>;
  readonly #tests: SealedValues<TestStart>;
  readonly #subjects: SealedValues<KeptSubject>;
  readonly #verifications = new Pool(LIMITS.samlResponses);

  constructor(options: SamlClientOptions) {
    this.#options = options;
    const { sealingKey, clock } = options;
    this.#attempts = new SealedValues(sealingKey, 'saml attempt', clock);
    this.#tickets = new SealedValues(sealingKey, 'saml ticket', clock);
    this.#tests = new SealedValues(sealingKey, 'saml test', clock);
    this.#subjects = new SealedValues(sealingKey, 'saml subject', clock);
  }

  /** Our addresses for a provider. */
  partyFor(providerUuid: Ruuid): OwnParty {
    const base = `${this.#options.publicApiUrl}/console/saml/${providerUuid}`;
    return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, logoutUrl: `${base}/logout` };
  }

  /** Where a sign-in there begins. */
  startUrl(providerUuid: Ruuid): string {
    return `${this.#options.publicApiUrl}/console/saml/${providerUuid}/start`;
  }

  /** Our metadata, in XML. Fails SAML_NOT_SET_UP. */
  async metadata(providerUuid: Ruuid): Promise<string> {
    const { orgUuid, uuid, body } = await this.#options.providers.findWorking(providerUuid);
    const isAssertionSigned = body.signed === 'assertion' || body.signed === 'both';
    return ownMetadata(this.partyFor(uuid), await this.#options.keys.keys(orgUuid), isAssertionSigned);
  }

  /** What starts a test: only an admin of the organization gets it. */
  sealTest(providerUuid: Ruuid): string {
    return this.#tests.seal({ providerUuid, expiresAtMs: this.#options.clock.epochMs() + ATTEMPT_MS });
  }

  /** Where the browser goes, and the sealed attempt that it must keep. `test`: of `sealTest`; null: none. Fails SAML_NOT_SET_UP. */
  async begin(
    providerUuid: Ruuid,
    {
      returnTo,
      test,
      personUuid,
    }: Pick<SamlAttempt, 'returnTo' | 'personUuid'> & { readonly test: string | null },
  ): Promise<{ readonly request: BrowserRequest; readonly sealed: string }> {
    const { providers, keys, clock } = this.#options;
    const provider = await providers.findWorking(providerUuid);
    const isTest = this.#tests.open(test)?.providerUuid === provider.uuid;
    if (test !== null && !isTest) throw new GatewayError(SAML_ERRORS.SAML_REQUEST_UNKNOWN);
    const nowMs = clock.epochMs();
    const requestId = newMessageId();
    const own = this.partyFor(provider.uuid);
    const [key] = await keys.keys(provider.orgUuid);
    const request = await signInRequest({ id: requestId, own, provider: provider.body.party, key, nowMs });
    const expiresAtMs = nowMs + ATTEMPT_MS;
    const attempt = { requestId, providerUuid: provider.uuid, returnTo, isTest, personUuid, expiresAtMs };
    return { request, sealed: this.#attempts.seal(attempt) };
  }

  /**
   * Takes a response, and resolves with the ticket that finishes it: whatever is wrong with the response is in there too, and its code is
   * `fault`. Fails SAML_NOT_SET_UP, SAML_BUSY.
   */
  async receive(
    providerUuid: Ruuid,
    encoded: string,
    relayState: string | null,
    address: string,
  ): Promise<{ readonly ticket: string; readonly fault: GatewayError | null }> {
    const provider = await this.#options.providers.findWorking(providerUuid);
    const holders = { organization: provider.orgUuid, address: subscriberOf(address) };
    const place = this.#verifications.take(holders);
    if (!place.isTaken) throw new GatewayError(SAML_ERRORS.SAML_BUSY);
    try {
      const assertion = await this.#verify(encoded, provider);
      if (assertion.inResponseTo === null && !provider.body.allowsUnsolicited) {
        throw new GatewayError(SAML_ERRORS.SAML_UNSOLICITED);
      }
      const statement = new Secret(JSON.stringify(statementOf(assertion)));
      const { id, usableUntilMs, inResponseTo: requestId } = assertion;
      const stored = await this.#options.usedIds.use(
        provider,
        id.slice(0, MAX_ID_CHARS),
        usableUntilMs,
        statement,
      );
      const relayed = shortState(requestId, relayState);
      return {
        ticket: this.#ticket(provider, { requestId, relayState: relayed, result: { stored } }),
        fault: null,
      };
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      if (failure.kind === 'internal') throw failure;
      const { code, context } = failure;
      const reason = String(context.reason ?? '').slice(0, MAX_REASON_CHARS);
      const { orgUuid, uuid } = provider;
      this.#options.log.warn({ code, reason, orgUuid, providerUuid: uuid }, 'SAML response refused');
      const ticket = this.#ticket(provider, { requestId: null, relayState: null, result: { code, reason } });
      return { ticket, fault: failure };
    } finally {
      place.giveBack();
    }
  }

  /**
   * `sealed`: the browser's cookie. A ticket works once, and only in the browser that began the sign-in. Fails SAML_REQUEST_UNKNOWN,
   * SAML_NOT_SET_UP.
   */
  async finish(text: string, sealed: string | null): Promise<FinishedSaml> {
    const ticket = this.#tickets.open(text);
    if (ticket === null) throw new GatewayError(SAML_ERRORS.SAML_REQUEST_UNKNOWN);
    const provider = await this.#options.providers.findWorking(ticket.providerUuid);
    const attempt = this.#attempts.open(sealed);
    const isOfProvider = attempt?.providerUuid === provider.uuid;
    if ('code' in ticket.result) {
      const { code, reason } = ticket.result;
      const outcome = { kind: 'failure', error: errorOf(code), reason } as const;
      return { provider, attempt: isOfProvider ? attempt : null, returnTo: null, outcome };
    }
    const isSolicited = ticket.requestId !== null;
    if (isSolicited && !(isOfProvider && attempt.requestId === ticket.requestId)) {
      throw new GatewayError(SAML_ERRORS.SAML_REQUEST_UNKNOWN);
    }
    const stored = await this.#options.usedIds.take(provider.orgUuid, ticket.result.stored);
    if (stored === null) throw new GatewayError(SAML_ERRORS.SAML_REPLAYED);
    const statement = JSON.parse(stored.reveal()) as SamlStatement;
    return {
      provider,
      attempt: isSolicited ? attempt : null,
      returnTo: isSolicited ? attempt!.returnTo : ticket.relayState,
      outcome: { kind: 'person', statement },
    };
  }

  /** For a cookie: what a logout at the provider needs. */
  sealSubject({ uuid }: SamlProvider, { nameId, nameIdFormat, sessionIndex }: ProviderSubject): string {
    const expiresAtMs = this.#options.clock.epochMs() + SUBJECT_MS;
    return this.#subjects.seal({ providerUuid: uuid, nameId, nameIdFormat, sessionIndex, expiresAtMs });
  }

  /** Where the person signs out at the provider; null: nowhere. `sealed`: the cookie. Fails SAML_NOT_SET_UP. */
  async logoutUrl(sealed: string | null): Promise<string | null> {
    const subject = this.#subjects.open(sealed);
    if (subject === null) return null;
    const { providers, keys, clock } = this.#options;
    const { orgUuid, uuid, body } = await providers.findWorking(subject.providerUuid);
    const [key] = await keys.keys(orgUuid);
    const own = this.partyFor(uuid);
    const message = { id: newMessageId(), own, provider: body.party, key, nowMs: clock.epochMs() };
    return logoutRequest(message, subject);
  }

  /**
   * A logout from the provider, carried out once by `end`. Resolves with where the browser goes then; null: it was the response to a logout
   * of ours, or there is nowhere to go. `query`: raw. Fails like `readLogout`, SAML_NOT_SET_UP, SAML_REPLAYED, SAML_BUSY, and like `end`.
   */
  async takeLogout(
    providerUuid: Ruuid,
    query: string,
    address: string,
    end: (provider: SamlProvider, logout: LogoutMessage & { readonly kind: 'request' }) => Promise<void>,
  ): Promise<string | null> {
    const { providers, keys, usedIds, clock } = this.#options;
    const provider = await providers.findWorking(providerUuid);
    const place = this.#verifications.take({
      organization: provider.orgUuid,
      address: subscriberOf(address),
    });
    if (!place.isTaken) throw new GatewayError(SAML_ERRORS.SAML_BUSY);
    try {
      const own = this.partyFor(provider.uuid);
      const { party, clockSkewSec } = provider.body;
      const reading = { own, provider: party, clockSkewMs: clockSkewSec * 1_000, nowMs: clock.epochMs() };
      const logout = await readLogout(query, reading);
      if (logout.kind === 'response') return null;
      await usedIds.use(provider, `logout ${logout.id.slice(0, MAX_ID_CHARS)}`, logout.usableUntilMs);
      await end(provider, logout);
      const [key] = await keys.keys(provider.orgUuid);
      const message = { id: newMessageId(), own, provider: party, key, nowMs: clock.epochMs() };
      return await logoutResponse(message, logout.id, logout.relayState);
    } finally {
      place.giveBack();
    }
  }

  /** With the certificates that are known, and if none of them signed it, with those that the provider lists now. */
  async #verify(encoded: string, provider: SamlProvider): Promise<SamlAssertion> {
    const { providers, keys, clock } = this.#options;
    const own = this.partyFor(provider.uuid);
    const ourKeys = await keys.keys(provider.orgUuid);
    const verify = ({ body }: SamlProvider) =>
      verifyResponse(encoded, {
        own,
        provider: body.party,
        rules: {
          signed: body.signed,
          requiresEncryption: body.requiresEncryption,
          clockSkewMs: body.clockSkewSec * 1_000,
        },
        keys: ourKeys,
        nowMs: clock.epochMs(),
      });
    try {
      return await verify(provider);
    } catch (thrown) {
      if (toGatewayError(thrown).code !== SAML_ERRORS.SAML_SIGNATURE_INVALID.code) throw thrown;
      const refreshed = await providers.refreshCertificates(provider);
      if (refreshed === null) throw thrown;
      return verify(refreshed);
    }
  }

  #ticket({ uuid }: SamlProvider, ticket: Pick<Ticket, 'requestId' | 'relayState' | 'result'>): string {
    const expiresAtMs = this.#options.clock.epochMs() + TICKET_MS;
    return this.#tickets.seal({ providerUuid: uuid, ...ticket, expiresAtMs });
  }
}

/** Who it is at the provider. A transient NameID is another one each time, so the email address is in its place. */
export function samlSession(
  { uuid }: Pick<SamlProvider, 'uuid'>,
  { nameId, nameIdFormat, sessionIndex, issuedAtMs }: SamlStatement,
  email: string | null,
): SessionAtProvider {
  const name =
    nameIdFormat === TRANSIENT && email !== null ? `email ${email.toLowerCase()}` : `name ${nameId}`;
  const subject = samlSubjectUuid(uuid, name);
  const session = sessionIndex === null ? subject : samlSessionUuid(uuid, sessionIndex);
  return { subject, session, issuedAtSec: Math.floor(issuedAtMs / 1_000) };
}

/** What a logout of the provider ends. */
export function endedByLogout(
  { uuid }: Pick<SamlProvider, 'uuid'>,
  { nameId, sessionIndexes }: LogoutMessage & { readonly kind: 'request' },
): readonly Ruuid[] {
  return sessionIndexes === null
    ? [samlSubjectUuid(uuid, `name ${nameId}`)]
    : sessionIndexes.map((index) => samlSessionUuid(uuid, index));
}

function samlSubjectUuid(providerUuid: Ruuid, name: string): Ruuid {
  return deriveRuuid('saml identity', JSON.stringify([providerUuid, name]));
}

function samlSessionUuid(providerUuid: Ruuid, sessionIndex: string): Ruuid {
  return deriveRuuid('saml session', JSON.stringify([providerUuid, sessionIndex]));
}

function statementOf(assertion: SamlAssertion): SamlStatement {
  const { nameId, nameIdFormat, sessionIndex, issuedAtMs, attributes, isEncrypted } = assertion;
  const named = Object.fromEntries(attributes);
  return { nameId, nameIdFormat, sessionIndex, issuedAtMs, attributes: named, isEncrypted };
}

/** Where the provider wants the person to go, if it began. Checked when it is used. */
function shortState(requestId: string | null, relayState: string | null): string | null {
  return requestId !== null || relayState === null || relayState.length > MAX_ID_CHARS ? null : relayState;
}

/** Tickets are sealed, so the code is one of ours. */
function errorOf(code: string): ErrorDefinition {
  return Object.values(SAML_ERRORS).find((each) => each.code === code) ?? SAML_ERRORS.SAML_STRUCTURE_INVALID;
}

/** An XML ID must not begin with a digit. */
function newMessageId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}
