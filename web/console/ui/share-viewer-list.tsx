/** Lists the viewers of a link: from where, how, since when. A person can end one and block the address. */

import { useEffect, useState } from 'preact/hooks';
import { place } from '../places.ts';
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
import { t, tRich } from '../words.ts';
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
  { value: '', title: t('Do not block') },
  { value: '60', title: t('1 hour') },
  { value: '480', title: t('8 hours') },
  { value: '1440', title: t('24 hours') },
] as const;

export function ShareViewerList({ share: { uuid, name } }: { readonly share: ShareItem }) {
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
      <h3>{t('Watching now')}</h3>
      <ReadingView reading={reading} what={t('viewers')}>
        {(read) => <Viewers uuid={uuid} read={read} refresh={reading.refresh} />}
      </ReadingView>
      {may('operator') && (
        <p>
          <a href={place(`activity?kind=links&text=${encodeURIComponent(name)}`)}>
            {t('Earlier viewers: when, and from where')}
          </a>
        </p>
      )}
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
      {totalCount === 0 && <p class="muted">{t('No one is watching.')}</p>}
      {totalCount > 0 && viewers.length === 0 && (
        <p>
          <b>{t('{count, plural, one {# viewer} other {# viewers}}', { count: totalCount })}</b>{' '}
          <span class="muted">{t('Operators see from where.')}</span>
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
                  aria-label={t('End the view from {address}', {
                    address: viewer.address || t('an unknown address'),
                  })}
                  onClick={() => {
                    setSaid('');
                    setEnding(viewer);
                  }}
                >
                  {t('End')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && shown.length > 0 && <p class="muted">{t('and {count} more', { count: more })}</p>}
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
        <b>{viewer.address || t('Unknown address')}</b>{' '}
        <span class="muted">
          <ProgramName userAgent={viewer.userAgent} />
        </span>
      </span>
      <small>
        {tRich('{variant} · for {time} · {bytes}', {
          variant: variantText(viewer),
          time: <TimeSince epochMs={viewer.sinceMs} />,
          bytes: bytesText(viewer.sentBytes),
        })}
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
  const from = viewer.address || t('an unknown address');
  const end = () =>
    void action.run(async () => {
      const ended = await endViewer(uuid, viewer.viewerId, block === '' ? null : Number(block));
      const views = t(
        '{count, plural, one {Ended # view from {address}.} other {Ended # views from {address}.}}',
        {
          count: ended.endedCount,
          address: from,
        },
      );
      const blocked = ended.blockedAddress === undefined ? [] : [t('The address is blocked.')];
      const warnings = ended.warningMsg === undefined ? [] : [ended.warningMsg];
      onDone([views, ...blocked, ...warnings].join(' '));
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
        {tRich(
          '<b>End the view from {address}?</b> The video stops there immediately. Anyone who has the link can open it again, unless you block the address.',
          { address: from, b: (text) => <b>{text}</b> },
        )}
      </p>
      {viewer.address !== '' && (
        <>
          <Chips legend={t('Block the address for')} value={block} options={BLOCKS} onValue={setBlock} />
          {block !== '' && (
            <p class="hint">
              {t(
                'People in one building often share an address: the others there cannot open this link either.',
              )}
            </p>
          )}
        </>
      )}
      <FormError error={action.error} />
      <DialogFooter back={t('Keep it')} onBack={onBack}>
        <SubmitButton
          text={block === '' ? t('End view') : t('End and block')}
          isBusy={action.isBusy}
          isDanger
        />
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
      <h4>{t('Blocked addresses')}</h4>
      <ul class="viewers">
        {addresses.slice(0, MAX_SHOWN).map(({ address, untilMs }) => (
          <li key={address}>
            <div class="lines">
              <b>{address}</b>
              <small>{tRich('until {time}', { time: <ClockTime epochMs={untilMs} /> })}</small>
            </div>
            {may('operator') && (
              <button
                type="button"
                aria-label={t('Unblock {address}', { address })}
                disabled={action.isBusy}
                onClick={() =>
                  void action.run(async () => {
                    await unblock(uuid, address);
                    refresh();
                  })
                }
              >
                {t('Unblock')}
              </button>
            )}
          </li>
        ))}
      </ul>
      <FormError error={action.error} />
    </>
  );
}
