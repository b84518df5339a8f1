/** The newest picture of a camera, with its age if it is not live. */

import { useEffect, useState } from 'preact/hooks';
import { type Answer, CallError, call } from '../api.ts';
import type { CameraItem } from '../camera-state.ts';
import { takeTurn } from '../few-at-once.ts';
import { t } from '../words.ts';
import { TimeAgo } from './time.tsx';

type Snapshot = Answer<'camera/getSnapshot'>;

type Picture =
  | { readonly kind: 'loading' }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'shown'; readonly snapshot: Snapshot };

const WIDTH_PX = 480;
/** A picture of the last minute will do: then the camera is not opened for it. */
const MAX_AGE_SEC = 60;

export function CameraPicture({ camera }: { readonly camera: CameraItem }) {
  const [picture, setPicture] = useState<Picture>({ kind: 'loading' });
  useEffect(() => {
    const left = new AbortController();
    takeTurn(left.signal, () =>
      call(
        'camera/getSnapshot',
        { cameraUuid: camera.uuid, width: WIDTH_PX, maxAgeSec: MAX_AGE_SEC },
        left.signal,
      ),
    ).then(
      (snapshot) => setPicture({ kind: 'shown', snapshot }),
      (error: unknown) => {
        if (left.signal.aborted) return;
        setPicture({ kind: 'none', why: error instanceof CallError ? error.message : t('No picture') });
      },
    );
    return () => left.abort();
  }, [camera.uuid, camera.connectionDetail?.state]);
  if (picture.kind !== 'shown') {
    return (
      <div class="picture empty">
        <p>{picture.kind === 'loading' ? t('Taking a picture…') : t('No picture')}</p>
      </div>
    );
  }
  const { imageData, contentType, timestampMs, live } = picture.snapshot;
  return (
    <div class={live ? 'picture' : 'picture old'}>
      <img src={`data:${contentType};base64,${imageData}`} alt="" decoding="async" />
      {!live && (
        <span class="age">
          <TimeAgo epochMs={timestampMs} />
        </span>
      )}
    </div>
  );
}
