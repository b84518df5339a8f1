/** Lockdown rules as rows. */

import { triggerText } from '../alert-list.ts';
import { actionTexts, eventText, type LockdownRule } from '../door-list.ts';
import { t } from '../words.ts';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

export function LockdownRuleTable({
  rules,
  locationNames,
  remove,
}: {
  readonly rules: readonly LockdownRule[];
  readonly locationNames: ReadonlyMap<string, string>;
  /** Null: the person cannot delete rules. */
  readonly remove: ((rule: LockdownRule) => void) | null;
}) {
  return (
    <RecordTable
      name="rules"
      label={t('Lockdown rules')}
      items={rules}
      keyOf={({ ruleUuid }) => ruleUuid}
      columns={[
        { title: t('Name'), cell: ({ ruleName }) => <b>{ruleName}</b> },
        { title: t('When'), cell: ({ triggerActivity }) => activityText(triggerActivity) },
        { title: t('What it does'), cell: (rule) => sentence(actionTexts(rule)) },
        { title: t('Site'), cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: t('Last run'),
          cell: ({ lastRunAtMillis }) =>
            lastRunAtMillis === undefined ? t('Never ran') : <TimeAgo epochMs={lastRunAtMillis} />,
        },
      ]}
      {...(remove === null
        ? {}
        : {
            actions: (rule: LockdownRule) => (
              <button
                type="button"
                class="quiet danger"
                aria-label={t('Delete {ruleName}', { ruleName: rule.ruleName })}
                onClick={() => remove(rule)}
              >
                {t('Delete')}
              </button>
            ),
          })}
    />
  );
}

/** `PanicButtonEvent`, `MOTION_HUMAN` or whatever a program reports. */
function activityText(activity: string | undefined): string {
  if (activity === undefined) return t('Anything is reported');
  return activity.endsWith('Event') ? eventText(activity) : triggerText(activity);
}

function sentence(texts: readonly string[]): string {
  const text = texts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
