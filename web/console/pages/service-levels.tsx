/** Service levels: what viewers see, measured by a synthetic viewer and by viewers themselves, compared with the goals. */

import { useEffect, useState } from 'preact/hooks';
import {
  chooseShare,
  failedPercent,
  LEVEL_STATES,
  type LevelFigures,
  type LevelSource,
  percentText,
  protocolWords,
  readLevelHistory,
  readLevels,
  type ServiceLevels,
  type ShareLevels,
  shortMs,
  stalledPercent,
  stateWords,
} from '../measured-levels.ts';
import { usePageTitle } from '../page-title.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { sharePlace } from '../share-places.ts';
import { Chips } from '../ui/chips.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { LevelPicker } from '../ui/level-picker.tsx';
import { LevelTiles } from '../ui/level-tiles.tsx';
import { Notice } from '../ui/notice.tsx';
import { Plot } from '../ui/plot.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { Select } from '../ui/select.tsx';
import { duration, TimeAgo } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

const REFRESH_MS = 10_000;
const ALL_SHARES = '';

const SOURCES: readonly { readonly value: LevelSource; readonly title: string }[] = [
  { value: 'probe', title: t('Synthetic viewer') },
  { value: 'viewers', title: t('Viewers') },
];

export function ServiceLevelsPage() {
  usePageTitle(t('Viewing quality'));
  const reading = useReading(readLevels, []);
  const [source, setSource] = useState<LevelSource>('probe');
  const [isPicking, setIsPicking] = useState(false);
  useRefreshed(reading);
  return (
    <>
      <div class="section-head">
        <h1>{t('Viewing quality')}</h1>
        <button type="button" class="primary" onClick={() => setIsPicking(true)}>
          <Icon name="plus" /> {t('Measure a share')}
        </button>
      </div>
      <ReadingView reading={reading} what={t('service levels')}>
        {(levels) => (
          <>
            <Lead levels={levels} />
            {levels.hasViewerReports && (
              <Chips
                legend={t('Measured by')}
                value={source}
                options={SOURCES}
                onValue={(value) => setSource(value as LevelSource)}
              />
            )}
            {isEmpty(levels, source) ? (
              <Empty source={source} />
            ) : (
              <>
                <section class="part">
                  <h2>{t('The last 24 hours')}</h2>
                  <LevelTiles levels={levels} measured={levels[source]} />
                </section>
                <Shares levels={levels} source={source} changed={() => reading.refresh()} />
                <Day levels={levels} source={source} />
              </>
            )}
            {isPicking && (
              <LevelPicker
                chosen={new Set(levels.shares.filter(({ isProbed }) => isProbed).map(uuidOf))}
                onChange={() => reading.refresh()}
                onClose={() => setIsPicking(false)}
              />
            )}
          </>
        )}
      </ReadingView>
    </>
  );
}

function Lead({ levels: { everyMs, runMs, through, processState } }: { readonly levels: ServiceLevels }) {
  const where = through === 'public' ? t('through the public URL') : t('on this machine');
  const isAlways = everyMs <= runMs;
  const when = isAlways
    ? t('all the time')
    : t('for {run} every {period}', {
        run: duration(runMs / 1_000),
        period: duration(everyMs / 1_000),
      });
  return (
    <>
      <p class="levels-lead">
        {t(
          'How well viewers can watch: the gateway opens the shares that you choose like a viewer, {when}, {where}, and measures how soon the picture comes and how often it freezes.',
          { when, where },
        )}
      </p>
      {processState === 'waiting' && (
        <p class="outdated" role="status">
          {t('The synthetic viewer ended by itself, and is started again. Nothing is measured meanwhile.')}
        </p>
      )}
    </>
  );
}

function Empty({ source }: { readonly source: LevelSource }) {
  return source === 'probe' ? (
    <Notice title={t('No share is measured yet')}>
      <p>
        {t(
          'Choose shares that matter. You will see how soon their first picture comes, how far behind live it is, how often it freezes, and how many requests fail, before anyone calls you.',
        )}
      </p>
    </Notice>
  ) : (
    <Notice title={t('No viewer has reported yet')}>
      <p>
        {t(
          'Pages report every minute while someone watches, without saying who, unless the browser asks for privacy.',
        )}
      </p>
    </Notice>
  );
}

function Shares({
  levels,
  source,
  changed,
}: {
  readonly levels: ServiceLevels;
  readonly source: LevelSource;
  readonly changed: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const figures = (share: ShareLevels): LevelFigures | null => share[source]?.day ?? null;
  const percent = (share: ShareLevels, of: (day: LevelFigures) => number | null) => {
    const day = figures(share);
    const value = day === null ? null : of(day);
    return value === null ? null : percentText(value);
  };
  return (
    <section class="part">
      <h2>{t('Shares')}</h2>
      <FormError error={error} />
      <RecordTable
        name="levels"
        label={t('Shares that are measured')}
        items={shownShares(levels, source)}
        keyOf={uuidOf}
        states={LEVEL_STATES}
        columns={[
          { title: t('Share'), cell: (share) => <Name share={share} /> },
          {
            title: t('State'),
            cell: (share) => {
              const [words, sign] = stateWords(share);
              return <span class={`sign ${sign}`}>{words}</span>;
            },
          },
          { title: t('First picture'), cell: (share) => shortMs(figures(share)?.firstPictureP95Ms) },
          { title: t('Behind live'), cell: (share) => shortMs(figures(share)?.delayP95Ms) },
          { title: t('Stalls'), cell: (share) => percent(share, stalledPercent) },
          { title: t('Failed'), cell: (share) => percent(share, failedPercent) },
          {
            title: t('Last run'),
            cell: ({ runs: [last] }) => (last === undefined ? null : <TimeAgo epochMs={last.startedAtMs} />),
          },
          { title: t('Protocol'), cell: protocolWords },
        ]}
        actions={(share) =>
          share.isProbed && (
            <button
              type="button"
              class="quiet"
              disabled={isBusy}
              aria-label={t('Stop measuring {name}', { name: share.name })}
              onClick={() =>
                void run(async () => {
                  await chooseShare(uuidOf(share), false);
                  changed();
                })
              }
            >
              {t('Stop')}
            </button>
          )
        }
      />
      <p class="hint">
        {t('First picture and delay as 95 of 100 viewers would see them or better, in the last 24 hours.')}
      </p>
    </section>
  );
}

function Name({ share }: { readonly share: ShareLevels }) {
  const name = share.name === '' ? t('Without a title') : share.name;
  if (share.cameraUuid === undefined) return <b>{name}</b>;
  return (
    <a class="link" href={sharePlace(uuidOf(share))}>
      <b>{name}</b>
    </a>
  );
}

function Day({ levels, source }: { readonly levels: ServiceLevels; readonly source: LevelSource }) {
  const [shareUuid, setShareUuid] = useState(ALL_SHARES);
  const shares = shownShares(levels, source);
  const shown = shares.some((share) => uuidOf(share) === shareUuid) ? shareUuid : ALL_SHARES;
  const reading = useReading(
    (signal) => readLevelHistory(shown === ALL_SHARES ? null : shown, source, signal),
    [shown, source],
  );
  useRefreshed(reading);
  const ms = (value: number) => shortMs(value) ?? '';
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Over the day')}</h2>
        <Select
          label={t('Share')}
          value={shown}
          options={[
            { value: ALL_SHARES, title: t('All shares') },
            ...shares.map((share) => ({ value: uuidOf(share), title: share.name || t('Without a title') })),
          ]}
          onValue={setShareUuid}
        />
      </div>
      <ReadingView reading={reading} what={t('the day')}>
        {(counters) => (
          <div class="plots pairs">
            <Plot
              isDay
              hasTable
              title={t('First picture')}
              counters={counters}
              name="firstPictureP95Ms"
              leastTop={1_000}
              text={ms}
            />
            <Plot
              isDay
              hasTable
              title={t('Behind live')}
              counters={counters}
              name="delayP95Ms"
              leastTop={1_000}
              text={ms}
            />
            <Plot
              isDay
              hasTable
              title={t('Stalls')}
              counters={counters}
              name="stalledPercent"
              leastTop={1}
              text={percentText}
            />
            <Plot
              isDay
              hasTable
              title={t('Failed requests')}
              counters={counters}
              name="failedPercent"
              leastTop={1}
              text={percentText}
            />
          </div>
        )}
      </ReadingView>
    </section>
  );
}

/** No stream tells measurements. */
function useRefreshed(reading: Pick<ReadingHandle<unknown>, 'refresh'>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reading.refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [reading]);
}

function shownShares({ shares }: ServiceLevels, source: LevelSource): readonly ShareLevels[] {
  return shares.filter((share) => share[source] !== undefined || (source === 'probe' && share.isProbed));
}

function isEmpty(levels: ServiceLevels, source: LevelSource): boolean {
  return levels[source].day.measurements === 0 && shownShares(levels, source).length === 0;
}

function uuidOf({ sharedLiveVideoStreamUuid }: ShareLevels): string {
  return sharedLiveVideoStreamUuid;
}
