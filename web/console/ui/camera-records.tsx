/** A camera's shares and recordings, and who viewed or changed it. */

import { principalText } from '../audit-feed.ts';
import { actionText } from '../audit-words.ts';
import { activityPlace, readCameraAudit, readRecentRecordings, timelinePlace } from '../camera-history.ts';
import { useReading } from '../reading.ts';
import type { ShareItem } from '../share-item.ts';
import { sharePlace, sharesPlace } from '../share-places.ts';
import { filterText, NO_FILTER } from '../share-query.ts';
import { concernsShares, findShares } from '../share-state.ts';
import { t } from '../words.ts';
import { ReadingView } from './reading-view.tsx';
import { SeenSign } from './seen-sign.tsx';
import { duration, ExactTime, TimeAgo } from './time.tsx';

const MAX_SHOWN = 10;

export function CameraRecords({
  cameraUuid,
  isOffline,
}: {
  readonly cameraUuid: string;
  readonly isOffline: boolean;
}) {
  const shares = useReading(
    (signal) => findShares({ cameraUuid, order: 'CREATED', isDescending: true }, 0, MAX_SHOWN, signal),
    [cameraUuid],
    concernsShares,
  );
  return (
    <div class="camera-records">
      <section class="part" aria-label={t('Shares')}>
        <h2>{t('Shares')}</h2>
        <ReadingView reading={shares} what={t('shares')}>
          {({ items, total }) => (
            <Shares shown={items} total={total} cameraUuid={cameraUuid} isOffline={isOffline} />
          )}
        </ReadingView>
      </section>
      <Recordings cameraUuid={cameraUuid} />
      <ReadingView reading={shares} what={t('who viewed and changed it')}>
        {({ items }) => (
          <Audit cameraUuid={cameraUuid} targets={[cameraUuid, ...items.map(({ uuid }) => uuid)]} />
        )}
      </ReadingView>
    </div>
  );
}

function Shares({
  shown,
  total,
  cameraUuid,
  isOffline,
}: {
  readonly shown: readonly ShareItem[];
  readonly total: number;
  readonly cameraUuid: string;
  readonly isOffline: boolean;
}) {
  if (shown.length === 0) return <p class="muted">{t('It is not shared.')}</p>;
  return (
    <ul class="short-list">
      {shown.map((share) => (
        <li key={share.uuid}>
          <a href={sharePlace(share.uuid)}>{share.name}</a>
          <span class="lines">
            <SeenSign share={share} isOffline={isOffline && share.kind === 'STREAM'} />
          </span>
        </li>
      ))}
      {total > shown.length && (
        <li>
          <a href={sharesPlace(filterText({ ...NO_FILTER, camera: cameraUuid }))}>
            {t('All {total} shares', { total })}
          </a>
        </li>
      )}
    </ul>
  );
}

function Recordings({ cameraUuid }: { readonly cameraUuid: string }) {
  const reading = useReading((signal) => readRecentRecordings(cameraUuid, signal), [cameraUuid]);
  return (
    <section class="part" aria-label={t('Recordings')}>
      <h2>{t('Recordings')}</h2>
      <ReadingView reading={reading} what={t('recordings')}>
        {(spans) =>
          spans.length === 0 ? (
            <p class="muted">{t('Nothing was recorded in the last 7 days.')}</p>
          ) : (
            <ul class="short-list">
              {spans.slice(0, MAX_SHOWN).map(({ startMs, endMs }) => (
                <li key={startMs}>
                  <a href={timelinePlace(cameraUuid, startMs)}>
                    <ExactTime epochMs={startMs} />
                  </a>
                  <span>{duration((endMs - startMs) / 1_000)}</span>
                </li>
              ))}
              {spans.length > MAX_SHOWN && (
                <li>
                  <a href={timelinePlace(cameraUuid, spans[0]!.startMs)}>
                    {t('{count} more in the timeline', { count: spans.length - MAX_SHOWN })}
                  </a>
                </li>
              )}
            </ul>
          )
        }
      </ReadingView>
    </section>
  );
}

function Audit({
  cameraUuid,
  targets,
}: {
  readonly cameraUuid: string;
  readonly targets: readonly string[];
}) {
  const reading = useReading(
    (signal) => readCameraAudit(targets, signal),
    [targets.join(' ')],
    ({ entity, update }) =>
      entity === 'CAMERA' ||
      (entity === 'VIEWER' && targets.includes(String(update?.sharedLiveVideoStreamUuid))),
  );
  return (
    <section class="part" aria-label={t('Who viewed and changed it')}>
      <h2>{t('Who viewed and changed it')}</h2>
      <ReadingView reading={reading} what={t('who viewed and changed it')}>
        {(entries) => (
          <>
            {entries.length === 0 && <p class="muted">{t('Nothing is in the audit trail yet.')}</p>}
            <ul class="short-list">
              {entries.slice(0, MAX_SHOWN).map((entry) => (
                <li key={entry.uuid}>
                  <span>
                    {actionText(entry.action)}
                    {entry.occurrences > 1 &&
                      ` ${t('({occurrences} times)', { occurrences: entry.occurrences })}`}
                  </span>
                  <small>
                    {principalText(entry)}
                    {entry.sourceIp !== '' && ` · ${entry.sourceIp}`} ·{' '}
                    <TimeAgo epochMs={Date.parse(entry.lastTimestamp)} />
                  </small>
                </li>
              ))}
              <li>
                <a href={activityPlace(cameraUuid)}>{t('Open in Activity')}</a>
              </li>
            </ul>
          </>
        )}
      </ReadingView>
    </section>
  );
}
