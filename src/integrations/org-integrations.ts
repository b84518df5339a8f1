/** Integrations of an organization with other systems: at most one of each kind. */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';

/** A change of an integration, for its `integrationAuditMap`. */
export interface IntegrationAuditEntry {
  readonly atMs: number;
  /** The author of the change: the name of the key. */
  readonly user: string;
  readonly userUuid: Ruuid | null;
}

export interface IntegrationBody {
  readonly enabled: boolean;
  /** The user on whose behalf it acts. */
  readonly userUuid: Ruuid | null;
  /** The newest first. */
  readonly audit: readonly IntegrationAuditEntry[];
}

/** The fields that a change sets. `OrgIntegrations` maintains the trail and its place in the store. */
export interface IntegrationChange<Body extends IntegrationBody> {
  readonly body: Omit<Body, 'audit'>;
  readonly secret: Secret | null;
  readonly changedBy: string;
}

const MAX_AUDIT_ENTRIES = 50;

export const WEBHOOK_INTEGRATIONS: ResourceKind<IntegrationBody> = resourceKind('webhookIntegration');
export const BADGE_VENDOR_B: ResourceKind<IntegrationBody> = resourceKind('badgeVendorBIntegration');
export const ALARM_VENDOR: ResourceKind<IntegrationBody> = resourceKind('alarmVendorIntegration');

/** `given`, otherwise the known value; a new integration is on. */
export function mergeIntegrationInput(
  { enabled, userUuid }: { readonly enabled?: boolean; readonly userUuid?: Ruuid },
  known: Resource<IntegrationBody> | null,
): Omit<IntegrationBody, 'audit'> {
  return {
    enabled: enabled ?? known?.body.enabled ?? true,
    userUuid: userUuid ?? known?.body.userUuid ?? null,
  };
}

export class OrgIntegrations<Body extends IntegrationBody> {
  readonly #repository: ResourceRepository<Body>;
  readonly #kind: string;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources'>, kind: ResourceKind<Body>, clock: Pick<Clock, 'epochMs'>) {
    this.#repository = store.resources.of(kind);
    this.#kind = kind.name;
    this.#clock = clock;
  }

  /** null: the organization has none. */
  find(orgUuid: Ruuid): Promise<Resource<Body> | null> {
    return this.#repository.find(orgUuid, this.#uuid(orgUuid));
  }

  /** Creates it, or changes the existing one. `change` decides again if another change was faster (DecideRecord). */
  async update(
    orgUuid: Ruuid,
    change: (known: Resource<Body> | null) => Promise<IntegrationChange<Body>>,
  ): Promise<Resource<Body>> {
    const decide = async (known: Resource<Body> | null): Promise<Resource<Body>> => {
      const { body, secret, changedBy } = await change(known);
      const nowMs = this.#clock.epochMs();
      const entry = { atMs: nowMs, user: changedBy, userUuid: body.userUuid };
      const audit = [entry, ...(known?.body.audit ?? [])].slice(0, MAX_AUDIT_ENTRIES);
      return {
        uuid: this.#uuid(orgUuid),
        orgUuid,
        name: '',
        parentUuid: null,
        body: { ...body, audit } as unknown as Body,
        secret,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    return (await this.#repository.change(orgUuid, this.#uuid(orgUuid), decide)).after!;
  }

  /** Does nothing if there is none. */
  async remove(orgUuid: Ruuid): Promise<void> {
    await this.#repository.remove(orgUuid, this.#uuid(orgUuid));
  }

  #uuid(orgUuid: Ruuid): Ruuid {
    return deriveRuuid('integration', `${orgUuid}\0${this.#kind}`);
  }
}

/** An integration that can only be turned on and off. */
export class SwitchedIntegration extends OrgIntegrations<IntegrationBody> {
  /** Absent values are not changed; a new integration is on. */
  async set(
    orgUuid: Ruuid,
    given: { readonly enabled?: boolean; readonly userUuid?: Ruuid },
    changedBy: string,
  ): Promise<void> {
    await this.update(orgUuid, async (known) => ({
      body: mergeIntegrationInput(given, known),
      secret: null,
      changedBy,
    }));
  }
}
