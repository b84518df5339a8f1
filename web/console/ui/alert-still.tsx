/** The camera's frame at the instant of an alert. */

import { useEffect, useState } from 'preact/hooks';
import { type AlertImageState, LOADING, NO_IMAGE, shownImage } from '../alert-image.ts';
import { mayHaveImage, type PolicyAlert, readAlertImage } from '../alert-list.ts';
import { takeTurn } from '../few-at-once.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { t } from '../words.ts';

export function AlertImage({ alert, isCamera }: { readonly alert: PolicyAlert; readonly isCamera: boolean }) {
  const [shown, setShown] = useState(() => shownImage(alert.uuid, LOADING));
  const isThere = isCamera && mayHaveImage(alert, gatewayNowMs());
  useEffect(() => {
    const show = (found: AlertImageState): void => setShown(shownImage(alert.uuid, found));
    if (!isThere) {
      show(NO_IMAGE);
      return;
    }
    const left = new AbortController();
    takeTurn(left.signal, () => readAlertImage(alert, left.signal)).then(
      (data) => show({ kind: 'image', data }),
      () => {
        if (!left.signal.aborted) show(NO_IMAGE);
      },
    );
    return () => left.abort();
  }, [alert.uuid, isThere, alert.clipLocation === undefined]);
  if (shown.kind === 'image') {
    return (
      <div class="picture">
        <img src={`data:image/jpeg;base64,${shown.data}`} alt="" decoding="async" />
      </div>
    );
  }
  return (
    <div class="picture empty">
      <p>{shown.kind === 'loading' ? t('Loading…') : t('No image')}</p>
    </div>
  );
}
