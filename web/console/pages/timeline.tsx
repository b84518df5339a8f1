/** The past of a site: all its cameras on one time axis, played in step, and clips cut from it. */

import { useMemo, useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { isLimited } from '../session.ts';
import { readSites, type Sites } from '../timeline-state.ts';
import { NoCamerasForYou } from '../ui/no-cameras-for-you.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SiteTimeline } from '../ui/site-timeline.tsx';
import { t, tRich } from '../words.ts';

/** In the address: cameras without a site. */
const NO_SITE = 'none';
const DEFAULT_SPAN_MS = 3_600_000;

export function TimelinePage() {
  usePageTitle(t('Timeline'));
  const reading = useReading(
    readSites,
    [],
    ({ entity, type }) => entity === 'LOCATION' || (entity === 'CAMERA' && type !== 'UPDATE'),
  );
  return (
    <ReadingView reading={reading} what={t('the timeline')} title={t('Timeline')}>
      {(sites) => <ChosenSite sites={sites} />}
    </ReadingView>
  );
}

function ChosenSite({ sites: { cameras, sites } }: { readonly sites: Sites }) {
  const { query } = useRoute();
  const { route } = useLocation();
  const requested = useRef(numberOf(query.at));
  const spanMs = useRef(numberOf(query.span) ?? DEFAULT_SPAN_MS);
  const options = useMemo(() => {
    const used = new Set(cameras.map(({ locationUuid }) => locationUuid ?? NO_SITE));
    const known = sites
      .filter(({ uuid }) => used.has(uuid))
      .map(({ uuid, name }) => ({ value: uuid, title: name }));
    const isAnyWithout = cameras.some(({ locationUuid }) => !sites.some(({ uuid }) => uuid === locationUuid));
    return isAnyWithout ? [...known, { value: NO_SITE, title: t('Cameras without a site') }] : known;
  }, [cameras, sites]);
  const camera = cameras.find(({ uuid }) => uuid === query.camera);
  const chosen =
    options.find(
      ({ value }) => value === (camera === undefined ? query.site : (camera.locationUuid ?? NO_SITE)),
    ) ?? options[0];
  if (chosen === undefined) {
    return (
      <>
        <h1>{t('Timeline')}</h1>
        {isLimited() ? (
          <NoCamerasForYou />
        ) : (
          <Notice title={t('There are no cameras yet')}>
            <p>
              {tRich('What cameras record appears here. <link>See the cameras</link>', {
                link: (text) => <a href={place('')}>{text}</a>,
              })}
            </p>
          </Notice>
        )}
      </>
    );
  }
  const site = sites.find(({ uuid }) => uuid === chosen.value);
  const ofSite = cameras.filter(({ locationUuid }) =>
    site === undefined ? !sites.some(({ uuid }) => uuid === locationUuid) : locationUuid === site.uuid,
  );
  const ofCase = query.case === undefined ? '' : `&case=${encodeURIComponent(query.case)}`;
  const ofPlace = camera === undefined ? `site=${chosen.value}` : `camera=${camera.uuid}`;
  return (
    <>
      {ofCase !== '' && (
        <p class="hint">
          {t('To add footage to the case, go to the time, choose “Cut a clip”, and then “Add to case”.')}
        </p>
      )}
      <SiteTimeline
        key={chosen.value}
        site={{
          value: chosen.value,
          options,
          onValue: (value) => route(`${place('timeline')}?site=${value}${ofCase}`),
        }}
        siteName={chosen.title}
        cameras={ofSite}
        firstUuid={camera?.uuid ?? null}
        timeZone={site?.timeZone ?? 'UTC'}
        requestedMs={requested.current}
        requestedSpanMs={spanMs.current}
        siteQuery={`${ofPlace}${ofCase}`}
      />
    </>
  );
}

/** Null: it is none. */
function numberOf(text: string | undefined): number | null {
  const number = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 && number < 8.64e15 ? number : null;
}
