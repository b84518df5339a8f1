/** The first badge vendor's integration: its doors, its tokens, and whether they are valid. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import { INTEGRATION_ERRORS } from '../../integrations/errors.ts';
import {
  type IntegrationBody,
  mergeIntegrationInput,
  OrgIntegrations,
} from '../../integrations/org-integrations.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import { type BadgeDoorInfo, checkBadgeDoors } from './badge-doors.ts';
import { isUsableToken } from './badge-token.ts';

/** Switches of the integration, all false for a new one. */
export const BADGE_FLAG_NAMES = [
  'alertUnauthorizedFaces',
  'badgeAuthDisablesAlarmMonitoring',
  'createSeekPoints',
  'identifyFacesFromBadge',
  'indexFaces',
  'saveClips',
] as const;
export type BadgeFlagName = (typeof BADGE_FLAG_NAMES)[number];
export type BadgeFlags = Readonly<Record<BadgeFlagName, boolean>>;

export interface BadgeVendorABody extends IntegrationBody {
  readonly flags: BadgeFlags;
  readonly doorInfoMap: Readonly<Record<string, BadgeDoorInfo>>;
  readonly serviceToken: Ruuid | null;
  readonly webhookUuid: string | null;
}

/** The resource's secret. */
interface BadgeVendorASecrets {
  readonly apiToken: string | null;
  readonly refreshToken: string | null;
  readonly webhookSignatureSecret: string | null;
}

/** Absent: not changed. */
export interface BadgeVendorASettings extends Partial<BadgeFlags> {
  readonly enabled?: boolean;
  readonly userUuid?: Ruuid;
  /** By the vendor's identifiers; replaces all earlier ones. */
  readonly doorInfoMap?: Readonly<Record<string, BadgeDoorInfo>>;
  readonly apiToken?: string;
  readonly refreshToken?: string;
  readonly serviceToken?: Ruuid;
  readonly webhookSignatureSecret?: string;
  readonly webhookUuid?: string;
}

export interface BadgeVendorAOutcome {
  /** The integration has no valid token: it is off. */
  readonly authError: boolean;
  /** Doors that were not stored. */
  readonly failedGuids: string[];
  /** Names of doors at several locations. */
  readonly misconfiguredDoors: string[];
}

/** The stored integration, and its current faults. */
export interface KnownBadgeVendorA {
  readonly integration: Resource<BadgeVendorABody>;
  readonly tokenValid: boolean;
  readonly misconfiguredDoors: string[];
}

export const BADGE_VENDOR_A: ResourceKind<BadgeVendorABody> = resourceKind('badgeVendorAIntegration');

export const MAX_BADGE_DOORS = 10_000;

export interface BadgeVendorAOptions {
  readonly store: Pick<Store, 'resources' | 'locations' | 'cameras'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class BadgeVendorA {
  readonly #store: BadgeVendorAOptions['store'];
  readonly #clock: BadgeVendorAOptions['clock'];
  readonly #integrations: OrgIntegrations<BadgeVendorABody>;

  constructor({ store, clock }: BadgeVendorAOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#integrations = new OrgIntegrations(store, BADGE_VENDOR_A, clock);
  }

  /** null: the organization has none. */
  async find(orgUuid: Ruuid): Promise<KnownBadgeVendorA | null> {
    const integration = await this.#integrations.find(orgUuid);
    if (integration === null) return null;
    const { misconfiguredDoors } = await checkBadgeDoors(this.#store, orgUuid, integration.body.doorInfoMap);
    return { integration, tokenValid: this.#isUsable(secretsOf(integration)), misconfiguredDoors };
  }

  /** Creates it, or changes the existing one. Invalid doors are left out. Fails TOO_MANY_BADGE_DOORS. */
  async update(
    orgUuid: Ruuid,
    settings: BadgeVendorASettings,
    changedBy: string,
  ): Promise<BadgeVendorAOutcome> {
    if (Object.keys(settings.doorInfoMap ?? {}).length > MAX_BADGE_DOORS) {
      throw new GatewayError(INTEGRATION_ERRORS.TOO_MANY_BADGE_DOORS);
    }
    let outcome: BadgeVendorAOutcome = { authError: false, failedGuids: [], misconfiguredDoors: [] };
    await this.#integrations.update(orgUuid, async (known) => {
      const secrets = { ...secretsOf(known), ...givenSecrets(settings) };
      const given = settings.doorInfoMap ?? known?.body.doorInfoMap ?? {};
      const { doorInfoMap, ...wrong } = await checkBadgeDoors(this.#store, orgUuid, given);
      outcome = { authError: !this.#isUsable(secrets), ...wrong };
      const { enabled, userUuid } = mergeIntegrationInput(settings, known);
      return {
        body: {
          enabled: enabled && !outcome.authError,
          userUuid,
          flags: flagsOf(settings, known),
          doorInfoMap,
          serviceToken: settings.serviceToken ?? known?.body.serviceToken ?? null,
          webhookUuid: settings.webhookUuid ?? known?.body.webhookUuid ?? null,
        },
        secret: new Secret(JSON.stringify(secrets)),
        changedBy,
      };
    });
    return outcome;
  }

  #isUsable({ apiToken, refreshToken }: BadgeVendorASecrets): boolean {
    return isUsableToken(apiToken, refreshToken, this.#clock.epochMs());
  }
}

function secretsOf(known: Resource<BadgeVendorABody> | null): BadgeVendorASecrets {
  const text = known?.secret?.reveal();
  if (text === undefined) return { apiToken: null, refreshToken: null, webhookSignatureSecret: null };
  return JSON.parse(text) as BadgeVendorASecrets;
}

/** A new token is on its own: the old one's refresh token does not renew it. */
function givenSecrets(settings: BadgeVendorASettings): Partial<BadgeVendorASecrets> {
  const { apiToken, refreshToken, webhookSignatureSecret } = settings;
  return {
    ...(apiToken === undefined ? {} : { apiToken, refreshToken: null }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(webhookSignatureSecret === undefined ? {} : { webhookSignatureSecret }),
  };
}

function flagsOf(settings: BadgeVendorASettings, known: Resource<BadgeVendorABody> | null): BadgeFlags {
  const flags = BADGE_FLAG_NAMES.map((name) => [name, settings[name] ?? known?.body.flags[name] ?? false]);
  return Object.fromEntries(flags) as BadgeFlags;
}
