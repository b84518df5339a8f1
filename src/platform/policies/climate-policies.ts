/** Climate policies (docs/spec/rules.md#policy-alerts): which readings raise alerts, and when. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { POLICY_ERRORS } from '../../policies/errors.ts';
import { SHARING_ERRORS } from '../../sharing/errors.ts';
import type { Schedule } from '../../store/entities.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';

/** A reading that raises an alert. */
export interface ClimateTrigger {
  /** The measured quantity: an activity code. */
  readonly activity?: string;
  readonly threshold?: number;
}

export interface ClimateScheduledTrigger {
  /** When the triggers apply; always if absent. */
  readonly scheduleUuid?: Ruuid;
  readonly triggerSet?: readonly ClimateTrigger[];
}

/** The name is the resource's. */
export interface ClimatePolicyBody {
  /** The caller's name for it: unique within the organization only. */
  readonly policyUuid: Ruuid;
  readonly description: string | null;
  /** Seconds, by activity. */
  readonly backoffAlertSecs: Readonly<Record<string, number>>;
  readonly scheduledTriggers: readonly ClimateScheduledTrigger[];
}

export const CLIMATE_POLICIES: ResourceKind<ClimatePolicyBody> = resourceKind('climatePolicy');
export type ClimatePolicy = Resource<ClimatePolicyBody>;

/** Absent: not changed. */
export interface ClimatePolicyChanges {
  readonly uuid: Ruuid;
  readonly name?: string;
  readonly description?: string;
  readonly backoffAlertSecs?: Readonly<Record<string, number>>;
  readonly scheduledTriggers?: readonly ClimateScheduledTrigger[];
}

/** A policy with the schedules in which its triggers apply. */
export interface ScheduledPolicy {
  readonly policy: ClimatePolicy;
  /** Triggers that always apply. */
  readonly always: readonly ClimateTrigger[];
  readonly scheduled: readonly {
    readonly schedule: Schedule;
    readonly triggers: readonly ClimateTrigger[];
  }[];
}

const MAX_POLICIES_PER_ORG = LIMITS.climatePolicies.perOrganization;
/** More than the number of activities. */
const MAX_BACKOFFS = 256;
const DEFAULT_NAME = 'Unnamed';

export interface ClimatePoliciesOptions {
  readonly store: Pick<Store, 'resources' | 'schedules'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class ClimatePolicies {
  readonly #store: ClimatePoliciesOptions['store'];
  readonly #clock: ClimatePoliciesOptions['clock'];

  constructor({ store, clock }: ClimatePoliciesOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<ClimatePolicy[]> {
    return this.#store.resources.of(CLIMATE_POLICIES).list(orgUuid);
  }

  /** Those with triggers that apply in this schedule, in creation order. Fails SCHEDULE_NOT_FOUND. */
  async listUsing(orgUuid: Ruuid, scheduleUuid: Ruuid): Promise<LongList<ScheduledPolicy>> {
    const schedules = new Map((await this.#store.schedules.list(orgUuid)).map((each) => [each.uuid, each]));
    if (!schedules.has(scheduleUuid)) {
      throw new GatewayError(SHARING_ERRORS.SCHEDULE_NOT_FOUND, { schedule: scheduleUuid });
    }
    const policies = (await this.list(orgUuid)).filter((policy) => isUsing(policy, scheduleUuid));
    return LongList.of(policies).map((policy) => withSchedules(policy, schedules));
  }

  /**
   * Creates a policy or changes the existing one. Fails TOO_MANY_CLIMATE_BACKOFFS, CLIMATE_SCHEDULE_NOT_FOUND,
   * TOO_MANY_CLIMATE_POLICIES.
   */
  async update(orgUuid: Ruuid, changes: ClimatePolicyChanges): Promise<void> {
    if (Object.keys(changes.backoffAlertSecs ?? {}).length > MAX_BACKOFFS) {
      throw new GatewayError(POLICY_ERRORS.TOO_MANY_CLIMATE_BACKOFFS, { limit: MAX_BACKOFFS });
    }
    await this.#checkSchedules(orgUuid, changes.scheduledTriggers ?? []);
    // Callers choose the UUIDs of policies, so two organizations can choose the same one.
    const uuid = deriveRuuid('climate policy', `${orgUuid}\0${changes.uuid}`);
    const decide = (known: ClimatePolicy | null): ClimatePolicy => {
      const nowMs = this.#clock.epochMs();
      const before = known?.body;
      const body: ClimatePolicyBody = {
        policyUuid: changes.uuid,
        description: changes.description ?? before?.description ?? null,
        backoffAlertSecs: changes.backoffAlertSecs ?? before?.backoffAlertSecs ?? {},
        scheduledTriggers: changes.scheduledTriggers ?? before?.scheduledTriggers ?? [],
      };
      return {
        uuid,
        orgUuid,
        parentUuid: null,
        secret: null,
        body,
        name: changes.name?.trim() || known?.name || DEFAULT_NAME,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    await this.#store.resources.of(CLIMATE_POLICIES).change(orgUuid, uuid, decide, {
      atMost: MAX_POLICIES_PER_ORG,
      within: 'organization',
      full: () => new GatewayError(POLICY_ERRORS.TOO_MANY_CLIMATE_POLICIES),
    });
  }

  async #checkSchedules(orgUuid: Ruuid, triggers: readonly ClimateScheduledTrigger[]): Promise<void> {
    for (const [index, { scheduleUuid }] of triggers.entries()) {
      if (scheduleUuid === undefined) continue;
      if ((await this.#store.schedules.find(orgUuid, scheduleUuid)) === null) {
        throw new GatewayError(POLICY_ERRORS.CLIMATE_SCHEDULE_NOT_FOUND, { index });
      }
    }
  }
}

/** A trigger whose schedule was just removed is left out. */
function withSchedules(policy: ClimatePolicy, schedules: ReadonlyMap<Ruuid, Schedule>): ScheduledPolicy {
  const { scheduledTriggers } = policy.body;
  const always = scheduledTriggers.filter(({ scheduleUuid }) => scheduleUuid === undefined);
  return {
    policy,
    always: always.flatMap(({ triggerSet = [] }) => triggerSet),
    scheduled: scheduledTriggers.flatMap(({ scheduleUuid, triggerSet: triggers = [] }) => {
      const schedule = scheduleUuid === undefined ? undefined : schedules.get(scheduleUuid);
      return schedule === undefined ? [] : [{ schedule, triggers }];
    }),
  };
}

/** Whether any trigger of the policy applies in this schedule. */
export function isUsing({ body }: ClimatePolicy, scheduleUuid: Ruuid): boolean {
  return body.scheduledTriggers.some((each) => each.scheduleUuid === scheduleUuid);
}
