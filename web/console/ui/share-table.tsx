/** Shares as rows. The whole row opens the share; its link can be copied without. */

import { useLocation } from 'preact-iso';
import { sharePlace } from '../share-places.ts';
import type { SeenState, ShareItem } from '../share-seen.ts';
import type { SharesRead } from '../share-state.ts';
import { ClockTime } from './clock-time.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { SeenSign } from './seen-sign.tsx';
import { useNarrow } from './use-narrow.ts';
import { VirtualRows } from './virtual-rows.tsx';

const ROW_PX = 60;
const NARROW_ROW_PX = 76;

export function ShareTable({
  shares,
  states,
  read,
}: {
  readonly shares: readonly ShareItem[];
  readonly states: ReadonlyMap<string, SeenState>;
  readonly read: SharesRead;
}) {
  const { route } = useLocation();
  const isNarrow = useNarrow();
  return (
    <div class="table shares" role="table" aria-label="Shares" aria-rowcount={shares.length + 1}>
      <div class="row head" role="row" aria-rowindex={1}>
        <span role="columnheader">Share</span>
        <span role="columnheader">Viewers see</span>
        <span role="columnheader">Ends</span>
        <span role="columnheader">Protection</span>
        <span role="columnheader">Schedule</span>
        <span role="columnheader">
          <span class="off-screen">Link</span>
        </span>
      </div>
      <VirtualRows
        count={shares.length}
        rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
        role="rowgroup"
        render={(index) => (
          <ShareRow
            key={shares[index]!.uuid}
            index={index}
            share={shares[index]!}
            state={states.get(shares[index]!.uuid)!}
            read={read}
            open={() => route(sharePlace(shares[index]!.uuid))}
          />
        )}
      />
    </div>
  );
}

function ShareRow({
  index,
  share,
  state,
  read,
  open,
}: {
  readonly index: number;
  readonly share: ShareItem;
  readonly state: SeenState;
  readonly read: SharesRead;
  readonly open: () => void;
}) {
  const schedule = share.scheduleUuid === null ? null : (read.schedules.get(share.scheduleUuid) ?? null);
  return (
    <div class="row" role="row" aria-rowindex={index + 2}>
      <span role="cell" class="lines">
        <button type="button" class="open" onClick={open}>
          {share.name}
        </button>
        <small>
          <Icon name={share.kind === 'wall' ? 'wall' : 'camera'} />
          {share.targetName}
        </small>
      </span>
      <span role="cell" class="lines">
        <SeenSign state={state} isOffline={isOffline(share, read)} />
        <small class="if-narrow">
          <Ends share={share} state={state} />
        </small>
      </span>
      <span role="cell">
        {share.expiresAtMs === null ? 'Never' : <ClockTime epochMs={share.expiresAtMs} />}
      </span>
      <span role="cell" class={share.hasPassword ? '' : 'muted'}>
        {share.hasPassword ? 'Password' : 'Link only'}
      </span>
      <span role="cell" class={schedule === null ? 'muted' : ''}>
        {schedule === null ? '–' : `${share.invertSchedule ? 'Not ' : ''}${schedule.name}`}
      </span>
      <span role="cell" class="act">
        <CopyButton what={`link of ${share.name}`} text={share.pageUrl} isWide={false} />
      </span>
    </div>
  );
}

/** Where there is no room for more columns. */
function Ends({ share, state }: { readonly share: ShareItem; readonly state: SeenState }) {
  return (
    <>
      {share.hasPassword && 'Password'}
      {share.expiresAtMs !== null && state.kind !== 'expired' && (
        <>
          {share.hasPassword ? ', ends ' : 'Ends '}
          <ClockTime epochMs={share.expiresAtMs} />
        </>
      )}
    </>
  );
}

/** Whether all cameras of the share are known to be offline. */
export function isOffline({ parts }: ShareItem, { cameras }: Pick<SharesRead, 'cameras'>): boolean {
  return (
    parts.length > 0 &&
    parts.every(({ cameraUuid }) => cameras.get(cameraUuid)?.connectionDetail?.state === 'offline')
  );
}
