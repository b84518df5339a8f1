/** Lists the uses of a schedule, and deletes it. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ScheduleItem } from '../schedule-now.ts';
import { deleteSchedule, type OtherUses } from '../schedule-state.ts';
import type { ShareItem } from '../share-item.ts';
import { SCHEDULES_PLACE, sharePlace } from '../share-places.ts';
import { t } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';

/** Shares that are named; the rest is a number. */
const MAX_NAMED = 20;

export function ScheduleUses({
  shares,
  shareCount,
  uses,
}: {
  /** The first of them. */
  readonly shares: readonly ShareItem[];
  readonly shareCount: number;
  readonly uses: OtherUses;
}) {
  const { policyNames, doors, rules } = uses;
  const isUnused = shareCount + policyNames.length + doors + rules === 0;
  return (
    <section>
      <h2>{t('Used by')}</h2>
      {isUnused ? (
        <p class="hint">{t('Nothing yet. Choose it when you share a camera.')}</p>
      ) : (
        <ul class="words">
          {shares.slice(0, MAX_NAMED).map((share) => (
            <li key={share.uuid}>
              <a href={sharePlace(share.uuid)}>{share.name}</a>
              <small>
                {share.scheduleUuid === null
                  ? t('some cameras during it')
                  : share.invertSchedule
                    ? t('hidden during it')
                    : t('shown during it')}
              </small>
            </li>
          ))}
          {shareCount > MAX_NAMED && (
            <li>{t('and {shareCount} more shares', { shareCount: shareCount - MAX_NAMED })}</li>
          )}
          {policyNames.map((name) => (
            <li key={name}>{t('Climate policy {name}', { name })}</li>
          ))}
          {doors > 0 && (
            <li>
              {t('{count, plural, one {# door or landing} other {# doors and landings}}', { count: doors })}
            </li>
          )}
          {rules > 0 && (
            <li>{t('{count, plural, one {# lockdown rule} other {# lockdown rules}}', { count: rules })}</li>
          )}
        </ul>
      )}
    </section>
  );
}

/** A schedule that is in use cannot be deleted; the gateway's refusal names what uses it. */
export function DeleteSchedule({
  schedule,
  shareCount,
}: {
  readonly schedule: ScheduleItem;
  readonly shareCount: number;
}) {
  const { route } = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const end = async () => {
    await deleteSchedule(schedule.uuid);
    route(SCHEDULES_PLACE);
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        {t('Delete')}
      </button>
      {isAsking && (
        <FormDialog
          title={t('Delete {name}?', { name: schedule.name })}
          submit={t('Delete schedule')}
          isDanger
          isReady={shareCount === 0}
          onSubmit={end}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {shareCount === 0
              ? t('It cannot be brought back.')
              : t(
                  '{count, plural, one {It shows or hides # share. End them or choose another schedule for them first.} other {It shows or hides # shares. End them or choose another schedule for them first.}}',
                  { count: shareCount },
                )}
          </p>
        </FormDialog>
      )}
    </>
  );
}
