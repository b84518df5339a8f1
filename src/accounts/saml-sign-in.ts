/** Signs in people whom a SAML provider of their organization has authenticated, and tells admins what a test of a provider brought. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { accessOf, type GrantedAccess } from '../oidc/access-rules.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import { isOfDomain } from '../oidc/oidc-settings.ts';
import type { SignInDomains } from '../oidc/sign-in-domains.ts';
import type { LogoutMessage } from '../saml/logout-message.ts';
import { endedByLogout, type FinishedSaml, type SamlStatement, samlSession } from '../saml/saml-client.ts';
import { SAML_TESTS, type SamlProvider } from '../saml/saml-providers.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleClient } from './console-sessions.ts';
import type { ProvidedPerson, ProviderSignIn } from './provider-sign-in.ts';
import type { ProviderSignOut } from './provider-sign-out.ts';
import type { SignedIn } from './sign-in.ts';

/** A test shows who someone is, so it is not kept. */
const TEST_KEPT_MS = 24 * 3_600_000;
/** Of a report: what is longer is cut. */
const SHOWN_ATTRIBUTES = 50;
const SHOWN_VALUES = 50;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** What a test brought. */
export interface SamlTestReport {
  readonly testedAtMs: number;
  /** null: the person would be signed in. */
  readonly code: string | null;
  /** What exactly was wrong with the response; '' for nothing. */
  readonly reason: string;
  /** null: the response was refused. */
  readonly person: {
    readonly nameId: string;
    readonly nameIdFormat: string | null;
    readonly email: string | null;
    readonly name: string | null;
    readonly attributes: readonly { readonly name: string; readonly values: readonly string[] }[];
    readonly isEncrypted: boolean;
    readonly access: GrantedAccess | null;
  } | null;
}

export interface SamlSignInOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly domains: Pick<SignInDomains, 'workingOf'>;
  readonly signIn: Pick<ProviderSignIn, 'enter'>;
  readonly signOut: Pick<ProviderSignOut, 'end'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class SamlSignIn {
  readonly #options: SamlSignInOptions;

  constructor(options: SamlSignInOptions) {
    this.#options = options;
  }

  /** Fails with the response's failure, and like ProviderSignIn.enter. */
  async enter({ provider, attempt, outcome }: FinishedSaml, client: ConsoleClient): Promise<SignedIn> {
    if (outcome.kind === 'failure') throw new GatewayError(outcome.error);
    const { orgUuid, uuid: providerUuid, body } = provider;
    const person = personOf(provider, outcome.statement);
    const access = accessOf(attributesOf(outcome.statement), body.access);
    const domains = await this.#domainsOf(provider);
    const rules = { method: 'saml', orgUuid, providerUuid, domains, linksAdmins: false } as const;
    return this.#options.signIn.enter(
      { person, rules, access, personUuid: attempt?.personUuid ?? null },
      client,
    );
  }

  /** Stores what a test brought, for the organization's admins. */
  async report({ provider, outcome }: FinishedSaml): Promise<void> {
    const { orgUuid, uuid } = provider;
    const nowMs = this.#options.clock.epochMs();
    const report: SamlTestReport =
      outcome.kind === 'failure'
        ? { testedAtMs: nowMs, code: outcome.error.code, reason: outcome.reason, person: null }
        : {
            testedAtMs: nowMs,
            reason: '',
            ...judged(provider, outcome.statement, await this.#domainsOf(provider)),
          };
    const row = testUuid(uuid);
    await this.#tests.change(orgUuid, row, (known) => ({
      uuid: row,
      orgUuid,
      name: '',
      parentUuid: uuid,
      body: {},
      secret: new Secret(JSON.stringify(report)),
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    }));
  }

  /** What the last test of today brought; null: there was none. */
  async lastReport(orgUuid: Ruuid, providerUuid: Ruuid): Promise<SamlTestReport | null> {
    const row = await this.#tests.find(orgUuid, testUuid(providerUuid));
    if (row?.secret == null) return null;
    const report = JSON.parse(row.secret.reveal()) as SamlTestReport;
    return this.#options.clock.epochMs() - report.testedAtMs < TEST_KEPT_MS ? report : null;
  }

  /** Resolves with how many sessions have ended. Fails OIDC_TOO_MANY_LOGOUTS. */
  end(provider: SamlProvider, logout: LogoutMessage & { readonly kind: 'request' }): Promise<number> {
    const ended = endedByLogout(provider, logout);
    const issuedAtSec = Math.floor(logout.issuedAtMs / 1_000);
    return this.#options.signOut.end(provider.orgUuid, { ended, issuedAtSec });
  }

  /** null: it has none, and anyone whom it names may enter. */
  async #domainsOf(provider: SamlProvider): Promise<readonly string[] | null> {
    return provider.body.domains.length === 0 ? null : this.#options.domains.workingOf(provider);
  }

  get #tests(): ResourceRepository<object> {
    return this.#options.store.resources.of(SAML_TESTS);
  }
}

/** What would happen to the person, as far as the statement alone decides. */
function judged(
  provider: SamlProvider,
  statement: SamlStatement,
  domains: readonly string[] | null,
): Pick<SamlTestReport, 'code' | 'person'> {
  const { email, name } = personOf(provider, statement);
  const { access: rules } = provider.body;
  const access = accessOf(attributesOf(statement), rules);
  const fault =
    email === null
      ? OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED
      : domains !== null && !isOfDomain(email, domains)
        ? OIDC_ERRORS.OIDC_DOMAIN_NOT_ALLOWED
        : access === null
          ? OIDC_ERRORS.OIDC_NO_ROLE
          : null;
  const attributes = Object.entries(statement.attributes)
    .slice(0, SHOWN_ATTRIBUTES)
    .map(([attribute, values]) => ({ name: attribute, values: values.slice(0, SHOWN_VALUES) }));
  const { nameId, nameIdFormat, isEncrypted } = statement;
  return {
    code: fault?.code ?? null,
    person: { nameId, nameIdFormat, email, name, attributes, isEncrypted, access },
  };
}

function personOf(provider: SamlProvider, statement: SamlStatement): ProvidedPerson {
  const { emailAttribute, nameAttribute } = provider.body;
  const { attributes, nameId } = statement;
  const given = emailAttribute === null ? nameId : (firstOf(attributes, emailAttribute) ?? '');
  const email = EMAIL.test(given) ? given : null;
  const name = nameAttribute === null ? null : firstOf(attributes, nameAttribute);
  return { email, name, session: samlSession(provider, statement, email) };
}

function firstOf(attributes: SamlStatement['attributes'], name: string): string | null {
  return (Object.hasOwn(attributes, name) ? attributes[name]?.[0] : null) ?? null;
}

function attributesOf({ attributes }: SamlStatement): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(attributes));
}

function testUuid(providerUuid: Ruuid): Ruuid {
  return deriveRuuid('saml test', providerUuid);
}
