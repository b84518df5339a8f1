/** Rules that open cameras to a partner when an alert is reported. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import type { StoredEvent } from '../store/event.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import {
  EMERGENCY_PARTNERS,
  EMERGENCY_RULES,
  type EmergencyRule,
  type EmergencyRuleBody,
} from './emergency-records.ts';
import { EMERGENCY_ERRORS } from './errors.ts';

export interface GivenRule extends EmergencyRuleBody {
  readonly name: string;
}

export class EmergencyRules {
  readonly #rules: ResourceRepository<EmergencyRuleBody>;
  readonly #store: Pick<Store, 'resources' | 'cameras' | 'locations'>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources' | 'cameras' | 'locations'>, clock: Pick<Clock, 'epochMs'>) {
    this.#store = store;
    this.#rules = store.resources.of(EMERGENCY_RULES);
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<EmergencyRule[]> {
    return this.#rules.list(orgUuid);
  }

  /**
   * `uuid` null: a new one. Fails EMERGENCY_RULE_NOT_FOUND, EMERGENCY_RULE_UNNAMED, EMERGENCY_PARTNER_NOT_FOUND,
   * EMERGENCY_WITHOUT_CAMERA, EMERGENCY_RULE_PLACE_UNKNOWN, TOO_MANY_EMERGENCY_RULES.
   */
  async set(orgUuid: Ruuid, uuid: Ruuid | null, { name, ...body }: GivenRule): Promise<EmergencyRule> {
    if (name.trim() === '') throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_RULE_UNNAMED);
    await this.#check(orgUuid, body);
    const madeUuid = uuid ?? newRuuid();
    const nowMs = this.#clock.epochMs();
    const { after } = await this.#rules.change(
      orgUuid,
      madeUuid,
      (known) => {
        if (uuid !== null && known === null) {
          throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_RULE_NOT_FOUND, { rule: uuid });
        }
        return {
          uuid: madeUuid,
          orgUuid,
          name: name.trim(),
          parentUuid: null,
          body,
          secret: null,
          createdAtMs: known?.createdAtMs ?? nowMs,
          updatedAtMs: nowMs,
        };
      },
      {
        atMost: LIMITS.emergencyRules.perOrganization,
        within: 'organization',
        full: () => new GatewayError(EMERGENCY_ERRORS.TOO_MANY_EMERGENCY_RULES),
      },
    );
    return after!;
  }

  /** Its open emergency continues. Fails EMERGENCY_RULE_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if (!(await this.#rules.remove(orgUuid, uuid))) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_RULE_NOT_FOUND, { rule: uuid });
    }
  }

  async #check(orgUuid: Ruuid, { partnerUuid, opens, cameraUuids, locationUuids }: EmergencyRuleBody) {
    const { resources, cameras, locations } = this.#store;
    if ((await resources.of(EMERGENCY_PARTNERS).find(orgUuid, partnerUuid)) === null) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_PARTNER_NOT_FOUND, { partner: partnerUuid });
    }
    if (opens === 'chosen' && cameraUuids.length === 0) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_WITHOUT_CAMERA);
    }
    for (const uuid of cameraUuids) {
      if ((await cameras.find(orgUuid, uuid)) === null) throw unknownPlace('camera', uuid);
    }
    for (const uuid of locationUuids) {
      if ((await locations.find(orgUuid, uuid)) === null) throw unknownPlace('location', uuid);
    }
  }
}

/** Whether the rule waits for the alert. */
export function isFor({ body }: EmergencyRule, { locationUuid, body: alert }: StoredEvent): boolean {
  const { disabled, triggers, locationUuids, minValidation } = body;
  const { policyAlertTriggers = [], alarmValidationLevel } = alert as PolicyAlertBody;
  const isHere =
    locationUuids.length === 0 || (locationUuid !== undefined && locationUuids.includes(locationUuid));
  const isTrigger = triggers.length === 0 || policyAlertTriggers.some((each) => triggers.includes(each));
  const isLevel = minValidation === null || (alarmValidationLevel ?? -1) >= minValidation;
  return !disabled && isHere && isTrigger && isLevel;
}

function unknownPlace(what: 'camera' | 'location', uuid: Ruuid): GatewayError {
  return new GatewayError(EMERGENCY_ERRORS.EMERGENCY_RULE_PLACE_UNKNOWN, { what, uuid });
}
