/** Lockdown rules as rows. */

import { triggerText } from '../alert-list.ts';
import { actionTexts, eventText, type LockdownRule } from '../door-list.ts';
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
      label="Lockdown rules"
      items={rules}
      keyOf={({ ruleUuid }) => ruleUuid}
      columns={[
        { title: 'Name', cell: ({ ruleName }) => <b>{ruleName}</b> },
        { title: 'When', cell: ({ triggerActivity }) => activityText(triggerActivity) },
        { title: 'What it does', cell: (rule) => sentence(actionTexts(rule)) },
        { title: 'Location', cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: 'Last run',
          cell: ({ lastRunAtMillis }) =>
            lastRunAtMillis === undefined ? 'Never ran' : <TimeAgo epochMs={lastRunAtMillis} />,
        },
      ]}
      {...(remove === null
        ? {}
        : {
            actions: (rule: LockdownRule) => (
              <button
                type="button"
                class="quiet"
                aria-label={`Delete ${rule.ruleName}`}
                onClick={() => remove(rule)}
              >
                Delete
              </button>
            ),
          })}
    />
  );
}

/** `PanicButtonEvent`, `MOTION_HUMAN` or whatever a program reports. */
function activityText(activity: string | undefined): string {
  if (activity === undefined) return 'Anything is reported';
  return activity.endsWith('Event') ? eventText(activity) : triggerText(activity);
}

function sentence(texts: readonly string[]): string {
  const text = texts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
