/** What the colors and signs of a time axis mean, and what is missing from it. */

import { failedNvrs, type Recorded, type TimelineMarks, waitingForNvr } from '../timeline-state.ts';
import { t } from '../words.ts';

export function LanesLegend({
  recorded,
  marks,
  hasHolds = false,
  hiddenCount = 0,
  search = '',
}: {
  readonly recorded: Recorded | null;
  readonly marks: TimelineMarks;
  /** Whether anything on the axis is held. */
  readonly hasHolds?: boolean;
  /** Cameras without a lane, because of `search` if that is not empty. */
  readonly hiddenCount?: number;
  readonly search?: string;
}) {
  const waiting = waitingForNvr(recorded);
  const failed = failedNvrs(recorded).length;
  return (
    <p class="hint lanes-legend">
      <span class="of-recorded">{t('Recorded')}</span>{' '}
      {hasPictures(recorded) && <span class="of-pictures">{t('Pictures only')}</span>}{' '}
      {hasNvr(recorded) && <span class="of-nvr">{t('On the NVR')}</span>}{' '}
      <span class="of-gap">{t('Not recorded')}</span>{' '}
      <span class="of-alert">{t('Alert, fault, or door')}</span> <span class="of-motion">{t('Motion')}</span>{' '}
      <span class="of-bookmark">{t('Bookmark')}</span> <span class="of-clip">{t('Clip')}</span>{' '}
      {hasHolds && <span class="of-held">{t('Held')}</span>}
      {recorded !== null && !recorded.isExact && (
        <b> {t('Gaps of less than an hour may be missing at this zoom.')}</b>
      )}
      {waiting > 0 && (
        <b>
          {' '}
          {t(
            '{count, plural, one {# recording waits} other {# recordings wait}} for the NVR, which plays as many as it can.',
            { count: waiting },
          )}
        </b>
      )}
      {failed > 0 && (
        <b>
          {' '}
          {t(
            '{count, plural, one {The NVR of a camera does not respond} other {The NVRs of # cameras do not respond}}: what is on it may be missing.',
            { count: failed },
          )}
        </b>
      )}
      {!marks.isAll && (
        <b>
          {' '}
          {t('Only the newest {count} events are marked. Zoom in to see the others.', {
            count: marks.events.length,
          })}
        </b>
      )}
      {hiddenCount > 0 && (
        <b>
          {' '}
          {search === ''
            ? t('{hiddenCount} more cameras: find them by name.', { hiddenCount })
            : t('{hiddenCount} cameras are hidden by the search.', { hiddenCount })}
        </b>
      )}
    </p>
  );
}

function hasPictures(recorded: Recorded | null): boolean {
  return [...(recorded?.picturesOnly.values() ?? [])].some((spans) => spans.length > 0);
}

function hasNvr(recorded: Recorded | null): boolean {
  return [...(recorded?.onNvr?.values() ?? [])].some(({ spans }) => spans.length > 0);
}
