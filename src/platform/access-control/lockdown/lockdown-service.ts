/** Runs lockdown rules when their triggers arrive. */

import { Temporal } from 'temporal-polyfill';
import type { Clock } from '../../../core/clock.ts';
import { toGatewayError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { deriveRuuid, type Ruuid } from '../../../core/ruuid.ts';
import { isPassing } from '../../../events/event-effects.ts';
import { scheduleStateAt } from '../../../sharing/schedule-state.ts';
import type { Location } from '../../../store/entities.ts';
import type { StoredEvent } from '../../../store/event.ts';
import type { Store } from '../../../store/store.ts';
import type { WebhookDeliveries } from '../../../webhooks/webhook-deliveries.ts';
import type { WebhookRegistry } from '../../../webhooks/webhook-registry.ts';
import { webhookHeaders } from '../../../webhooks/webhook-request.ts';
import type { AccessStateOverride } from '../access-state.ts';
import type { DoorService } from '../door-service.ts';
import type { LandingService } from '../landing-service.ts';
import {
  type ChangeAccessStateAction,
  type LockdownRule,
  ruleAction,
  type WebhookAction,
} from './lockdown-rule.ts';
import type { LockdownRules } from './lockdown-rules.ts';

/** An event that rules can wait for. */
export interface LockdownTrigger {
  /** In the reporter's terms: `PANIC_BUTTON`, `MOTION_HUMAN`, `PanicButtonEvent`… */
  readonly activity: string;
  readonly locationUuid: Ruuid;
  readonly deviceUuid: Ruuid;
  /** The door or another component; null: none. */
  readonly componentUuid: Ruuid | null;
  /** When it happened, epoch milliseconds. */
  readonly atMs: number;
  /** Identifies it: code that sees it again, because the gateway ended in the meantime, does nothing twice. */
  readonly key: string;
}

/** Subject and time of an alert that a rule raises. */
export interface RaisedAlert {
  readonly componentUuid: Ruuid | null;
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  readonly timestampMs: number;
}

/** Whether alerts of the organization are paused. */
export type AlertPausesOf = (orgUuid: Ruuid) => Promise<(alert: RaisedAlert) => boolean>;

export interface LockdownServiceOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'events' | 'locations' | 'schedules' | 'resources'>;
  readonly rules: LockdownRules;
  readonly doors: DoorService;
  readonly landings: LandingService;
  readonly webhooks: WebhookRegistry;
  readonly deliveries: WebhookDeliveries;
  readonly alertPausesOf: AlertPausesOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** A report that arrives later than this is history: locking down for it would be wrong. */
const MAX_TRIGGER_AGE_MS = 5 * 60_000;
/** Raised by rules. Not a trigger itself, or a rule could trigger itself. */
const RULE_ALERT_TRIGGER = 'LOCKDOWN_RULE';
const MS_PER_SECOND = 1_000;

export class LockdownService {
  readonly #options: LockdownServiceOptions;

  constructor(options: LockdownServiceOptions) {
    this.#options = options;
  }

  /** Runs the rules that reported events trigger, until the turn is over. Resolves with how many events it got to. */
  async onEvents(events: readonly StoredEvent[], isTurnOver: () => boolean = () => false): Promise<number> {
    const { clock, log, rules } = this.#options;
    const oldestMs = clock.epochMs() - MAX_TRIGGER_AGE_MS;
    const hasRules = new Map<Ruuid, boolean>();
    for (const [index, event] of events.entries()) {
      const { orgUuid, id } = event;
      if (event.atMs < oldestMs || activitiesIn(event).length === 0) continue;
      if (index > 0 && isTurnOver()) return index;
      try {
        if (!hasRules.has(orgUuid)) hasRules.set(orgUuid, await rules.hasAny(orgUuid));
        if (hasRules.get(orgUuid) === false) continue;
        for (const trigger of await this.#triggersIn(event)) await this.trigger(orgUuid, trigger);
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        log.error({ err: toGatewayError(thrown), orgUuid, event: id }, 'lockdown rules failed');
      }
    }
    return events.length;
  }

  /** Runs the rules that wait for it. Resolves with their uuids when their webhooks are on their way. */
  async trigger(orgUuid: Ruuid, trigger: LockdownTrigger): Promise<Ruuid[]> {
    const { store, rules, clock } = this.#options;
    const location = await store.locations.find(orgUuid, trigger.locationUuid);
    if (location === null) return [];
    const run = { key: trigger.key, atMs: clock.epochMs() };
    const due = await rules.takeDue(orgUuid, location.uuid, run, {
      isDue: (rule) => this.#isDue(rule, location, trigger),
      isRested: (rule) => this.#isRested(rule),
    });
    for (const rule of due) await this.#run(rule, location, trigger);
    return due.map(({ uuid }) => uuid);
  }

  /** If a report does not say where it happened, its door or camera does. */
  async #triggersIn(event: StoredEvent): Promise<LockdownTrigger[]> {
    const { store, doors } = this.#options;
    const { orgUuid, deviceUuid, atMs, body } = event;
    const locationUuid =
      event.locationUuid ??
      (await doors.locationOf(orgUuid, deviceUuid)) ??
      (await store.cameras.find(orgUuid, deviceUuid))?.locationUuid ??
      null;
    if (locationUuid === null) return [];
    const { componentUuid = null } = body as { readonly componentUuid?: Ruuid };
    return activitiesIn(event).map((activity) => ({
      activity,
      locationUuid,
      deviceUuid,
      componentUuid,
      atMs,
      key: `${event.kind}\0${event.id}\0${activity}`,
    }));
  }

  /** By the gateway's clock: one device whose clock is ahead must not hide the others. */
  #isRested({ body: { triggerBackoffSecs, lastRunAtMs } }: LockdownRule): boolean {
    const nowMs = this.#options.clock.epochMs();
    return lastRunAtMs === null || nowMs >= lastRunAtMs + triggerBackoffSecs * MS_PER_SECOND;
  }

  async #isDue(rule: LockdownRule, location: Location, trigger: LockdownTrigger): Promise<boolean> {
    const { orgUuid } = rule;
    const { triggerActivity, scheduleUuids } = rule.body;
    const nowMs = this.#options.clock.epochMs();
    if (triggerActivity !== null && triggerActivity !== trigger.activity) return false;
    if (!this.#isRested(rule)) return false;
    if (scheduleUuids.length === 0) return true;
    for (const uuid of scheduleUuids) {
      const schedule = await this.#options.store.schedules.find(orgUuid, uuid);
      if (schedule === null) continue;
      const atMs = Math.min(trigger.atMs, nowMs);
      if (scheduleStateAt(schedule, location.tz, atMs)?.isInside === true) return true;
    }
    return false;
  }

  /** If one action fails, the others still run. */
  async #run(rule: LockdownRule, location: Location, trigger: LockdownTrigger): Promise<void> {
    const action = ruleAction(rule);
    const steps: (() => Promise<void>)[] = [];
    for (const change of action.changeComponentCompositeAccessStateActions ?? []) {
      steps.push(() => this.#changeAccessState(rule, location, trigger, change));
    }
    for (const [index, webhook] of (action.webhookActions ?? []).entries()) {
      const uuid = deriveRuuid('rule delivery', `${rule.uuid}\0${trigger.key}\0${index}`);
      steps.push(() => this.#callWebhook(uuid, rule, trigger, webhook));
    }
    if (action.alertAction === true) steps.push(() => this.#raiseAlert(rule, trigger));
    for (const step of steps) {
      try {
        await step();
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        this.#options.log.error(
          { err: toGatewayError(thrown), rule: rule.uuid },
          'lockdown rule action failed',
        );
      }
    }
    this.#options.log.info({ rule: rule.uuid, activity: trigger.activity }, 'lockdown rule ran');
  }

  async #callWebhook(
    uuid: Ruuid,
    rule: LockdownRule,
    trigger: LockdownTrigger,
    webhook: WebhookAction,
  ): Promise<void> {
    const { deliveries, webhooks } = this.#options;
    const { oauthUrl, oauthClientId, oauthClientSecret, oauthScope } = webhook;
    const hasClient =
      oauthUrl !== undefined && oauthClientId !== undefined && oauthClientSecret !== undefined;
    const signingSecret = await webhooks.useInRule(rule.orgUuid, webhook.webhookUrl);
    await deliveries.send({
      uuid,
      orgUuid: rule.orgUuid,
      causeUuid: rule.uuid,
      event: 'lockdownRule',
      url: webhook.webhookUrl,
      headers: webhookHeaders(webhook.headers ?? {}),
      payload: JSON.stringify({
        event: 'lockdownRule',
        orgUuid: rule.orgUuid,
        ruleUuid: rule.uuid,
        ruleName: rule.name,
        locationUuid: trigger.locationUuid,
        activity: trigger.activity,
        deviceUuid: trigger.deviceUuid,
        componentUuid: trigger.componentUuid,
        timestampMs: trigger.atMs,
      }),
      signingSecret: signingSecret.reveal(),
      oauthClient: hasClient
        ? {
            tokenUrl: oauthUrl,
            clientId: oauthClientId,
            clientSecret: oauthClientSecret,
            scope: oauthScope ?? null,
          }
        : null,
    });
  }

  async #changeAccessState(
    { orgUuid, uuid: ruleUuid, name }: LockdownRule,
    location: Location,
    trigger: LockdownTrigger,
    change: ChangeAccessStateAction,
  ): Promise<void> {
    const { doors, landings, clock } = this.#options;
    const atMs = Math.min(trigger.atMs, clock.epochMs());
    const expiresAtMillis = expiryOf(change, location.tz, atMs);
    const override: AccessStateOverride = {
      type: 'DOOR_STATE_OVERRIDE',
      state: change.accessState ?? 'ACCESS_CONTROLLED',
      originator: { type: 'RULE', grantedToInternalEntityUuid: ruleUuid, grantedToName: name },
      requestedAtMillis: atMs,
      ...(expiresAtMillis === null ? {} : { expiresAtMillis }),
    };
    const { componentCompositeUuid } = change;
    if (await doors.has(orgUuid, componentCompositeUuid)) {
      await doors.override(orgUuid, componentCompositeUuid, override);
    } else {
      await landings.override(orgUuid, componentCompositeUuid, override);
    }
  }

  async #raiseAlert(
    { uuid: ruleUuid, orgUuid, name }: LockdownRule,
    trigger: LockdownTrigger,
  ): Promise<void> {
    const { store, alertPausesOf } = this.#options;
    const { deviceUuid, componentUuid, locationUuid, atMs } = trigger;
    const isPaused = await alertPausesOf(orgUuid);
    if (isPaused({ componentUuid, deviceUuid, locationUuid, timestampMs: atMs })) return;
    const body = {
      type: 'POLICY_ALERT_V2',
      locationUuid,
      ...(componentUuid === null ? {} : { componentUuid }),
      policyAlertTriggers: [RULE_ALERT_TRIGGER],
      textDescription: `${name}: ${trigger.activity}`,
    };
    const id = deriveRuuid('rule alert', `${ruleUuid}\0${trigger.key}`);
    await store.events.add([{ orgUuid, kind: 'policyAlert', id, deviceUuid, locationUuid, atMs, body }]);
  }
}

/** Alerts name their activities; component events are one activity each. */
function activitiesIn({ kind, body }: StoredEvent): string[] {
  const { policyAlertTriggers = [], type } = body as {
    readonly policyAlertTriggers?: readonly string[];
    readonly type?: string;
  };
  switch (kind) {
    case 'policyAlert':
      return [...new Set(policyAlertTriggers)].filter((activity) => activity !== RULE_ALERT_TRIGGER);
    case 'componentEvent':
      return type === undefined ? [] : [type];
    default:
      return [];
  }
}

/** Epoch milliseconds; null: never. A time of day that daylight saving time skips comes that much later. */
function expiryOf(change: ChangeAccessStateAction, timeZone: string, atMs: number): number | null {
  const { expirationStrategy = 'NONE', expireTimeDelaySeconds = 0, expireTimeOfDayLocalSeconds = 0 } = change;
  if (expirationStrategy === 'NONE') return null;
  if (expirationStrategy === 'TIME_DELAY') return atMs + expireTimeDelaySeconds * MS_PER_SECOND;
  const now = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone);
  const time = Temporal.PlainTime.from('00:00').add({ seconds: expireTimeOfDayLocalSeconds });
  const today = now.withPlainTime(time).epochMilliseconds;
  return today > atMs ? today : now.add({ days: 1 }).withPlainTime(time).epochMilliseconds;
}
