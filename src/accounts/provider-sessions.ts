/** The console sessions that began at one provider of an organization. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ConsoleSession } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { PROVIDER_IDENTITIES } from './provider-sign-in.ts';

/** Of one question to the store. */
const SUBJECTS_AT_ONCE = 200;

export interface ProviderSessionsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly sessions: Pick<ConsoleSessions, 'endByProvider' | 'endByMethod'>;
}

export class ProviderSessions {
  readonly #options: ProviderSessionsOptions;

  constructor(options: ProviderSessionsOptions) {
    this.#options = options;
  }

  /** The organization's own provider at which a session began; null: another one, or none. */
  async providerOf({ orgUuid, provider }: ConsoleSession): Promise<Ruuid | null> {
    if (provider === null) return null;
    const link = await this.#links.find(orgUuid, provider.subject);
    return link?.body.providerUuid ?? null;
  }

  async end(orgUuid: Ruuid, providerUuid: Ruuid): Promise<void> {
    const subjects = (await this.#linksOf(orgUuid, providerUuid)).map(({ uuid }) => uuid);
    for (let at = 0; at < subjects.length; at += SUBJECTS_AT_ONCE) {
      const some = subjects.slice(at, at + SUBJECTS_AT_ONCE);
      await this.#options.sessions.endByProvider(orgUuid, some, Number.POSITIVE_INFINITY);
    }
  }

  /** As `end`, of a SAML provider. Sessions of which an earlier version did not note the provider end too. */
  async endSaml(orgUuid: Ruuid, providerUuid: Ruuid): Promise<void> {
    await this.#options.sessions.endByMethod(orgUuid, 'saml', async (session) => {
      const began = await this.providerOf(session);
      return began === null || began === providerUuid;
    });
  }

  /** Ends them, and no longer knows who their people are at the provider. */
  async forget(orgUuid: Ruuid, providerUuid: Ruuid): Promise<void> {
    await this.end(orgUuid, providerUuid);
    for (const { uuid } of await this.#linksOf(orgUuid, providerUuid)) {
      await this.#links.remove(orgUuid, uuid);
    }
  }

  async #linksOf(orgUuid: Ruuid, providerUuid: Ruuid) {
    const links = await this.#links.list(orgUuid);
    return links.filter(({ body }) => body.providerUuid === providerUuid);
  }

  get #links() {
    return this.#options.store.resources.of(PROVIDER_IDENTITIES);
  }
}
