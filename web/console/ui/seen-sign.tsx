/** Names what a viewer of a share sees now, with a dot that repeats it for the eye. */

import type { ShareItem, ShareState } from '../share-item.ts';
import { t, tIn, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { TimeAgo } from './time.tsx';

const WORDS: Readonly<Record<ShareState, string>> = {
  VISIBLE: t('Visible'),
  HIDDEN: t('Hidden now'),
  EXPIRED: t('Ended'),
  CAMERA_REMOVED: t('Camera removed'),
};

const SIGNS: Readonly<Record<ShareState, string>> = {
  VISIBLE: 'visible',
  HIDDEN: 'hidden',
  EXPIRED: 'expired',
  CAMERA_REMOVED: 'offline',
};

export function SeenSign({ share, isOffline }: { readonly share: ShareItem; readonly isOffline: boolean }) {
  const isUnseen = share.state === 'VISIBLE' && isOffline;
  return (
    <>
      <span class={seenClass(share.state, isOffline)}>
        {isUnseen ? tIn('share', 'Open') : WORDS[share.state]}
      </span>
      <small>{isUnseen ? t('but the camera is offline') : <Until share={share} />}</small>
    </>
  );
}

export function seenClass(state: ShareState, isOffline: boolean): string {
  return `seen ${state === 'VISIBLE' && isOffline ? 'partly' : SIGNS[state]}`;
}

function Until({ share: { state, nextChange, expiresAtMs } }: { readonly share: ShareItem }) {
  if (state === 'EXPIRED') return expiresAtMs === null ? null : <TimeAgo epochMs={expiresAtMs} />;
  if (state === 'CAMERA_REMOVED') return <>{t('Extending does not help')}</>;
  if (nextChange === undefined) return state === 'HIDDEN' ? t('for good') : null;
  // The column of ends says when it ends.
  if (nextChange.reason === 'expired') return state === 'HIDDEN' ? t('until it ends') : null;
  return <>{tRich('until {time}', { time: <ClockTime epochMs={nextChange.atMs} hasZone /> })}</>;
}
