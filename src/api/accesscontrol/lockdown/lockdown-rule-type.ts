/** The lockdown rule, as sent and as returned. */

import { type Static, Type } from 'typebox';
import { type LockdownRule, ruleAction } from '../../../access-control/lockdown/lockdown-rule.ts';
import { withoutSecrets } from '../../../access-control/lockdown/shown-action.ts';
import { deriveRuuid } from '../../../core/ruuid.ts';
import {
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  ruuid,
  text,
} from '../../../http/fields/field-types.ts';
import { type GivenRuleAction, RULE_ACTION_SCHEMA } from './lockdown-action-type.ts';

const MAX_SCHEDULES = 50;
/** One year. */
const MAX_BACKOFF_SEC = 31_536_000;
export const MAX_ACTIVITY_LENGTH = 128;

const RULE_FILTER_SCHEMA = namedType('RuleFilter', {
  scheduleUuids: Type.Optional(
    listOf(
      ruuid('A schedule.'),
      'The rule runs only while one of these is active; always, if there are none.',
      MAX_SCHEDULES,
    ),
  ),
  triggerBackoffSecs: Type.Optional(
    int32('After it runs, the rule ignores triggers for this many seconds.', 0, MAX_BACKOFF_SEC),
  ),
});

export const LOCKDOWN_RULE_INPUT = namedType('LockdownRule', {
  ruleUuid: Type.Optional(ruuid('The rule of the location to replace; absent to create one.')),
  locationUuid: ruuid('Its location.'),
  ruleName: text('Its name.', MAX_NAME_LENGTH),
  triggerActivity: Type.Optional(
    text('The activity that triggers it, such as PANIC_BUTTON; any activity if absent.', MAX_ACTIVITY_LENGTH),
  ),
  ruleFilters: Type.Optional(RULE_FILTER_SCHEMA),
  action: RULE_ACTION_SCHEMA,
});

export const LOCKDOWN_RULE_SCHEMA = namedType('KeptLockdownRule', {
  ruleUuid: ruuid('The rule.'),
  locationUuid: nullable(ruuid('Its location.')),
  ruleName: text('Its name.', MAX_NAME_LENGTH),
  triggerActivity: nullable(text('The activity that triggers it; absent: any.', MAX_ACTIVITY_LENGTH)),
  ruleFilters: RULE_FILTER_SCHEMA,
  action: RULE_ACTION_SCHEMA,
  lastRunAtMillis: nullable(int64('When it last ran, epoch milliseconds; absent: never.')),
});

export function lockdownRuleAnswer(rule: LockdownRule): Static<typeof LOCKDOWN_RULE_SCHEMA> {
  const { scheduleUuids, triggerBackoffSecs, triggerActivity, lastRunAtMs } = rule.body;
  return {
    ruleUuid: rule.uuid,
    locationUuid: rule.parentUuid,
    ruleName: rule.name,
    triggerActivity,
    ruleFilters: { scheduleUuids: [...scheduleUuids], triggerBackoffSecs },
    action: withoutSecrets(ruleAction(rule) as GivenRuleAction),
    lastRunAtMillis: lastRunAtMs,
  };
}

export const EXAMPLE_RULE_UUID = deriveRuuid('example', 'lockdown rule');
