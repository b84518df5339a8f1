/** Sites with their time zones, and the NVRs and cameras there. */

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { offlineCount } from '../camera-attention.ts';
import { addPlace, MAP_PLACE, SITES_PLACE, sitePlace } from '../camera-places.ts';
import type { CameraItem } from '../camera-state.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may, session } from '../session.ts';
import { type NvrPlace, type Places, readPlaces, type SiteItem } from '../site-list.ts';
import type { StateFilter } from '../state-filter.ts';
import { timeIn } from '../time-zones.ts';
import { countText } from '../ui/bulk-dialogs.tsx';
import { DensitySwitch } from '../ui/density-switch.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { DeleteNvrDialog, NvrDialog } from '../ui/nvr-dialogs.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { DeleteSiteDialog, SiteDialog } from '../ui/site-dialogs.tsx';
import { t, tRich } from '../words.ts';

type Opened =
  | { readonly kind: 'new-site' }
  | { readonly kind: 'new-nvr' }
  | { readonly kind: 'edit-site' | 'delete-site'; readonly site: SiteItem }
  | { readonly kind: 'edit-nvr' | 'delete-nvr'; readonly at: NvrPlace };

type Open = (opened: Opened) => void;

const CONCERNED: ReadonlySet<string> = new Set(['LOCATION', 'NVR', 'CAMERA']);

export function SitesPage() {
  usePageTitle(t('Sites'));
  const { query, route } = useLocation();
  const reading = useReading(readPlaces, [], ({ entity }) => CONCERNED.has(entity));
  const [opened, setOpened] = useState<Opened | null>(null);
  const isNew = query.new !== undefined && may('admin');
  useEffect(() => {
    if (isNew) setOpened({ kind: 'new-site' });
  }, [isNew]);
  const close = () => {
    setOpened(null);
    if (isNew) route(SITES_PLACE, true);
  };
  return (
    <>
      <div class="page-head">
        <h1>{t('Sites')}</h1>
        <span class="section-deeds">
          <DensitySwitch />
          {session.value?.mapTiles != null && (
            <a class="button" href={MAP_PLACE}>
              {t('Map')}
            </a>
          )}
          {may('admin') && (
            <button type="button" class="primary" onClick={() => setOpened({ kind: 'new-site' })}>
              <Icon name="plus" /> {t('New site')}
            </button>
          )}
        </span>
      </div>
      <ReadingView reading={reading} what={t('sites')}>
        {(places) => (
          <>
            <Sites places={places} open={setOpened} />
            <Nvrs places={places} open={setOpened} />
          </>
        )}
      </ReadingView>
      {opened !== null && <SiteDialogs opened={opened} reading={reading} close={close} />}
    </>
  );
}

/** Of a site or NVR. */
const CAMERA_STATES: StateFilter<{ readonly cameras: readonly CameraItem[] }> = {
  states: [
    { value: 'offline', title: t('With offline cameras'), isBad: true },
    { value: 'working', title: t('None offline') },
    { value: 'empty', title: t('No cameras') },
  ],
  of: ({ cameras }) => (cameras.length === 0 ? 'empty' : offlineCount(cameras) > 0 ? 'offline' : 'working'),
};

function Sites({ places: { sites, homeless }, open }: { readonly places: Places; readonly open: Open }) {
  return (
    <section class="part">
      {sites.length === 0 ? (
        <Notice title={t('There are no sites yet')}>
          <p>
            {t(
              'A site is a place with cameras: a shop, a warehouse, an office. It has a time zone, and “9 to 17” in a schedule means its local time.',
            )}
          </p>
          {may('admin') ? (
            <button type="button" onClick={() => open({ kind: 'new-site' })}>
              {t('Create the first one')}
            </button>
          ) : (
            <p>{t('Administrators can create the first one.')}</p>
          )}
        </Notice>
      ) : (
        <RecordTable
          name="sites"
          label={t('Sites')}
          items={sites}
          keyOf={({ uuid }) => uuid}
          states={CAMERA_STATES}
          columns={[
            {
              title: t('Name'),
              cell: ({ uuid, name }) => (
                <b>
                  <a href={sitePlace(uuid)}>{name}</a>
                </b>
              ),
              sortBy: ({ name }) => name,
            },
            {
              title: t('Cameras'),
              cell: ({ uuid, cameras }) => <CameraCount cameras={cameras} query={`site=${uuid}`} />,
              sortBy: ({ cameras }) => cameras.length,
            },
            {
              title: t('Time zone'),
              sortBy: ({ timeZone }) => timeZone,
              cell: ({ timeZone }) => (
                <>
                  {timeZone} <span class="muted">{timeIn(timeZone, gatewayNowMs())}</span>
                </>
              ),
            },
            {
              title: t('NVRs'),
              cell: ({ nvrs }) =>
                nvrs.length === 0
                  ? null
                  : t('{count, plural, one {# NVR} other {# NVRs}}', { count: nvrs.length }),
              sortBy: ({ nvrs }) => nvrs.length,
            },
          ]}
          {...(may('admin')
            ? {
                actions: (site: SiteItem) => (
                  <Actions
                    name={site.name}
                    onEdit={() => open({ kind: 'edit-site', site })}
                    onDelete={() => open({ kind: 'delete-site', site })}
                  />
                ),
              }
            : {})}
        />
      )}
      {homeless.length > 0 && (
        <p class="warning-line">
          {tRich(
            '{count, plural, one {# camera is at no site: their schedules run in UTC. <link>Show them</link>} other {# cameras are at no site: their schedules run in UTC. <link>Show them</link>}}',
            { count: homeless.length, link: (text) => <a href={place('?site=none')}>{text}</a> },
          )}
        </p>
      )}
    </section>
  );
}

function Nvrs({ places: { nvrs }, open }: { readonly places: Places; readonly open: Open }) {
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('NVRs')}</h2>
        {may('admin') && (
          <span class="section-deeds">
            <button type="button" onClick={() => open({ kind: 'new-nvr' })}>
              {t('New empty NVR')}
            </button>
            <a class="button" href={addPlace('recorder')}>
              <Icon name="plus" /> {t('Add an NVR with its cameras')}
            </a>
          </span>
        )}
      </div>
      {nvrs.length === 0 ? (
        <Notice title={t('There are no NVRs')}>
          <p>{t('A network video recorder adds all its cameras in one step: one address, one login.')}</p>
        </Notice>
      ) : (
        <RecordTable
          name="nvrs"
          label={t('NVRs')}
          items={nvrs}
          keyOf={({ nvr }) => nvr.uuid}
          states={CAMERA_STATES}
          columns={[
            { title: t('Name'), cell: ({ nvr }) => <b>{nvr.name}</b>, sortBy: ({ nvr }) => nvr.name },
            {
              title: t('Site'),
              cell: ({ site }) => site?.name ?? null,
              sortBy: ({ site }) => site?.name ?? null,
            },
            {
              title: t('Cameras'),
              cell: ({ nvr, cameras }) => <CameraCount cameras={cameras} query={`nvr=${nvr.uuid}`} />,
              sortBy: ({ cameras }) => cameras.length,
            },
          ]}
          {...(may('admin')
            ? {
                actions: (at: NvrPlace) => (
                  <Actions
                    name={at.nvr.name}
                    onEdit={() => open({ kind: 'edit-nvr', at })}
                    onDelete={() => open({ kind: 'delete-nvr', at })}
                  />
                ),
              }
            : {})}
        />
      )}
    </section>
  );
}

function CameraCount({
  cameras,
  query,
}: {
  readonly cameras: readonly CameraItem[];
  readonly query: string;
}) {
  if (cameras.length === 0) return <span class="muted">{t('No cameras')}</span>;
  const offline = offlineCount(cameras);
  return (
    <>
      <a href={place(`?${query}`)}>{countText(cameras.length)}</a>
      {offline > 0 && <span class="bad-text"> {t('{offline} offline', { offline })}</span>}
    </>
  );
}

function Actions({
  name,
  onEdit,
  onDelete,
}: {
  readonly name: string;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  return (
    <>
      <button type="button" class="quiet" aria-label={t('Edit {name}', { name })} onClick={onEdit}>
        {t('Edit')}
      </button>
      <button type="button" class="quiet danger" aria-label={t('Delete {name}', { name })} onClick={onDelete}>
        {t('Delete')}
      </button>
    </>
  );
}

function SiteDialogs({
  opened,
  reading,
  close,
}: {
  readonly opened: Opened;
  readonly reading: ReadingHandle<Places>;
  readonly close: () => void;
}) {
  const { value } = reading.state;
  const sites = value.kind === 'read' ? value.value.sites : [];
  const ends = { onClose: close, onSaved: reading.refresh, onDeleted: reading.refresh };
  switch (opened.kind) {
    case 'new-site':
      return <SiteDialog {...ends} />;
    case 'edit-site':
      return <SiteDialog site={opened.site} {...ends} />;
    case 'delete-site':
      return (
        <DeleteSiteDialog
          site={opened.site}
          others={sites.filter(({ uuid }) => uuid !== opened.site.uuid)}
          {...ends}
        />
      );
    case 'new-nvr':
      return <NvrDialog sites={sites} {...ends} />;
    case 'edit-nvr':
      return <NvrDialog place={opened.at} sites={sites} {...ends} />;
    case 'delete-nvr':
      return <DeleteNvrDialog place={opened.at} {...ends} />;
  }
}
