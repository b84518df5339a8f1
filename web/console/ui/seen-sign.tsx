/** Names what a viewer of a share sees now, with a dot that repeats it for the eye. */

import type { ShareItem, ShareState } from '../share-item.ts';
import { ClockTime } from './clock-time.tsx';
import { TimeAgo } from './time.tsx';

const WORDS: Readonly<Record<ShareState, string>> = {
  VISIBLE: 'Visible',
  HIDDEN: 'Hidden now',
  EXPIRED: 'Ended',
  CAMERA_REMOVED: 'Camera removed',
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
      <span class={seenClass(share.state, isOffline)}>{WORDS[share.state]}</span>
      <small>{isUnseen ? 'Camera offline' : <Until share={share} />}</small>
    </>
  );
}

export function seenClass(state: ShareState, isOffline: boolean): string {
  return `seen ${state === 'VISIBLE' && isOffline ? 'offline' : SIGNS[state]}`;
}

function Until({ share: { state, nextChange, expiresAtMs } }: { readonly share: ShareItem }) {
  if (state === 'EXPIRED') return expiresAtMs === null ? null : <TimeAgo epochMs={expiresAtMs} />;
  if (state === 'CAMERA_REMOVED') return <>Extending does not help</>;
  if (nextChange === undefined) return state === 'HIDDEN' ? <>for good</> : null;
  // The column of ends says when it ends.
  if (nextChange.reason === 'expired') return state === 'HIDDEN' ? <>until it ends</> : null;
  return (
    <>
      until <ClockTime epochMs={nextChange.atMs} />
    </>
  );
}
