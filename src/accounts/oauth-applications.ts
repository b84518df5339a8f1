/** Applications that can request access to organizations. Their secrets are shown once, when they are created. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { isRuuid, newRuuid, type Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { OAuthApplication } from '../store/oauth.ts';
import type { Store } from '../store/store.ts';
import type { CredentialRules } from './credential-rules.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { isSameHash, newOAuthSecret } from './oauth-secret.ts';
import { checkRedirectUri } from './redirect-uri.ts';

export const MAX_APPLICATIONS_PER_ORG = LIMITS.oauthApplications.perOrganization;
export const MAX_APPLICATION_NAME_LENGTH = 256;
export const MAX_CONTACT_EMAIL_LENGTH = 256;

/** Absent fields stay as they are. */
export interface ApplicationDetails {
  readonly name?: string;
  readonly description?: string;
  readonly contactEmail?: string;
  readonly redirectUri?: string;
}

export class OAuthApplications {
  readonly #store: Pick<Store, 'oauthApplications'>;
  readonly #rules: Pick<CredentialRules, 'applied'>;
  readonly #clock: Clock;

  constructor(parts: {
    readonly store: Pick<Store, 'oauthApplications'>;
    readonly rules: Pick<CredentialRules, 'applied'>;
    readonly clock: Clock;
  }) {
    this.#store = parts.store;
    this.#rules = parts.rules;
    this.#clock = parts.clock;
  }

  /**
   * Registers an application or, with a `clientId`, gives a registered one new details and a new secret. Resolves with
   * the secret, which is not kept. Fails OAUTH_APPLICATION_NOT_FOUND, TOO_MANY_OAUTH_APPLICATIONS, and
   * OAUTH_APPLICATION_UNNAMED, OAUTH_REDIRECT_URI_REQUIRED or OAUTH_REDIRECT_URI_INVALID for invalid details.
   */
  async submit(
    orgUuid: Ruuid,
    clientId: Ruuid | undefined,
    details: ApplicationDetails,
  ): Promise<{ readonly application: OAuthApplication; readonly secret: string }> {
    const secret = newOAuthSecret('slo_cs_');
    const secretHash = hashApiKey(secret);
    const before = clientId === undefined ? this.#blank(orgUuid) : await this.find(orgUuid, clientId);
    if (before.name === '' && details.name === undefined) throw unnamed('absent');
    if (before.redirectUri === '' && details.redirectUri === undefined) {
      throw new GatewayError(ACCOUNT_ERRORS.OAUTH_REDIRECT_URI_REQUIRED);
    }
    const application = await this.#save(before, details, { secretHash, isNew: clientId === undefined });
    return { application, secret };
  }

  /**
   * Registers a public client: an application that cannot keep a secret, such as one that people install (RFC 6749 §2.1).
   * Fails as `submit` does.
   */
  async submitPublic(orgUuid: Ruuid, details: ApplicationDetails): Promise<OAuthApplication> {
    return this.#save(this.#blank(orgUuid), details, { isNew: true });
  }

  /** Fails OAUTH_APPLICATION_NOT_FOUND. */
  async find(orgUuid: Ruuid, clientId: Ruuid): Promise<OAuthApplication> {
    const application = await this.#store.oauthApplications.find(orgUuid, clientId);
    if (application === null) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_NOT_FOUND);
    return application;
  }

  /** The application of any organization, by the client_id that it sends. Fails OAUTH_APPLICATION_NOT_FOUND. */
  async findClient(clientId: string): Promise<OAuthApplication> {
    const application = await this.#client(clientId);
    if (application === null) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_NOT_FOUND);
    return application;
  }

  /** The application that has this secret; a public client has none and shows none (''). Fails OAUTH_INVALID_CLIENT. */
  async authenticate(clientId: string, secret: string): Promise<OAuthApplication> {
    const application = await this.#client(clientId);
    if (application === null || !isItsSecret(application, secret)) {
      throw new GatewayError(ACCOUNT_ERRORS.OAUTH_INVALID_CLIENT);
    }
    return application;
  }

  /** Fails OAUTH_APPLICATION_NOT_FOUND, OAUTH_APPLICATION_UNNAMED or OAUTH_REDIRECT_URI_INVALID. */
  async update(orgUuid: Ruuid, clientId: Ruuid, details: ApplicationDetails): Promise<void> {
    await this.#save(await this.find(orgUuid, clientId), details);
  }

  /** Ends all of its grants. Fails OAUTH_APPLICATION_NOT_FOUND. */
  async remove(orgUuid: Ruuid, clientId: Ruuid): Promise<void> {
    const isRemoved = await this.#store.oauthApplications.remove(orgUuid, clientId);
    if (!isRemoved) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_NOT_FOUND);
    await this.#rules.applied({ kind: 'tokens', ended: { clientUuid: clientId } });
  }

  list(orgUuid: Ruuid): Promise<OAuthApplication[]> {
    return this.#store.oauthApplications.list(orgUuid);
  }

  async #client(clientId: string): Promise<OAuthApplication | null> {
    return isRuuid(clientId) ? this.#store.oauthApplications.findByClientId(clientId) : null;
  }

  #blank(orgUuid: Ruuid): OAuthApplication {
    const nowMs = this.#clock.epochMs();
    return {
      uuid: newRuuid(),
      orgUuid,
      name: '',
      description: null,
      contactEmail: null,
      redirectUri: '',
      secretHash: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }

  /** `secretHash` absent: it keeps its own. */
  async #save(
    before: OAuthApplication,
    details: ApplicationDetails,
    { secretHash, isNew = false }: { readonly secretHash?: string; readonly isNew?: boolean } = {},
  ): Promise<OAuthApplication> {
    const { name, description, contactEmail, redirectUri } = details;
    if (name?.trim() === '') throw unnamed('blank');
    if (redirectUri !== undefined) checkRedirectUri(redirectUri);
    const { orgUuid, uuid } = before;
    const decide = (known: OAuthApplication | null): OAuthApplication => {
      if (known === null && !isNew) throw new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_NOT_FOUND);
      const now = known ?? before;
      return {
        ...now,
        name: name?.trim() ?? now.name,
        description: description ?? now.description,
        contactEmail: contactEmail ?? now.contactEmail,
        redirectUri: redirectUri ?? now.redirectUri,
        secretHash: secretHash ?? now.secretHash,
        updatedAtMs: this.#clock.epochMs(),
      };
    };
    const { after } = await this.#store.oauthApplications.changeWithRoom(orgUuid, uuid, decide, {
      atMost: MAX_APPLICATIONS_PER_ORG,
      full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_OAUTH_APPLICATIONS),
    });
    return after!;
  }
}

function isItsSecret({ secretHash }: OAuthApplication, secret: string): boolean {
  return secretHash === null ? secret === '' : isSameHash(secretHash, hashApiKey(secret));
}

function unnamed(given: 'absent' | 'blank'): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.OAUTH_APPLICATION_UNNAMED, { given });
}
