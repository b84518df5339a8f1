/** The step that shares a camera: its link for a phone, and who watches by it now. */

import { useState } from 'preact/hooks';
import type { Change } from '../changes.ts';
import { DEMO_CAMERA_UUID } from '../demo-camera.ts';
import { type FirstSteps, readWatching, type Watching } from '../first-steps.ts';
import { linkReach } from '../media-addresses.ts';
import { type Reading, useReading } from '../reading.ts';
import { type ShareItem, targetText } from '../share-item.ts';
import { sharePlace } from '../share-places.ts';
import { t, tRich } from '../words.ts';
import { LinkWays, OncePassword, readyLinkOf } from './link-ways.tsx';
import { NetworkAddresses } from './network-addresses.tsx';
import { QrCode } from './qr-code.tsx';
import { NewShareDialog } from './share-new.tsx';
import { StateLine, Step } from './step.tsx';
import { TimeAgo } from './time.tsx';

export function ShareStep({
  number,
  steps: { shares, offer, ownCameras },
  onChanged,
  onWatched,
}: {
  readonly number: number;
  readonly steps: FirstSteps;
  readonly onChanged: () => void;
  readonly onWatched: (isWatched: boolean) => void;
}) {
  const [isAsking, setIsAsking] = useState(false);
  /** `before`: the list of shares at its creation, which does not contain it yet. */
  const [created, setCreated] = useState<{
    uuid: string;
    password: string;
    before: readonly ShareItem[];
  } | null>(null);
  const [isWatched, setIsWatched] = useState(false);
  const isAwaited = created !== null && created.before === shares;
  const share = isAwaited ? null : (shares.find(({ uuid }) => uuid === created?.uuid) ?? shares[0] ?? null);
  const firstCamera = ownCameras.at(-1)?.uuid ?? DEMO_CAMERA_UUID;
  const watched = (is: boolean) => {
    setIsWatched(is);
    onWatched(is);
  };
  return (
    <Step
      number={number}
      title={t('Watch on a phone')}
      isDone={share !== null && isWatched}
      aside={
        share !== null &&
        linkReach(share.pageUrl) !== 'this-machine' && (
          <QrCode text={share.pageUrl} label={t('QR code of the link of {name}', { name: share.name })} />
        )
      }
    >
      <p>
        {t('A share is a link that plays one camera for anyone who has it, for as long as you choose.')}{' '}
        {share !== null &&
          linkReach(share.pageUrl) !== 'this-machine' &&
          t('Point a phone’s camera at its code.')}
      </p>
      <NetworkAddresses />
      {isAwaited && <StateLine kind="waiting">{t('Creating the link…')}</StateLine>}
      {share !== null && (
        <>
          <p>
            <a href={sharePlace(share.uuid)}>{share.name}</a>{' '}
            <span class="muted">{t('shows {target}', { target: targetText(share) })}</span>
          </p>
          <Watchers key={share.uuid} share={share} onWatched={watched} />
          <LinkWays link={readyLinkOf(share)} />
          {created !== null && created.password !== '' && created.uuid === share.uuid && (
            <OncePassword password={created.password} />
          )}
        </>
      )}
      <div class="buttons">
        <button
          type="button"
          class={share === null ? 'primary' : ''}
          disabled={offer.targets.length === 0}
          onClick={() => setIsAsking(true)}
        >
          {t('Share a camera…')}
        </button>
      </div>
      {isAsking && (
        <NewShareDialog
          read={offer}
          targetUuid={firstCamera}
          onClose={() => setIsAsking(false)}
          onCreated={(uuid, password) => {
            setCreated({ uuid, password, before: shares });
            setIsAsking(false);
            onChanged();
          }}
        />
      )}
    </Step>
  );
}

function Watchers({
  share,
  onWatched,
}: {
  readonly share: ShareItem;
  readonly onWatched: (isWatched: boolean) => void;
}) {
  const concerns = ({ entity, update }: Change) =>
    entity === 'VIEWER' && update?.sharedLiveVideoStreamUuid === share.uuid;
  const reading = useReading(
    async (signal) => {
      const watching = await readWatching(share, signal);
      onWatched(watching.totalCount > 0 || watching.lastViewedAtMs !== undefined);
      return watching;
    },
    [share.uuid],
    concerns,
  );
  return <WatchersLine state={reading.state.value} />;
}

function WatchersLine({ state }: { readonly state: Reading<Watching> }) {
  if (state.kind === 'loading') return <StateLine kind="waiting">{t('Asking who is watching…')}</StateLine>;
  if (state.kind === 'failed') return <StateLine kind="bad">{state.error.message}</StateLine>;
  const { viewers, totalCount, lastViewedAtMs } = state.value;
  if (totalCount > 0) {
    const addresses = [...new Set(viewers.map(({ address }) => address))].filter((address) => address !== '');
    return (
      <StateLine kind="good">
        {addresses.length === 0
          ? t('{count, plural, one {A viewer is watching now} other {# viewers are watching now}}', {
              count: totalCount,
            })
          : t(
              '{count, plural, one {A viewer is watching now} other {# viewers are watching now}}, from {addresses}',
              { count: totalCount, addresses: addresses.slice(0, 3).join(', ') },
            )}
      </StateLine>
    );
  }
  return (
    <StateLine kind="waiting">
      {lastViewedAtMs === undefined
        ? t('Nobody has opened it yet')
        : tRich('Nobody is watching now. Last watched {time}', {
            time: <TimeAgo epochMs={lastViewedAtMs} />,
          })}
    </StateLine>
  );
}
