/** What uses a schedule, and its end. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ScheduleItem } from '../schedule-now.ts';
import { deleteSchedule, type OtherUses } from '../schedule-state.ts';
import { SCHEDULES_PLACE, sharePlace } from '../share-places.ts';
import type { ShareItem } from '../share-seen.ts';
import { Dialog } from './dialog.tsx';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

/** Shares that are named; the rest is a number. */
const MAX_NAMED = 20;

export function ScheduleUses({
  shares,
  uses,
}: {
  readonly shares: readonly ShareItem[];
  readonly uses: OtherUses;
}) {
  const { policyNames, doors, rules } = uses;
  const isUnused = shares.length + policyNames.length + doors + rules === 0;
  return (
    <section>
      <h2>Used by</h2>
      {isUnused ? (
        <p class="hint">Nothing yet. Choose it when you share a camera.</p>
      ) : (
        <ul class="words">
          {shares.slice(0, MAX_NAMED).map((share) => (
            <li key={share.uuid}>
              <a href={sharePlace(share.uuid)}>{share.name}</a>
              <small>
                {share.scheduleUuid === null ? 'some cameras' : share.invertSchedule ? 'hidden' : 'shown'}{' '}
                during it
              </small>
            </li>
          ))}
          {shares.length > MAX_NAMED && <li>{`and ${shares.length - MAX_NAMED} more shares`}</li>}
          {policyNames.map((name) => (
            <li key={name}>Climate policy {name}</li>
          ))}
          {doors > 0 && <li>{doors === 1 ? '1 door or landing' : `${doors} doors and landings`}</li>}
          {rules > 0 && <li>{rules === 1 ? '1 lockdown rule' : `${rules} lockdown rules`}</li>}
        </ul>
      )}
    </section>
  );
}

/** A schedule that is in use cannot be deleted; the gateway's refusal names what uses it. */
export function DeleteSchedule({
  schedule,
  shares,
}: {
  readonly schedule: ScheduleItem;
  readonly shares: readonly ShareItem[];
}) {
  const { route } = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const { isBusy, error, run } = useAction();
  const end = () =>
    void run(async () => {
      await deleteSchedule(schedule.uuid);
      route(SCHEDULES_PLACE);
    });
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        Delete
      </button>
      {isAsking && (
        <Dialog title={`Delete ${schedule.name}?`} onClose={() => setIsAsking(false)}>
          <div class="form">
            <p>
              {shares.length === 0
                ? 'It cannot be brought back.'
                : `It shows or hides ${shares.length === 1 ? '1 share' : `${shares.length} shares`}. End them or choose another schedule for them first.`}
            </p>
            <FormError error={error} />
            <footer>
              <button type="button" class="primary bad" disabled={isBusy || shares.length > 0} onClick={end}>
                Delete schedule
              </button>
              <button type="button" onClick={() => setIsAsking(false)}>
                Keep it
              </button>
            </footer>
          </div>
        </Dialog>
      )}
    </>
  );
}
