/** Shares as rows. The whole row opens the share; it can be selected, and its link copied, without. */

import type { PagedRows } from '../paged-list.ts';
import { may } from '../session.ts';
import { type ShareItem, targetText, type WallContent } from '../share-item.ts';
import { t, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { CopyButton } from './copy-button.tsx';
import { useCompact } from './density-switch.tsx';
import { Icon } from './icon.tsx';
import { SeenSign } from './seen-sign.tsx';
import { SortHeader } from './sort-header.tsx';
import { TimeAgo } from './time.tsx';
import { useNarrow } from './use-narrow.ts';
import { VirtualRows } from './virtual-rows.tsx';

const ROW_PX = 60;
const COMPACT_ROW_PX = 48;
const NARROW_ROW_PX = 116;
const ICONS = {
  STREAM: 'camera',
  WALL: 'wall',
  CLIP_GROUP: 'timeline',
  TIMELAPSE_GROUP: 'timeline',
} as const;

export interface ShareTableProps {
  readonly rows: PagedRows<ShareItem>;
  /** As in the address. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly selected: ReadonlyMap<string, ShareItem>;
  readonly onSelect: (share: ShareItem, isSelected: boolean) => void;
  /** True: everything that the filters let through, as far as it can be selected. */
  readonly onSelectAll: (isSelected: boolean) => void;
  readonly isOffline: (share: ShareItem) => boolean;
  /** Null: the share shows no wall, or its names are not known yet. */
  readonly wallOf: (share: ShareItem) => WallContent | null;
  readonly end: (share: ShareItem) => void;
  readonly open: (share: ShareItem) => void;
}

export function ShareTable(props: ShareTableProps) {
  const { rows, selected, onSelectAll, sort, onSort } = props;
  const isCompact = useCompact();
  const isNarrow = useNarrow();
  const mayChange = may('operator');
  return (
    <div
      class={`table shares ${mayChange ? '' : 'read-only'} ${isCompact ? 'compact' : ''}`}
      role="table"
      aria-label={t('Shares')}
      aria-rowcount={rows.total + 1}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {mayChange && (
          <span role="columnheader" class="pick">
            <Pick
              label={t('Select all')}
              isPicked={selected.size > 0 && selected.size >= rows.total}
              onPick={onSelectAll}
            />
          </span>
        )}
        <SortHeader {...{ sort, onSort }} title={t('Share')} column="name" />
        <SortHeader {...{ sort, onSort }} title={t('Viewers see')} column="state" />
        <span role="columnheader">{t('Schedule')}</span>
        <span role="columnheader">{t('Watching now')}</span>
        <SortHeader {...{ sort, onSort }} title={t('Ends')} column="end" />
        <span role="columnheader">{t('Protection')}</span>
        {mayChange && (
          <span role="columnheader">
            <span class="off-screen">{t('Actions')}</span>
          </span>
        )}
      </div>
      <VirtualRows
        count={rows.total}
        rowPx={isNarrow ? NARROW_ROW_PX : isCompact ? COMPACT_ROW_PX : ROW_PX}
        role="rowgroup"
        isWhole={isNarrow}
        render={(index) => {
          const share = rows.row(index);
          return share === null ? (
            <div class="row waiting" role="row" aria-rowindex={index + 2} key={index}>
              <span role="cell" class="muted">
                …
              </span>
            </div>
          ) : (
            <ShareRow key={share.uuid} index={index} share={share} mayChange={mayChange} {...props} />
          );
        }}
      />
    </div>
  );
}

function ShareRow({
  index,
  share,
  mayChange,
  selected,
  onSelect,
  isOffline,
  wallOf,
  end,
  open,
}: Omit<ShareTableProps, 'rows' | 'onSelectAll' | 'sort' | 'onSort'> & {
  readonly index: number;
  readonly share: ShareItem;
  readonly mayChange: boolean;
}) {
  const isSelected = selected.has(share.uuid);
  return (
    <div class={`row ${isSelected ? 'selected' : ''}`} role="row" aria-rowindex={index + 2}>
      {mayChange && (
        <span role="cell" class="pick">
          <Pick
            label={t('Select {name}', { name: share.name })}
            isPicked={isSelected}
            onPick={(isPicked) => onSelect(share, isPicked)}
          />
        </span>
      )}
      <span role="cell" class="lines">
        <button type="button" class="open" onClick={() => open(share)}>
          <span>{share.name === '' ? t('Without a title') : share.name}</span>
          <Icon name="right" />
        </button>
        <small>
          <Icon name={ICONS[share.kind]} />
          {targetText(share, wallOf(share))}
          {share.creatorLeft && (
            <>
              {' '}
              <span class="badge warn">{t('{name} has left', { name: share.creatorName ?? '' })}</span>
            </>
          )}
        </small>
      </span>
      <span role="cell" class="lines">
        <SeenSign share={share} isOffline={isOffline(share)} />
        <small class="if-narrow">
          <End share={share} />
        </small>
        <small class="if-narrow">
          <Note share={share} />
        </small>
      </span>
      <span role="cell" class="wide-only">
        <ScheduleName share={share} />
      </span>
      <span role="cell" class="lines wide-only">
        <Watching share={share} />
      </span>
      <span role="cell" class="wide-only">
        {share.expiresAtMs === null ? (
          <span class="badge warn">{t('No end')}</span>
        ) : (
          <ClockTime epochMs={share.expiresAtMs} />
        )}
      </span>
      <span role="cell" class="wide-only">
        {protectionOf(share) || <span class="badge warn">{t('No password')}</span>}
      </span>
      {mayChange && (
        <span role="cell" class="act">
          <CopyButton what={t('link of {name}', { name: share.name })} text={share.pageUrl} isWide={false} />
          {share.state !== 'EXPIRED' && (
            <button
              type="button"
              class="quiet end-share"
              aria-label={t('End {name}', { name: share.name })}
              title={t('End {name}', { name: share.name })}
              onClick={() => end(share)}
            >
              <Icon name="close" />
              <span>{t('End…')}</span>
            </button>
          )}
        </span>
      )}
    </div>
  );
}

function Pick({
  label,
  isPicked,
  onPick,
}: {
  readonly label: string;
  readonly isPicked: boolean;
  readonly onPick: (isPicked: boolean) => void;
}) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        checked={isPicked}
        onChange={({ currentTarget }) => onPick(currentTarget.checked)}
      />
    </label>
  );
}

function Watching({ share: { viewerCount, lastViewedAtMs } }: { readonly share: ShareItem }) {
  if (viewerCount > 0) return <span class="seen visible">{t('{viewerCount} now', { viewerCount })}</span>;
  return (
    <>
      <span class="muted">{t('No one')}</span>
      <small>
        {lastViewedAtMs === undefined
          ? t('Never viewed')
          : tRich('Last: {time}', { time: <TimeAgo epochMs={lastViewedAtMs} /> })}
      </small>
    </>
  );
}

function ScheduleName({
  share: { scheduleName, invertSchedule },
}: {
  readonly share: Pick<ShareItem, 'scheduleName' | 'invertSchedule'>;
}) {
  if (scheduleName === undefined) return <span class="muted">{t('Always shown')}</span>;
  return <>{invertSchedule ? t('Not during {schedule}', { schedule: scheduleName }) : scheduleName}</>;
}

/** For screens without room for a column of it. */
function End({ share: { expiresAtMs, state } }: { readonly share: ShareItem }) {
  if (expiresAtMs === null) return <span class="warn-text">{t('No end')}</span>;
  const time = <ClockTime epochMs={expiresAtMs} />;
  return <>{state === 'EXPIRED' ? tRich('Ended {time}', { time }) : tRich('Ends {time}', { time })}</>;
}

/** The most important of the other facts, as above. */
function Note({ share }: { readonly share: ShareItem }) {
  const { viewerCount, state } = share;
  if (viewerCount > 0) return <>{t('{viewerCount} watching', { viewerCount })}</>;
  const protection = protectionOf(share);
  if (protection !== '' || state === 'EXPIRED') return <>{protection}</>;
  return <span class="warn-text">{t('No password')}</span>;
}

/** Further requirements for viewers besides the link; empty: none. */
function protectionOf({
  passwordProtected,
  ssoProtected,
}: Pick<ShareItem, 'passwordProtected' | 'ssoProtected'>): string {
  return [...(ssoProtected ? [t('Sign-in')] : []), ...(passwordProtected ? [t('Password')] : [])].join(', ');
}
