/** What a camera shows, in small, where a wall has it: behind its name. Of one that is offline, what it showed last. */

import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { type CameraItem, stateOf } from '../camera-state.ts';
import { takeTurn } from '../few-at-once.ts';

const WIDTH_PX = 320;
/** It says which camera it is; the wall itself shows what happens. */
const MAX_AGE_SEC = 600;
const DAY_SEC = 86_400;

export function TilePicture({
  camera,
  isSeen = true,
}: {
  /** undefined: it was removed. */
  readonly camera: CameraItem | undefined;
  /** False: it is far from the screen. */
  readonly isSeen?: boolean;
}) {
  const [source, setSource] = useState<string | null>(null);
  const cameraUuid = camera?.uuid;
  const isOffline = camera !== undefined && stateOf(camera) === 'offline';
  useEffect(() => {
    if (cameraUuid === undefined || !isSeen) return;
    const left = new AbortController();
    takeTurn(left.signal, () =>
      call(
        'camera/getSnapshot',
        {
          cameraUuid,
          width: WIDTH_PX,
          ...(isOffline ? { maxAgeSec: DAY_SEC, mayOpen: false } : { maxAgeSec: MAX_AGE_SEC }),
        },
        left.signal,
      ),
    ).then(
      ({ contentType, imageData }) => setSource(`data:${contentType};base64,${imageData}`),
      // The tile has its name.
      () => undefined,
    );
    return () => left.abort();
  }, [cameraUuid, isOffline, isSeen]);
  if (source === null) return null;
  return (
    <img
      class={isOffline ? 'tile-picture old' : 'tile-picture'}
      src={source}
      alt=""
      decoding="async"
      draggable={false}
    />
  );
}
