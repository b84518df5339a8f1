/** All shares: what is shared, what viewers see now, until when. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { NEW_SHARE_PLACE, SHARES_PLACE, sharePlace } from '../share-places.ts';
import { type SeenKind, type SeenState, type ShareItem, seenStates } from '../share-seen.ts';
import { concernsShares, readShares, type SharesRead } from '../share-state.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { Select } from '../ui/select.tsx';
import { ShareDialog } from '../ui/share-dialog.tsx';
import { NewShareDialog } from '../ui/share-new.tsx';
import { ShareTable } from '../ui/share-table.tsx';
import { useNow } from '../ui/use-now.ts';

/** Filters by what viewers see, and the states that they let through. */
const STATE_FILTERS: Readonly<Record<string, { title: string; kinds: readonly SeenKind[] | null }>> = {
  all: { title: 'All states', kinds: null },
  visible: { title: 'Visible', kinds: ['visible', 'partly'] },
  hidden: { title: 'Hidden now', kinds: ['hidden'] },
  ended: { title: 'Ended', kinds: ['expired'] },
};

/** How often states that change with time are looked at. */
const TICK_MS = 5_000;

export function SharesPage() {
  useEffect(() => {
    document.title = 'Shares · Sluice';
  }, []);
  const reading = useReading(readShares, [], concernsShares);
  return (
    <>
      <div class="page-head">
        <h1>Shares</h1>
        {may('operator') && (
          <a class="button primary" href={NEW_SHARE_PLACE}>
            <Icon name="plus" /> New share
          </a>
        )}
      </div>
      <ReadingView reading={reading} what="shares">
        {(read) => <ShareList read={read} refresh={reading.refresh} />}
      </ReadingView>
    </>
  );
}

function ShareList({ read, refresh }: { readonly read: SharesRead; readonly refresh: () => void }) {
  const nowMs = useNow(TICK_MS);
  const states = useMemo(() => seenStates(read, nowMs), [read, nowMs]);
  const [text, setText] = useState('');
  const [state, setState] = useState('all');
  const [target, setTarget] = useState('');
  const shown = read.shares.filter(filterOf(text, state, target, states));
  return (
    <>
      {read.shares.length === 0 ? (
        <Notice title="Nothing is shared yet">
          <p>A share is a link to one camera or wall. You choose how long it works and who can open it.</p>
          {read.targets.length === 0 && <p>Add a camera first.</p>}
        </Notice>
      ) : (
        <>
          <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
            <input
              type="search"
              aria-label="Filter by name or camera"
              placeholder="Filter by name or camera"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Select
              label="What viewers see"
              value={state}
              options={Object.entries(STATE_FILTERS).map(([value, { title }]) => ({ value, title }))}
              onValue={setState}
            />
            <Select
              label="Camera"
              value={target}
              options={[{ value: '', title: 'All cameras' }, ...sharedTargets(read.shares)]}
              onValue={setTarget}
            />
            <p class="count" role="status">
              {shown.length === read.shares.length
                ? read.shares.length
                : `${shown.length} of ${read.shares.length}`}
            </p>
          </form>
          {shown.length === 0 ? (
            <Notice title="No share matches" />
          ) : (
            <ShareTable shares={shown} states={states} read={read} />
          )}
        </>
      )}
      <Opened read={read} states={states} refresh={refresh} />
    </>
  );
}

/** What the address opens above the list. */
function Opened({
  read,
  states,
  refresh,
}: {
  readonly read: SharesRead;
  readonly states: ReadonlyMap<string, SeenState>;
  readonly refresh: () => void;
}) {
  const { query, route } = useLocation();
  const [created, setCreated] = useState<{ uuid: string; password: string } | null>(null);
  const close = () => {
    setCreated(null);
    route(SHARES_PLACE, true);
  };
  if (query.new !== undefined && may('operator') && read.targets.length > 0) {
    return (
      <NewShareDialog
        read={read}
        targetUuid={query.new}
        onClose={close}
        onCreated={(uuid, password) => {
          setCreated({ uuid, password });
          refresh();
          route(sharePlace(uuid), true);
        }}
      />
    );
  }
  if (query.share === undefined) return null;
  const share = read.shares.find(({ uuid }) => uuid === query.share);
  const isNew = created?.uuid === query.share;
  if (share === undefined) {
    return (
      <Dialog title={isNew ? 'Creating the link…' : 'There is no such share'} onClose={close}>
        {!isNew && <p>It was ended, or the address is wrong.</p>}
      </Dialog>
    );
  }
  return (
    <ShareDialog
      key={share.uuid}
      share={share}
      state={states.get(share.uuid)!}
      read={read}
      created={isNew ? created.password : null}
      onChanged={refresh}
      onClose={close}
    />
  );
}

/** Cameras and walls that are shared, by name. */
function sharedTargets(shares: readonly ShareItem[]): { value: string; title: string }[] {
  const names = new Map(shares.map(({ targetUuid, targetName }) => [targetUuid, targetName]));
  return [...names]
    .map(([value, title]) => ({ value, title }))
    .sort((a, b) => a.title.localeCompare(b.title));
}

function filterOf(
  text: string,
  state: string,
  target: string,
  states: ReadonlyMap<string, SeenState>,
): (share: ShareItem) => boolean {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const kinds = STATE_FILTERS[state]!.kinds;
  return ({ uuid, targetUuid, name, targetName }) => {
    if (target !== '' && targetUuid !== target) return false;
    if (kinds !== null && !kinds.includes(states.get(uuid)!.kind)) return false;
    const searched = `${name} ${targetName}`.toLocaleLowerCase();
    return words.every((word) => searched.includes(word));
  };
}
