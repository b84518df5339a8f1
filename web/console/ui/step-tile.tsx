/** A camera at the time of the play head: in a player, or as a picture. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call } from '../api.ts';
import { takeTurn } from '../few-at-once.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import type { Head, StepPlayer } from '../step-player.ts';
import { t } from '../words.ts';
import { usePreview } from './live-preview.tsx';

/** `isThere`: the camera was recorded at the time of the head. */
interface TileProps {
  readonly cameraUuid: string;
  readonly name: string;
  readonly isThere: boolean;
}

export function PlayerTile({
  cameraUuid,
  name,
  isThere,
  player,
}: TileProps & { readonly player: StepPlayer }) {
  const { shown, retry } = usePreview(cameraUuid);
  const frame = useRef<HTMLIFrameElement>(null);
  const pageUrl = shown.kind === 'playing' ? steered(shown.pageUrl) : null;
  useEffect(
    () => (pageUrl === null ? undefined : player.add(cameraUuid, frame.current!)),
    [pageUrl, cameraUuid, player],
  );
  return (
    <figure class="step-tile">
      {pageUrl !== null && (
        <iframe
          ref={frame}
          src={pageUrl}
          title={t('{name}, at the play head', { name })}
          allow="autoplay"
          tabIndex={-1}
        />
      )}
      {shown.kind === 'failed' && (
        <div class="step-note" role="alert">
          <p>{shown.error.message}</p>
          <button type="button" onClick={retry}>
            {t('Try again')}
          </button>
        </div>
      )}
      {!isThere && <NotRecorded />}
      <figcaption>{name}</figcaption>
    </figure>
  );
}

/** The head rests, or has moved on, for this long before the tile requests a picture. */
const REST_MS = 250;
const AGAIN_MS = 2_000;
const DOWNSCALE = 3;

export function PictureTile({
  cameraUuid,
  name,
  isThere,
  head,
  nowMs,
}: TileProps & { readonly head: Head; readonly nowMs: number }) {
  const [image, setImage] = useState<string | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const requestedAt = useRef(0);
  const atMs = head.kind === 'live' ? null : head.atMs;
  // While it plays or lives, a picture now and then; while it rests, that of the instant.
  const step = head.kind === 'live' || head.isPlaying ? Math.floor(nowMs / AGAIN_MS) : `@${atMs}`;
  useEffect(() => {
    if (!isThere) return;
    const left = new AbortController();
    const waitMs = Math.min(REST_MS, Math.max(0, requestedAt.current + AGAIN_MS - gatewayNowMs()));
    const timer = setTimeout(() => {
      requestedAt.current = gatewayNowMs();
      takeTurn(left.signal, () =>
        call(
          'video/getExactFrameData',
          { cameraUuid, timestampMs: Math.round(atMs ?? nowMs), downscaleFactor: DOWNSCALE },
          left.signal,
        ),
      ).then(
        ({ frameData }) => {
          setImage(frameData);
          setWhy(null);
        },
        (error: unknown) => {
          if (!left.signal.aborted) setWhy(error instanceof CallError ? error.message : t('No picture'));
        },
      );
    }, waitMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [cameraUuid, isThere, step]);
  return (
    <figure class="step-tile">
      {image !== null && why === null && <img src={`data:image/jpeg;base64,${image}`} alt="" />}
      {isThere && why !== null && (
        <div class="step-note">
          <p>{why}</p>
        </div>
      )}
      {!isThere && <NotRecorded />}
      <figcaption>
        {name} <span class="kind">{t('picture')}</span>
      </figcaption>
    </figure>
  );
}

function NotRecorded() {
  return (
    <div class="step-note">
      <p>{t('Not recorded at this time')}</p>
    </div>
  );
}

/** The player's page as this page steers it. */
function steered(pageUrl: string): string {
  const url = new URL(pageUrl);
  url.searchParams.set('steered', '');
  return url.href;
}
