/** Making and removing lockdown rules. */

import type { Clock } from '../../../core/clock.ts';
import { GatewayError } from '../../../core/errors.ts';
import { KeyedLock } from '../../../core/keyed-lock.ts';
import { newRuuid, type Ruuid } from '../../../core/ruuid.ts';
import { Secret } from '../../../core/secret.ts';
import type { ResourceRepository } from '../../../store/resource.ts';
import type { Store } from '../../../store/store.ts';
import { webhookHeaders, webhookUrl } from '../../../webhooks/webhook-request.ts';
import { invalidField } from '../../base/request-body.ts';
import type { DoorService } from '../../component/door-service.ts';
import type { LandingService } from '../../component/elevator/landing-service.ts';
import type { WebhookRegistry } from '../../webhook/webhook-registry.ts';
import { ACCESS_CONTROL_ERRORS } from '../errors.ts';
import type { ChangeAccessStateAction, RuleAction, WebhookAction } from './lockdown-action-type.ts';
import {
  LOCKDOWN_RULES,
  type LockdownRule,
  type LockdownRuleBody,
  type LockdownRuleInput,
  ruleAction,
} from './lockdown-rule-type.ts';

const MAX_RULES_PER_LOCATION = 200;
const CLIENT_CREDENTIALS = 'client_credentials';

export interface LockdownRulesOptions {
  readonly store: Pick<Store, 'resources' | 'locations' | 'schedules'>;
  readonly doors: DoorService;
  readonly landings: LandingService;
  readonly webhooks: WebhookRegistry;
  readonly clock: Clock;
  /** Private networks may be called, and so token endpoints there without TLS. */
  readonly allowPrivateNetworks: boolean;
}

/** What makes rules run, and when. */
export interface RuleRun {
  readonly key: string;
  readonly atMs: number;
}

export class LockdownRules {
  readonly #options: LockdownRulesOptions;
  readonly #rules: ResourceRepository<LockdownRuleBody>;
  /** Rules and the webhooks that they call are changed in turn, and so are the rules that one trigger makes run. */
  readonly #locks = new KeyedLock();

  constructor(options: LockdownRulesOptions) {
    this.#options = options;
    this.#rules = options.store.resources.of(LOCKDOWN_RULES);
  }

  /**
   * Resolves with its uuid. Fails INVALID_FIELD, TOO_MANY_LOCKDOWN_RULES, and LOCKDOWN_RULE_UUID_TAKEN for a uuid that
   * is no rule of the location.
   */
  async create(orgUuid: Ruuid, input: LockdownRuleInput): Promise<Ruuid> {
    await this.#check(orgUuid, input);
    return this.#locks.run(orgUuid, async () => {
      const known = await this.#replaced(orgUuid, input);
      const { locationUuid, ruleFilters = {}, action } = input;
      const full = () =>
        new GatewayError(ACCESS_CONTROL_ERRORS.TOO_MANY_LOCKDOWN_RULES, { location: locationUuid });
      const ofLocation = await this.#rules.listByParent(orgUuid, locationUuid);
      if (known === null && ofLocation.length >= MAX_RULES_PER_LOCATION) throw full();
      for (const { webhookUrl: url } of action.webhookActions ?? []) {
        await this.#options.webhooks.useInRule(orgUuid, url);
      }
      const nowMs = this.#options.clock.epochMs();
      const uuid = known?.uuid ?? newRuuid();
      const decide = (now: LockdownRule | null): LockdownRule => ({
        uuid,
        orgUuid,
        name: input.ruleName.trim(),
        parentUuid: locationUuid,
        body: {
          triggerActivity: input.triggerActivity?.trim() ?? null,
          scheduleUuids: ruleFilters.scheduleUuids ?? [],
          triggerBackoffSecs: ruleFilters.triggerBackoffSecs ?? 0,
          lastRunAtMs: now?.body.lastRunAtMs ?? null,
          lastRunKey: now?.body.lastRunKey ?? null,
        },
        secret: new Secret(JSON.stringify(action)),
        createdAtMs: now?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      });
      await this.#rules.change(orgUuid, uuid, decide, {
        atMost: MAX_RULES_PER_LOCATION,
        within: 'parent',
        full,
      });
      if (known !== null) await this.#releaseWebhooks(orgUuid);
      return uuid;
    });
  }

  list(orgUuid: Ruuid): Promise<LockdownRule[]> {
    return this.#rules.list(orgUuid);
  }

  listByLocation(orgUuid: Ruuid, locationUuid: Ruuid): Promise<LockdownRule[]> {
    return this.#rules.listByParent(orgUuid, locationUuid);
  }

  /** Whether the organisation has a rule at all: most have none, and every batch of events asks. */
  async hasAny(orgUuid: Ruuid): Promise<boolean> {
    return (await this.#rules.count(orgUuid)) > 0;
  }

  async has(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return (await this.#rules.find(orgUuid, uuid)) !== null;
  }

  /** Fails LOCKDOWN_RULE_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#locks.run(orgUuid, async () => {
      if (!(await this.#rules.remove(orgUuid, uuid))) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_RULE_NOT_FOUND, { rule: uuid });
      }
      await this.#releaseWebhooks(orgUuid);
    });
  }

  /**
   * The rules of a location that `isDue` lets run, noted as having run. In turn with changes, so that of two triggers at
   * once only one gets past a back-off. A rule that the same trigger made run before the gateway ended runs again.
   */
  async takeDue(
    orgUuid: Ruuid,
    locationUuid: Ruuid,
    run: RuleRun,
    isDue: (rule: LockdownRule) => Promise<boolean>,
  ): Promise<LockdownRule[]> {
    return this.#locks.run(orgUuid, async () => {
      const again: LockdownRule[] = [];
      const due: Ruuid[] = [];
      for (const rule of await this.#rules.listByParent(orgUuid, locationUuid)) {
        if (rule.body.lastRunKey === run.key) again.push(rule);
        else if (await isDue(rule)) due.push(rule.uuid);
      }
      const noted = await this.#rules.changeAll(orgUuid, due, (rule) =>
        rule === null
          ? 'unchanged'
          : { ...rule, body: { ...rule.body, lastRunAtMs: run.atMs, lastRunKey: run.key } },
      );
      return [...again, ...noted.flatMap(({ after }) => after ?? [])];
    });
  }

  /** Of a rule that went or changed. */
  async #releaseWebhooks(orgUuid: Ruuid): Promise<void> {
    const rules = await this.#rules.list(orgUuid);
    const called = rules.flatMap((rule) => ruleAction(rule).webhookActions ?? []);
    await this.#options.webhooks.releaseFromRules(
      orgUuid,
      called.map((action) => action.webhookUrl),
    );
  }

  async #replaced(orgUuid: Ruuid, input: LockdownRuleInput): Promise<LockdownRule | null> {
    if (input.ruleUuid === undefined) return null;
    const known = await this.#rules.find(orgUuid, input.ruleUuid);
    if (known === null || known.parentUuid !== input.locationUuid) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_RULE_UUID_TAKEN, { rule: input.ruleUuid });
    }
    return known;
  }

  async #check(orgUuid: Ruuid, input: LockdownRuleInput): Promise<void> {
    const { store } = this.#options;
    if (input.ruleName.trim() === '') throw invalidField('rule.ruleName must not be blank.');
    if (input.triggerActivity?.trim() === '') throw invalidField('rule.triggerActivity must not be blank.');
    if ((await store.locations.find(orgUuid, input.locationUuid)) === null) {
      throw invalidField('rule.locationUuid must be a location of the organisation.');
    }
    for (const [index, uuid] of (input.ruleFilters?.scheduleUuids ?? []).entries()) {
      if ((await store.schedules.find(orgUuid, uuid)) === null) {
        throw invalidField(
          `rule.ruleFilters.scheduleUuids[${index}] must be a schedule of the organisation.`,
        );
      }
    }
    await this.#checkAction(orgUuid, input.action);
  }

  async #checkAction(orgUuid: Ruuid, action: RuleAction): Promise<void> {
    for (const [index, webhook] of (action.webhookActions ?? []).entries()) {
      this.#checkWebhook(`rule.action.webhookActions[${index}]`, webhook);
    }
    for (const [index, change] of (action.changeComponentCompositeAccessStateActions ?? []).entries()) {
      const field = `rule.action.changeComponentCompositeAccessStateActions[${index}]`;
      await this.#checkChange(orgUuid, field, change);
    }
  }

  async #checkChange(orgUuid: Ruuid, field: string, change: ChangeAccessStateAction): Promise<void> {
    const { doors, landings } = this.#options;
    const { componentCompositeUuid, expirationStrategy = 'NONE' } = change;
    const isKnown =
      (await doors.has(orgUuid, componentCompositeUuid)) ||
      (await landings.find(orgUuid, componentCompositeUuid)) !== null;
    if (!isKnown) {
      throw invalidField(
        `${field}.componentCompositeUuid must be a door or an elevator landing of the organisation.`,
      );
    }
    if (expirationStrategy === 'TIME_DELAY' && change.expireTimeDelaySeconds === undefined) {
      throw invalidField(`${field}.expireTimeDelaySeconds is required with TIME_DELAY.`);
    }
    if (expirationStrategy === 'TIME_OF_DAY_LOCAL' && change.expireTimeOfDayLocalSeconds === undefined) {
      throw invalidField(`${field}.expireTimeOfDayLocalSeconds is required with TIME_OF_DAY_LOCAL.`);
    }
  }

  #checkWebhook(field: string, webhook: WebhookAction): void {
    naming(`${field}.webhookUrl`, () => webhookUrl(webhook.webhookUrl));
    naming(`${field}.headers`, () => webhookHeaders(webhook.headers ?? {}));
    const { oauthUrl, oauthClientId, oauthClientSecret, oauthGrantType } = webhook;
    const given = [oauthUrl, oauthClientId, oauthClientSecret].filter((part) => part !== undefined);
    if (given.length === 0) return;
    if (oauthUrl === undefined || given.length < 3) {
      throw invalidField(`${field}: oauthUrl, oauthClientId and oauthClientSecret must be given together.`);
    }
    const { protocol } = naming(`${field}.oauthUrl`, () => webhookUrl(oauthUrl));
    if (protocol !== 'https:' && !this.#options.allowPrivateNetworks) {
      throw invalidField(`${field}.oauthUrl must be an https URL: a client's secret goes there.`);
    }
    if (oauthGrantType !== undefined && oauthGrantType !== CLIENT_CREDENTIALS) {
      throw invalidField(`${field}.oauthGrantType must be ${CLIENT_CREDENTIALS}.`);
    }
  }
}

/** Says in an error which field it is about. */
function naming<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { sentence } = thrown.context;
    throw invalidField(`${field}: ${typeof sentence === 'string' ? sentence : thrown.message}`);
  }
}
