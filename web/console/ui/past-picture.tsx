/** A frame of the past in small, next to what it is about. */

import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { takeTurn } from '../few-at-once.ts';
import { t } from '../words.ts';

/** Rows that are scrolled past request no picture. */
const REST_MS = 200;
const DOWNSCALE = 4;
const MAX_PICTURES = 300;

/** By camera and time: someone who scrolls back sees them immediately. Null: there is none. */
const pictures = new Map<string, string | null>();

export function PastPicture({
  cameraUuid,
  atMs,
  hasVideo,
}: {
  readonly cameraUuid: string;
  readonly atMs: number;
  /** False: nothing was recorded then. */
  readonly hasVideo: boolean;
}) {
  const key = `${cameraUuid} ${atMs}`;
  const [, setShown] = useState(0);
  useEffect(() => {
    if (!hasVideo || pictures.has(key)) return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      const wanted = { cameraUuid, timestampMs: Math.round(atMs), downscaleFactor: DOWNSCALE };
      takeTurn(left.signal, () => call('video/getExactFrameData', wanted, left.signal))
        .then(
          ({ frameData }) => keepPicture(key, frameData),
          () => {
            if (!left.signal.aborted) keepPicture(key, null);
          },
        )
        .then(() => {
          if (!left.signal.aborted) setShown((count) => count + 1);
        });
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [key, hasVideo]);
  const data = hasVideo ? pictures.get(key) : null;
  return (
    <span class="event-frame">
      {data != null && <img src={`data:image/jpeg;base64,${data}`} alt="" decoding="async" />}
      {data === null && <small>{t('No picture')}</small>}
    </span>
  );
}

function keepPicture(key: string, data: string | null): void {
  pictures.delete(key);
  pictures.set(key, data);
  if (pictures.size > MAX_PICTURES) pictures.delete(pictures.keys().next().value!);
}
