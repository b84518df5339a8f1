/** All shares: their targets, what viewers see now, until when, who watches. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { stateOf } from '../camera-state.ts';
import { freshness, onChange, onLive } from '../changes.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { usePageTitle } from '../page-title.ts';
import { PagedList, type PagedRows } from '../paged-list.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import type { ShareItem, WallContent } from '../share-item.ts';
import { NEW_SHARE_PLACE, sharesPlace } from '../share-places.ts';
import { filterOf, filterText, isFiltered, NO_FILTER, queryBody, type ShareFilter } from '../share-query.ts';
import {
  concernsShares,
  findShare,
  findShares,
  MAX_ROWS,
  readOffer,
  type ShareCounts,
} from '../share-state.ts';
import { BulkBar, ChangeSharesDialog } from '../ui/bulk-shares.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { LinkReadyDialog } from '../ui/link-ready.tsx';
import { readyLinkOf } from '../ui/link-ways.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { ShareDialog } from '../ui/share-dialog.tsx';
import { ShareFilters, type ShareNames, useShareNames } from '../ui/share-filters.tsx';
import { NewShareDialog } from '../ui/share-new.tsx';
import { ShareTable } from '../ui/share-table.tsx';
import { cameraOf } from '../wall-list.ts';
import { t } from '../words.ts';

/** Waits this long after a change, so that a burst of changes causes one reading. */
const GATHER_MS = 500;
/** A change that happens by time alone is read this much later, because clocks differ. */
const AFTER_CHANGE_MS = 1_000;
/** The browser's clock is ahead: the change is yet to come. */
const OTHER_CLOCK_MS = 10_000;
const MAX_TIMER_MS = 2_000_000_000;

export function SharesPage() {
  usePageTitle(t('Shares'));
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const { list, counts } = useShares(filter);
  const { names, places } = useShareNames();
  const [ending, setEnding] = useState<ShareItem | null>(null);
  const [selected, setSelected] = useState<ReadonlyMap<string, ShareItem>>(new Map());
  const state = list.state.value;
  const isOffline = ({ kind, cameraUuid }: ShareItem) => {
    const camera = names.cameras.get(cameraUuid ?? '');
    return kind === 'STREAM' && camera !== undefined && stateOf(camera) === 'offline';
  };
  const wallOf = (share: ShareItem) => contentOf(share, names);
  return (
    <>
      <div class="page-head">
        <h1>{t('Shares')}</h1>
        {may('operator') && (
          <a class="button primary" href={NEW_SHARE_PLACE}>
            <Icon name="plus" /> {t('New share')}
          </a>
        )}
      </div>
      <ReadTogether readings={[list, places]} what={t('shares')}>
        <ShareFilters
          filter={filter}
          names={names}
          counts={counts}
          count={state.kind === 'read' ? countText(state.value.total) : ''}
          onFilter={(chosen) => route(sharesPlace(filterText(chosen)), true)}
        />
        {selected.size > 0 && (
          <BulkBar
            shares={[...selected.values()]}
            onChanged={list.refresh}
            onClear={() => setSelected(new Map())}
          />
        )}
        <ReadingView reading={list} what={t('shares')}>
          {(rows) =>
            rows.total === 0 ? (
              <NoShares isFiltered={isFiltered(filter)} />
            ) : (
              <ShareTable
                rows={rows}
                sort={filter.sort}
                onSort={(sort) => route(sharesPlace(filterText({ ...filter, sort })), true)}
                selected={selected}
                onSelect={(share, isSelected) => setSelected((old) => withShare(old, share, isSelected))}
                onSelectAll={(isSelected) => {
                  if (!isSelected) setSelected(new Map());
                  else void selectAll(filter, list.refresh).then(setSelected);
                }}
                isOffline={isOffline}
                wallOf={wallOf}
                end={setEnding}
                open={({ uuid }) => route(sharesPlace(filterText(filter), uuid))}
              />
            )
          }
        </ReadingView>
      </ReadTogether>
      {ending !== null && (
        <ChangeSharesDialog
          kind="end"
          shares={[ending]}
          onChanged={list.refresh}
          onClose={() => setEnding(null)}
        />
      )}
      <Opened
        rows={state.kind === 'read' ? state.value : null}
        isOffline={isOffline}
        wallOf={wallOf}
        refresh={list.refresh}
        close={() => route(sharesPlace(filterText(filter)), true)}
      />
    </>
  );
}

/** Null: it shows no wall, or not all of its names are known yet. */
function contentOf({ videoWallUuid }: ShareItem, { walls, cameras }: ShareNames): WallContent | null {
  const wall = walls.get(videoWallUuid ?? '');
  if (wall === undefined) return null;
  const shown = wall.deviceList.flatMap((uuid) => cameras.get(cameraOf(uuid)) ?? []);
  return shown.length === wall.deviceList.length
    ? { wallUuid: wall.uuid, cameras: shown, hiddenCameras: wall.hiddenCameras }
    : null;
}

function countText(total: number): string {
  const text = t('{count, plural, one {# share} other {# shares}}', { count: total });
  return freshness.value.kind === 'stale' ? t('{text}, not current', { text }) : text;
}

function NoShares({ isFiltered: hasFilter }: { readonly isFiltered: boolean }) {
  if (hasFilter) {
    return (
      <Notice title={t('No share matches')}>
        <a href={sharesPlace(filterText(NO_FILTER))}>{t('Show all shares')}</a>
      </Notice>
    );
  }
  return (
    <Notice title={t('Nothing is shared yet')} draws="shares">
      <p>{t('A share is a link to one camera or wall. You choose how long it works and who can open it.')}</p>
    </Notice>
  );
}

/** The list for a filter, which follows what changes. */
function useShares(filter: ShareFilter): {
  readonly list: PagedList<ShareItem>;
  /** Null: not read yet. */
  readonly counts: ShareCounts | null;
} {
  const [counts, setCounts] = useState<ShareCounts | null>(null);
  const key = filterText(filter);
  const list = useMemo(
    () =>
      new PagedList<ShareItem>(async (offset, limit, signal) => {
        const body = { ...queryBody(filter, gatewayNowMs()), withStateCounts: true };
        const read = await findShares(body, offset, limit, signal);
        if (!signal.aborted) setCounts(read.counts);
        return read;
      }),
    [key],
  );
  useEffect(() => {
    list.refresh();
    const ends = [
      onLive(() => list.refreshSoon(GATHER_MS)),
      onChange((change) => {
        if (change.entity === 'VIEWER') noteViewers(list, change.update);
        else if (concernsShares(change)) list.refreshSoon(GATHER_MS);
      }),
    ];
    return () => {
      for (const end of ends) end();
      list.close();
    };
  }, [list]);
  const state = list.state.value;
  useEffect(() => {
    if (state.kind !== 'read') return;
    const nextMs = nextChangeMs(state.value);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const leftMs = nextMs - gatewayNowMs();
    const waitMs = leftMs < 0 ? OTHER_CLOCK_MS : Math.min(leftMs + AFTER_CHANGE_MS, MAX_TIMER_MS);
    const timer = setTimeout(list.refresh, waitMs);
    return () => clearTimeout(timer);
  }, [list, state]);
  return { list, counts };
}

/** When the rows become outdated by time alone. */
function nextChangeMs({ known }: PagedRows<ShareItem>): number {
  return Math.min(...known.map(({ nextChange }) => nextChange?.atMs ?? Number.POSITIVE_INFINITY));
}

/** The stream says how many there are: nothing has to be read. */
function noteViewers(list: PagedList<ShareItem>, update: Readonly<Record<string, unknown>> | null): void {
  const { sharedLiveVideoStreamUuid: uuid, viewers } = update ?? {};
  if (typeof viewers !== 'number') return;
  list.patch((share) =>
    share.uuid === uuid ? { ...share, viewerCount: viewers, lastViewedAtMs: gatewayNowMs() } : null,
  );
}

function withShare(
  selected: ReadonlyMap<string, ShareItem>,
  share: ShareItem,
  isSelected: boolean,
): ReadonlyMap<string, ShareItem> {
  const changed = new Map(selected);
  changed.delete(share.uuid);
  if (isSelected) changed.set(share.uuid, share);
  return changed;
}

/** As many as one call can change. */
async function selectAll(filter: ShareFilter, onFailed: () => void): Promise<ReadonlyMap<string, ShareItem>> {
  try {
    const { items } = await findShares(queryBody(filter, gatewayNowMs()), 0, MAX_ROWS);
    return new Map(items.map((share) => [share.uuid, share]));
  } catch {
    // The list fails the same way, and says why.
    onFailed();
    return new Map();
  }
}

/** The dialog that the address opens above the list. */
function Opened({
  rows,
  isOffline,
  wallOf,
  refresh,
  close,
}: {
  readonly rows: PagedRows<ShareItem> | null;
  readonly isOffline: (share: ShareItem) => boolean;
  readonly wallOf: (share: ShareItem) => WallContent | null;
  readonly refresh: () => void;
  readonly close: () => void;
}) {
  const { query, route } = useLocation();
  const [created, setCreated] = useState<{ uuid: string; password: string } | null>(null);
  const closed = () => {
    setCreated(null);
    close();
  };
  if (query.new !== undefined && may('operator')) {
    return (
      <NewShare
        targetUuid={query.new}
        onClose={closed}
        onCreated={(uuid, password) => {
          setCreated({ uuid, password });
          refresh();
          route(sharesPlace('', uuid), true);
        }}
      />
    );
  }
  if (query.share === undefined) return null;
  return (
    <OpenedShare
      key={query.share}
      uuid={query.share}
      listed={rows?.known.find(({ uuid }) => uuid === query.share) ?? null}
      created={created?.uuid === query.share ? created.password : null}
      onSettings={() => setCreated(null)}
      isOffline={isOffline}
      wallOf={wallOf}
      refresh={refresh}
      onClose={closed}
    />
  );
}

function NewShare({
  targetUuid,
  onClose,
  onCreated,
}: {
  readonly targetUuid: string;
  readonly onClose: () => void;
  readonly onCreated: (uuid: string, password: string) => void;
}) {
  const reading = useReading(readOffer, []);
  const state = reading.state.value;
  if (state.kind === 'read' && state.value.targets.length > 0) {
    return (
      <NewShareDialog read={state.value} targetUuid={targetUuid} onClose={onClose} onCreated={onCreated} />
    );
  }
  return (
    <Dialog title={t('New share')} onClose={onClose}>
      <ReadingView reading={reading} what={t('cameras')}>
        {() => <p>{t('There is nothing to share yet. Add a camera first.')}</p>}
      </ReadingView>
    </Dialog>
  );
}

/** Read on its own, because it may be far down the list; until then as the list has it. */
function OpenedShare({
  uuid,
  listed,
  created,
  isOffline,
  wallOf,
  refresh,
  onSettings,
  onClose,
}: {
  readonly uuid: string;
  readonly listed: ShareItem | null;
  /** It was created a moment ago; its password, empty for none. */
  readonly created: string | null;
  readonly isOffline: (share: ShareItem) => boolean;
  readonly wallOf: (share: ShareItem) => WallContent | null;
  readonly refresh: () => void;
  readonly onSettings: () => void;
  readonly onClose: () => void;
}) {
  const reading = useReading(
    (signal) => findShare(uuid, signal),
    [uuid],
    (change) => concernsShares(change) || (change.entity === 'VIEWER' && isOf(uuid, change.update)),
  );
  const state = reading.state.value;
  const share = state.kind === 'read' ? state.value : listed;
  if (share !== null && created !== null) {
    return (
      <LinkReadyDialog
        link={readyLinkOf(share)}
        password={created}
        others={
          <button type="button" onClick={onSettings}>
            {t('Share settings')}
          </button>
        }
        onClose={onClose}
      />
    );
  }
  if (share !== null) {
    return (
      <ShareDialog
        share={share}
        isOffline={isOffline(share)}
        wall={wallOf(share)}
        onChanged={() => {
          reading.refresh();
          refresh();
        }}
        onClose={onClose}
      />
    );
  }
  const isGone = state.kind === 'read';
  return (
    <Dialog title={isGone ? t('There is no such share') : t('Share')} onClose={onClose}>
      {isGone ? (
        <p>{t('It was ended, or the address is wrong.')}</p>
      ) : (
        <ReadingView reading={reading} what={t('the share')}>
          {() => null}
        </ReadingView>
      )}
    </Dialog>
  );
}

function isOf(uuid: string, update: Readonly<Record<string, unknown>> | null): boolean {
  return update?.sharedLiveVideoStreamUuid === uuid;
}
