/** Creates and removes lockdown rules. */

import type { Clock } from '../../../core/clock.ts';
import { GatewayError } from '../../../core/errors.ts';
import { KeyedLock } from '../../../core/keyed-lock.ts';
import { LIMITS } from '../../../core/limits/registry.ts';
import { e164 } from '../../../core/phone-number.ts';
import { newRuuid, type Ruuid } from '../../../core/ruuid.ts';
import { Secret } from '../../../core/secret.ts';
import type { ResourceRepository, RoomForMore } from '../../../store/resource.ts';
import type { Store } from '../../../store/store.ts';
import type { WebhookRegistry } from '../../../webhooks/webhook-registry.ts';
import { webhookHeaders, webhookUrl } from '../../../webhooks/webhook-request.ts';
import type { DoorService } from '../door-service.ts';
import { ACCESS_CONTROL_ERRORS } from '../errors.ts';
import type { LandingService } from '../landing-service.ts';
import {
  type ChangeAccessStateAction,
  LOCKDOWN_RULES,
  type LockdownRule,
  type LockdownRuleBody,
  type NewLockdownRule,
  type RuleAction,
  ruleAction,
  type WebhookAction,
} from './lockdown-rule.ts';

const MAX_RULES_PER_LOCATION = 200;
const CLIENT_CREDENTIALS = 'client_credentials';

export interface LockdownRulesOptions {
  readonly store: Pick<Store, 'resources' | 'locations' | 'schedules'>;
  readonly doors: DoorService;
  readonly landings: LandingService;
  readonly webhooks: WebhookRegistry;
  readonly clock: Clock;
  /** Private networks can be called, and so can token endpoints there without TLS. */
  readonly allowPrivateNetworks: boolean;
}

/** A trigger of rules, and its time. */
export interface RuleRun {
  readonly key: string;
  readonly atMs: number;
}

/** Which rules a trigger runs. */
export interface DueRules {
  readonly isDue: (rule: LockdownRule) => Promise<boolean>;
  /** Whether its backoff is over. */
  readonly isRested: (rule: LockdownRule) => boolean;
}

export class LockdownRules {
  readonly #options: LockdownRulesOptions;
  readonly #rules: ResourceRepository<LockdownRuleBody>;
  /** Changes of rules and the webhooks that they call take turns, and so do the rules that one trigger runs. */
  readonly #locks = new KeyedLock();

  constructor(options: LockdownRulesOptions) {
    this.#options = options;
    this.#rules = options.store.resources.of(LOCKDOWN_RULES);
  }

  /**
   * Resolves with its uuid. Fails TOO_MANY_LOCKDOWN_RULES, LOCKDOWN_RULE_UUID_TAKEN for a uuid that is not a rule of the
   * location, and with the other codes of `ACCESS_CONTROL_ERRORS` for invalid rules; the context says which part is
   * wrong.
   */
  async create(orgUuid: Ruuid, input: NewLockdownRule): Promise<Ruuid> {
    const action = withCalledNumber(input.action);
    await this.#check(orgUuid, input);
    return this.#locks.run(orgUuid, async () => {
      const known = await this.#replaced(orgUuid, input);
      const { locationUuid, ruleFilters = {} } = input;
      const full = () =>
        new GatewayError(ACCESS_CONTROL_ERRORS.TOO_MANY_LOCKDOWN_RULES, { location: locationUuid });
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
      const rooms: readonly RoomForMore[] = [
        { atMost: MAX_RULES_PER_LOCATION, within: 'parent', full },
        { atMost: LIMITS.lockdownRules.perOrganization, within: 'organization', full },
      ];
      try {
        for (const { webhookUrl: url } of action.webhookActions ?? []) {
          await this.#options.webhooks.useInRule(orgUuid, url);
        }
        await this.#rules.change(orgUuid, uuid, decide, rooms);
      } catch (thrown) {
        await this.#releaseWebhooks(orgUuid);
        throw thrown;
      }
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

  /** Whether the organization has any rule: most have none, and every batch of events checks. */
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
   * The rules of a location that `isDue` allows, recorded as having run. Only one of two simultaneous triggers gets past a
   * backoff, also if they arrive at two gateways: `isRested` is asked again as the run is recorded. A rule that the same
   * trigger started before the gateway ended runs again.
   */
  async takeDue(
    orgUuid: Ruuid,
    locationUuid: Ruuid,
    run: RuleRun,
    { isDue, isRested }: DueRules,
  ): Promise<LockdownRule[]> {
    return this.#locks.run(orgUuid, async () => {
      const again: LockdownRule[] = [];
      const due: Ruuid[] = [];
      for (const rule of await this.#rules.listByParent(orgUuid, locationUuid)) {
        if (rule.body.lastRunKey === run.key) again.push(rule);
        else if (await isDue(rule)) due.push(rule.uuid);
      }
      const noted = await this.#rules.changeAll(orgUuid, due, (rule) =>
        rule === null || !isRested(rule)
          ? 'unchanged'
          : { ...rule, body: { ...rule.body, lastRunAtMs: run.atMs, lastRunKey: run.key } },
      );
      const ran = noted.flatMap(({ after }) => after ?? []);
      return [...again, ...ran.filter(({ body }) => body.lastRunKey === run.key)];
    });
  }

  /** Releases the webhooks of a rule that was removed or changed. */
  async #releaseWebhooks(orgUuid: Ruuid): Promise<void> {
    const rules = await this.#rules.list(orgUuid);
    const called = rules.flatMap((rule) => ruleAction(rule).webhookActions ?? []);
    await this.#options.webhooks.releaseFromRules(
      orgUuid,
      called.map((action) => action.webhookUrl),
    );
  }

  async #replaced(orgUuid: Ruuid, input: NewLockdownRule): Promise<LockdownRule | null> {
    if (input.ruleUuid === undefined) return null;
    const known = await this.#rules.find(orgUuid, input.ruleUuid);
    if (known === null || known.parentUuid !== input.locationUuid) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_RULE_UUID_TAKEN, { rule: input.ruleUuid });
    }
    return known;
  }

  async #check(orgUuid: Ruuid, input: NewLockdownRule): Promise<void> {
    const { store } = this.#options;
    if (input.ruleName.trim() === '') throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_RULE_UNNAMED);
    if (input.triggerActivity?.trim() === '') {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_TRIGGER_BLANK);
    }
    if ((await store.locations.find(orgUuid, input.locationUuid)) === null) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_LOCATION_NOT_FOUND);
    }
    for (const [index, uuid] of (input.ruleFilters?.scheduleUuids ?? []).entries()) {
      if ((await store.schedules.find(orgUuid, uuid)) === null) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_SCHEDULE_NOT_FOUND, { index });
      }
    }
    await this.#checkAction(orgUuid, input.action);
  }

  async #checkAction(orgUuid: Ruuid, action: RuleAction): Promise<void> {
    for (const [index, webhook] of (action.webhookActions ?? []).entries()) {
      this.#checkWebhook(index, webhook);
    }
    for (const [index, change] of (action.changeComponentCompositeAccessStateActions ?? []).entries()) {
      await this.#checkChange(orgUuid, index, change);
    }
  }

  async #checkChange(orgUuid: Ruuid, index: number, change: ChangeAccessStateAction): Promise<void> {
    const { doors, landings } = this.#options;
    const { componentCompositeUuid, expirationStrategy: strategy = 'NONE' } = change;
    const isKnown =
      (await doors.has(orgUuid, componentCompositeUuid)) ||
      (await landings.find(orgUuid, componentCompositeUuid)) !== null;
    if (!isKnown) throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_COMPONENT_NOT_FOUND, { index });
    const isMissing =
      (strategy === 'TIME_DELAY' && change.expireTimeDelaySeconds === undefined) ||
      (strategy === 'TIME_OF_DAY_LOCAL' && change.expireTimeOfDayLocalSeconds === undefined);
    if (isMissing) throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_EXPIRY_MISSING, { index, strategy });
  }

  #checkWebhook(index: number, webhook: WebhookAction): void {
    telling({ index, part: 'webhookUrl' }, () => webhookUrl(webhook.webhookUrl));
    telling({ index, part: 'headers' }, () => webhookHeaders(webhook.headers ?? {}));
    const { oauthUrl, oauthClientId, oauthClientSecret, oauthGrantType } = webhook;
    const given = [oauthUrl, oauthClientId, oauthClientSecret].filter((part) => part !== undefined);
    if (given.length === 0) return;
    if (oauthUrl === undefined || given.length < 3) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_OAUTH_CLIENT_INCOMPLETE, { index });
    }
    const { protocol } = telling({ index, part: 'oauthUrl' }, () => webhookUrl(oauthUrl));
    if (protocol !== 'https:' && !this.#options.allowPrivateNetworks) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_OAUTH_URL_INSECURE, { index });
    }
    if (oauthGrantType !== undefined && oauthGrantType !== CLIENT_CREDENTIALS) {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_OAUTH_GRANT_UNSUPPORTED, { index });
    }
  }
}

/** The action, with the phone number that it calls in E.164 form. Fails LOCKDOWN_PHONE_NUMBER_INVALID. */
function withCalledNumber(action: RuleAction): RuleAction {
  const { connectAudioDeviceToPhoneNumberAction: call } = action;
  if (call?.phoneNumber === undefined) return action;
  const phoneNumber = e164(call.phoneNumber);
  if (phoneNumber === null) throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_PHONE_NUMBER_INVALID);
  return { ...action, connectAudioDeviceToPhoneNumberAction: { ...call, phoneNumber } };
}

/** Makes an error say which part of which webhook it is about. */
function telling<T>(
  place: { readonly index: number; readonly part: keyof WebhookAction },
  check: () => T,
): T {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { sentence } = thrown.context;
    const reason = typeof sentence === 'string' ? sentence : thrown.message;
    throw new GatewayError(ACCESS_CONTROL_ERRORS.LOCKDOWN_WEBHOOK_INVALID, { ...place, reason }, thrown);
  }
}
