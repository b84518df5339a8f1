/** The lockdown rule (docs/spec/rules.md#lockdown-rules): as sent and as stored. */

import type { Ruuid } from '../../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../../store/resource.ts';
import type { AccessState } from '../access-state.ts';

export const EXPIRATION_STRATEGIES = ['TIME_DELAY', 'TIME_OF_DAY_LOCAL', 'NONE'] as const;
export type ExpirationStrategy = (typeof EXPIRATION_STRATEGIES)[number];

/** Puts a door or an elevator landing in a state. */
export interface ChangeAccessStateAction {
  readonly componentCompositeUuid: Ruuid;
  /** Absent: ACCESS_CONTROLLED. */
  readonly accessState?: AccessState;
  /** How that ends. Absent: NONE. */
  readonly expirationStrategy?: ExpirationStrategy;
  readonly expireTimeDelaySeconds?: number;
  /** Second of the day in the location's time zone. */
  readonly expireTimeOfDayLocalSeconds?: number;
}

/** Calls another service, with a token if it requires one. */
export interface WebhookAction {
  readonly webhookUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauthUrl?: string;
  readonly oauthClientId?: string;
  readonly oauthClientSecret?: string;
  readonly oauthGrantType?: string;
  readonly oauthScope?: string;
}

/** Actions of a rule when it runs. Actions that are not named here are stored as sent, for clients that carry them out. */
export interface RuleAction {
  /** Raises a policy alert. */
  readonly alertAction?: boolean;
  readonly changeComponentCompositeAccessStateActions?: readonly ChangeAccessStateAction[];
  readonly webhookActions?: readonly WebhookAction[];
  /** Connects a device with a phone. */
  readonly connectAudioDeviceToPhoneNumberAction?: { readonly phoneNumber?: string };
}

type CarriedOut = Exclude<keyof RuleAction, 'connectAudioDeviceToPhoneNumberAction'>;

/** The actions that the gateway itself carries out. */
const CARRIED_OUT: Readonly<Record<CarriedOut, true>> = {
  alertAction: true,
  changeComponentCompositeAccessStateActions: true,
  webhookActions: true,
};

/** Names of the actions that the gateway stores but does not carry out. */
export function actionsLeftToClients(action: object): string[] {
  return Object.entries(action)
    .filter(([name, value]) => !(name in CARRIED_OUT) && isAsking(value))
    .map(([name]) => name);
}

function isAsking(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

export interface NewLockdownRule {
  /** The rule of the location to replace; absent to create one. */
  readonly ruleUuid?: Ruuid;
  readonly locationUuid: Ruuid;
  readonly ruleName: string;
  /** Absent: any. */
  readonly triggerActivity?: string;
  readonly ruleFilters?: {
    /** The rule runs only while one of these is active; always, if there are none. */
    readonly scheduleUuids?: readonly Ruuid[];
    /** After it runs, the rule ignores triggers for this many seconds. */
    readonly triggerBackoffSecs?: number;
  };
  readonly action: RuleAction;
}

/** The location is the resource's parent; the action, which contains secrets, is its secret. */
export interface LockdownRuleBody {
  /** null: any. */
  readonly triggerActivity: string | null;
  readonly scheduleUuids: readonly Ruuid[];
  readonly triggerBackoffSecs: number;
  /** When a trigger last made it run, epoch milliseconds; null: never. */
  readonly lastRunAtMs: number | null;
  /** The trigger of that run; null: none. */
  readonly lastRunKey: string | null;
}

export const LOCKDOWN_RULES: ResourceKind<LockdownRuleBody> = resourceKind('lockdownRule');
export type LockdownRule = Resource<LockdownRuleBody>;

export function ruleAction(rule: LockdownRule): RuleAction {
  return rule.secret === null ? {} : (JSON.parse(rule.secret.reveal()) as RuleAction);
}
