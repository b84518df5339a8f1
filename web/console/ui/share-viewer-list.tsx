/** Lists the viewers of a link: from where, how, since when. A person can end one and block the address. */

import { useEffect, useState } from 'preact/hooks';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { bytesText, type ShareItem } from '../share-item.ts';
import {
  type BlockedAddress,
  endViewer,
  readViewers,
  type ShareViewer,
  type ShareViewers,
  unblock,
  variantText,
} from '../share-viewers.ts';
import { Chips } from './chips.tsx';
import { ClockTime } from './clock-time.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { FormError } from './form-error.tsx';
import { ProgramName } from './program-name.tsx';
import { ReadingView } from './reading-view.tsx';
import { TimeSince } from './time.tsx';
import { useAction } from './use-action.ts';

/** The stream tells who comes and goes; bytes and variants it does not. */
const LOOK_MS = 5_000;
/** Rows that are shown; a number stands for the rest. */
const MAX_SHOWN = 100;
const BLOCKS = [
  { value: '', title: 'Do not block' },
  { value: '60', title: '1 hour' },
  { value: '480', title: '8 hours' },
  { value: '1440', title: '24 hours' },
] as const;

export function ShareViewerList({ share: { uuid } }: { readonly share: ShareItem }) {
  const reading = useReading(
    (signal) => readViewers(uuid, signal),
    [uuid],
    ({ entity, update }) => entity === 'VIEWER' && update?.sharedLiveVideoStreamUuid === uuid,
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reading.refresh();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [reading]);
  return (
    <section class="dialog-part">
      <h3>Watching now</h3>
      <ReadingView reading={reading} what="viewers">
        {(read) => <Viewers uuid={uuid} read={read} refresh={reading.refresh} />}
      </ReadingView>
    </section>
  );
}

function Viewers({
  uuid,
  read,
  refresh,
}: {
  readonly uuid: string;
  readonly read: ShareViewers;
  readonly refresh: () => void;
}) {
  const [ending, setEnding] = useState<ShareViewer | null>(null);
  const [said, setSaid] = useState('');
  const { viewers, totalCount, blockedAddresses } = read;
  const shown = viewers.slice(0, MAX_SHOWN);
  const more = totalCount - shown.length;
  return (
    <>
      {ending !== null && (
        <EndViewer
          uuid={uuid}
          viewer={ending}
          onDone={(text) => {
            setSaid(text);
            setEnding(null);
            refresh();
          }}
          onBack={() => setEnding(null)}
        />
      )}
      {totalCount === 0 && <p class="muted">No one is watching.</p>}
      {totalCount > 0 && viewers.length === 0 && (
        <p>
          <b>{totalCount === 1 ? '1 viewer' : `${totalCount} viewers`}</b>{' '}
          <span class="muted">Operators see from where.</span>
        </p>
      )}
      {shown.length > 0 && (
        <ul class="viewers">
          {shown.map((viewer) => (
            <li key={viewer.viewerId}>
              <ViewerLine viewer={viewer} />
              {may('operator') && (
                <button
                  type="button"
                  aria-label={`End the view from ${viewer.address || 'an unknown address'}`}
                  onClick={() => {
                    setSaid('');
                    setEnding(viewer);
                  }}
                >
                  End
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && shown.length > 0 && <p class="muted">{`and ${more} more`}</p>}
      <p class="said" role="status">
        {said}
      </p>
      {blockedAddresses.length > 0 && <Blocked uuid={uuid} addresses={blockedAddresses} refresh={refresh} />}
    </>
  );
}

function ViewerLine({ viewer }: { readonly viewer: ShareViewer }) {
  return (
    <div class="lines">
      <span>
        <b>{viewer.address || 'Unknown address'}</b>{' '}
        <span class="muted">
          <ProgramName userAgent={viewer.userAgent} />
        </span>
      </span>
      <small>
        {variantText(viewer)} · for <TimeSince epochMs={viewer.sinceMs} /> · {bytesText(viewer.sentBytes)}
      </small>
    </div>
  );
}

function EndViewer({
  uuid,
  viewer,
  onDone,
  onBack,
}: {
  readonly uuid: string;
  readonly viewer: ShareViewer;
  readonly onDone: (said: string) => void;
  readonly onBack: () => void;
}) {
  const [block, setBlock] = useState<(typeof BLOCKS)[number]['value']>('');
  const action = useAction();
  const from = viewer.address || 'an unknown address';
  const end = () =>
    void action.run(async () => {
      const ended = await endViewer(uuid, viewer.viewerId, block === '' ? null : Number(block));
      const views = ended.endedCount === 1 ? '1 view' : `${ended.endedCount} views`;
      const blocked = ended.blockedAddress === undefined ? [] : ['The address is blocked.'];
      const warnings = ended.warningMsg === undefined ? [] : [ended.warningMsg];
      onDone([`Ended ${views} from ${from}.`, ...blocked, ...warnings].join(' '));
    });
  return (
    <form
      class="form asked"
      onSubmit={(event) => {
        event.preventDefault();
        end();
      }}
    >
      <p>
        <b>End the view from {from}?</b> The video stops there at once. Who has the link can open it again,
        unless you block the address.
      </p>
      {viewer.address !== '' && (
        <>
          <Chips legend="Block the address for" value={block} options={BLOCKS} onValue={setBlock} />
          {block !== '' && (
            <p class="hint">
              People in one building often share an address: the others there cannot open this link either.
            </p>
          )}
        </>
      )}
      <FormError error={action.error} />
      <DialogFooter back="Keep it" onBack={onBack}>
        <SubmitButton text={block === '' ? 'End view' : 'End and block'} isBusy={action.isBusy} isDanger />
      </DialogFooter>
    </form>
  );
}

function Blocked({
  uuid,
  addresses,
  refresh,
}: {
  readonly uuid: string;
  readonly addresses: readonly BlockedAddress[];
  readonly refresh: () => void;
}) {
  const action = useAction();
  return (
    <>
      <h4>Blocked addresses</h4>
      <ul class="viewers">
        {addresses.slice(0, MAX_SHOWN).map(({ address, untilMs }) => (
          <li key={address}>
            <div class="lines">
              <b>{address}</b>
              <small>
                until <ClockTime epochMs={untilMs} />
              </small>
            </div>
            {may('operator') && (
              <button
                type="button"
                aria-label={`Unblock ${address}`}
                disabled={action.isBusy}
                onClick={() =>
                  void action.run(async () => {
                    await unblock(uuid, address);
                    refresh();
                  })
                }
              >
                Unblock
              </button>
            )}
          </li>
        ))}
      </ul>
      <FormError error={action.error} />
    </>
  );
}
