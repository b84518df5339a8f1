/**
 * Opens cameras when an alert is reported for which a rule waits. A sensor that reports an alert every second extends one emergency; it
 * opens no further ones, and what a person closed stays closed for a while.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { isPassing } from '../events/event-effects.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { type Emergencies, MAX_EMERGENCY_CAMERAS } from './emergencies.ts';
import type { EmergencyPartners } from './emergency-partners.ts';
import type { EmergencyRule } from './emergency-records.ts';
import { type EmergencyRules, isFor } from './emergency-rules.ts';
import { EMERGENCY_ERRORS } from './errors.ts';

export interface RuleOpeningsOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs'>;
  readonly emergencies: Pick<Emergencies, 'open' | 'extend' | 'openOfRule' | 'pastOfRule'>;
  readonly partners: Pick<EmergencyPartners, 'find'>;
  readonly rules: Pick<EmergencyRules, 'list'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly log: Log;
}

/** A report that arrives later is history: no one needs to watch for it. */
export const MAX_ALERT_AGE_MS = 5 * 60_000;
/** After a person has closed what the rule opened. */
export const RULE_REST_MS = 15 * 60_000;
/** Each is mails and calls to the partner. */
export const MAX_OPENINGS_PER_HOUR = 6;
/** An alert that would extend it by less changes nothing. */
export const MIN_EXTENSION_MS = 30_000;
const HOUR_MS = 3_600_000;
const MS_PER_MINUTE = 60_000;

export class RuleOpenings {
  readonly #options: RuleOpeningsOptions;

  constructor(options: RuleOpeningsOptions) {
    this.#options = options;
  }

  /** An effect of reported events. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    const { clock, rules, log } = this.#options;
    const oldestMs = clock.epochMs() - MAX_ALERT_AGE_MS;
    const alerts = events.filter(({ kind, atMs }) => kind === 'policyAlert' && atMs >= oldestMs);
    for (const [orgUuid, ofOrg] of Map.groupBy(alerts, (alert) => alert.orgUuid)) {
      const waiting = await rules.list(orgUuid);
      for (const rule of waiting) {
        for (const alert of ofOrg) {
          if (!isFor(rule, alert)) continue;
          try {
            await this.#apply(rule, alert);
          } catch (thrown) {
            if (isPassing(thrown)) throw thrown;
            const facts = { orgUuid, rule: rule.uuid, alert: alert.id };
            log.error({ err: toGatewayError(thrown), ...facts }, 'emergency not opened by its rule');
          }
        }
      }
    }
  }

  async #apply(rule: EmergencyRule, alert: StoredEvent): Promise<void> {
    const { emergencies } = this.#options;
    const open = await emergencies.openOfRule(rule.orgUuid, rule.uuid);
    if (open === null) return this.#open(rule, alert);
    const { alertIds, untilMs } = open.body;
    const wantedMs = this.#options.clock.epochMs() + rule.body.minutes * MS_PER_MINUTE;
    if (alertIds.includes(alert.id) || wantedMs - untilMs < MIN_EXTENSION_MS) return;
    await this.#extend(rule, open.uuid, alert);
  }

  async #extend(rule: EmergencyRule, uuid: Ruuid, alert: StoredEvent): Promise<void> {
    const given = { minutes: rule.body.minutes, by: rule.name, alertId: alert.id };
    await this.#options.emergencies.extend(rule.orgUuid, uuid, given).catch((thrown: unknown) => {
      // It has ended at this moment: the next alert opens another one.
      const { code } = toGatewayError(thrown);
      if (
        code !== EMERGENCY_ERRORS.EMERGENCY_CLOSED.code &&
        code !== EMERGENCY_ERRORS.EMERGENCY_NOT_FOUND.code
      ) {
        throw thrown;
      }
    });
  }

  async #open(rule: EmergencyRule, alert: StoredEvent): Promise<void> {
    const { emergencies, partners, log } = this.#options;
    const { orgUuid, uuid, name, body } = rule;
    const emergencyUuid = deriveRuuid(`emergency of rule ${uuid}`, alert.id);
    if (!(await this.#mayOpen(rule, alert, emergencyUuid))) return;
    const cameraUuids = await this.#camerasOf(rule, alert);
    if (cameraUuids.length === 0) {
      log.warn({ orgUuid, rule: uuid, alert: alert.id }, 'emergency rule has no camera to open');
      return;
    }
    const partner = await partners.find(orgUuid, body.partnerUuid);
    const { textDescription = '', policyAlertTriggers = [] } = alert.body as PolicyAlertBody;
    try {
      await emergencies.open(orgUuid, {
        partner,
        cameraUuids,
        minutes: body.minutes,
        cause: {
          by: name,
          isRule: true,
          reason: textDescription.trim() || policyAlertTriggers.join(', ') || name,
          alertId: alert.id,
        },
        rule: { uuid, emergencyUuid },
      });
      log.info({ orgUuid, rule: uuid, emergency: emergencyUuid }, 'emergency opened by its rule');
    } catch (thrown) {
      // Another gateway has opened it for another alert.
      if (!(thrown instanceof GatewayError) || thrown.context.isOfRule !== true) throw thrown;
    }
  }

  async #mayOpen(
    { orgUuid, uuid }: EmergencyRule,
    alert: StoredEvent,
    emergencyUuid: Ruuid,
  ): Promise<boolean> {
    const { emergencies, clock, log } = this.#options;
    const nowMs = clock.epochMs();
    const past = await emergencies.pastOfRule(orgUuid, uuid);
    const isSeenAgain = past.some(
      (each) => each.uuid === emergencyUuid || each.body.alertIds.includes(alert.id),
    );
    if (isSeenAgain) return false;
    const isResting = past.some(
      ({ body }) => body.closedBy !== null && Math.abs(nowMs - body.closedAtMs) < RULE_REST_MS,
    );
    const opened = past.filter(({ createdAtMs }) => Math.abs(nowMs - createdAtMs) < HOUR_MS).length;
    if (!isResting && opened < MAX_OPENINGS_PER_HOUR) return true;
    log.warn({ orgUuid, rule: uuid, alert: alert.id, isResting, opened }, 'emergency rule waits');
    return false;
  }

  /** The alert's own camera first. */
  async #camerasOf(
    { orgUuid, body }: EmergencyRule,
    { deviceUuid, locationUuid }: StoredEvent,
  ): Promise<Ruuid[]> {
    const { cameras, nvrs } = this.#options.store;
    if (body.opens === 'chosen') return [...body.cameraUuids];
    const own = await cameras.find(orgUuid, deviceUuid);
    const first = own === null || own.mummified ? [] : [own.uuid];
    if (body.opens === 'camera' || locationUuid === undefined) return first;
    const sites = new Map((await nvrs.list(orgUuid)).map((nvr) => [nvr.uuid, nvr.locationUuid]));
    const there = (await cameras.list(orgUuid))
      .filter((camera) => !camera.mummified)
      .filter((camera) => {
        const { nvrUuid } = camera;
        return (camera.locationUuid ?? (nvrUuid === null ? null : sites.get(nvrUuid))) === locationUuid;
      })
      .map((camera) => camera.uuid);
    return [...new Set([...first, ...there])].slice(0, MAX_EMERGENCY_CAMERAS);
  }
}
