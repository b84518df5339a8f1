/** Plays the recording around an alert. */

import { useEffect, useState } from 'preact/hooks';
import { alertTitle, type PolicyAlert } from '../alert-list.ts';
import { CallError } from '../api.ts';
import { readRecorded, timelinePlace } from '../camera-history.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { openPreview } from '../stream-state.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { ErrorNotice, LoadingNotice } from './notice.tsx';

const BEFORE_SEC = 5;
const AFTER_SEC = 10;
const MAX_SEC = 300;
/** A recording is listed once it is written. */
const WRITING_MS = 60_000;
const RETRY_MS = 2_000;

type Shown =
  | { readonly kind: 'opening' }
  | { readonly kind: 'playing'; readonly url: string }
  | { readonly kind: 'not-recorded' }
  | { readonly kind: 'not-playable' }
  | { readonly kind: 'failed'; readonly error: CallError };

export function AlertPlayer({
  alert,
  onClose,
}: {
  readonly alert: PolicyAlert;
  readonly onClose: () => void;
}) {
  const [shown, setShown] = useState<Shown>({ kind: 'opening' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = async (): Promise<void> => {
      try {
        const url = await recordedUrl(alert, left.signal);
        if (url !== null) setShown({ kind: 'playing', url });
        else if (gatewayNowMs() - alert.timestampMs < WRITING_MS) timer = setTimeout(open, RETRY_MS);
        else setShown({ kind: 'not-recorded' });
      } catch (error) {
        if (left.signal.aborted) return;
        if (!(error instanceof CallError)) throw error;
        setShown({ kind: 'failed', error });
      }
    };
    setShown({ kind: 'opening' });
    void open();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [alert.uuid, attempt]);
  return (
    <Dialog title={alertTitle(alert)} onClose={onClose}>
      <div class="dialog-body">
        <Player
          shown={shown}
          retry={() => setAttempt(attempt + 1)}
          failed={() => setShown({ kind: 'not-playable' })}
        />
      </div>
      <DialogFooter
        back={t('Close')}
        onBack={onClose}
        others={
          <a class="button" href={timelinePlace(alert.deviceUuid, alert.timestampMs)}>
            {t('Open in the timeline')}
          </a>
        }
      />
    </Dialog>
  );
}

function Player({
  shown,
  retry,
  failed,
}: {
  readonly shown: Shown;
  readonly retry: () => void;
  readonly failed: () => void;
}) {
  switch (shown.kind) {
    case 'opening':
      return <LoadingNotice what={t('the recording')} />;
    case 'failed':
      return <ErrorNotice error={shown.error} retry={retry} />;
    case 'not-recorded':
      return (
        <p>
          {t(
            'Nothing was recorded at this time. The camera may have been offline or without a recording rule, or the recording was deleted when its time was over.',
          )}
        </p>
      );
    case 'not-playable':
      return (
        <p role="alert">
          {t(
            'This browser cannot play the recording. It may have been deleted, or your browser lacks its codec.',
          )}{' '}
          <button type="button" onClick={retry}>
            {t('Try again')}
          </button>
        </p>
      );
    case 'playing':
      return (
        <video class="alert-video" src={shown.url} controls autoplay muted playsInline onError={failed} />
      );
  }
}

/** Null: nothing was recorded. Fails with a CallError. */
async function recordedUrl(alert: PolicyAlert, signal: AbortSignal): Promise<string | null> {
  const { deviceUuid, timestampMs, durationSec = 0 } = alert;
  const startSec = Math.max(0, Math.floor(timestampMs / 1_000) - BEFORE_SEC);
  const lengthSec = Math.min(MAX_SEC, BEFORE_SEC + Math.max(0, durationSec) + AFTER_SEC);
  const spans = await readRecorded(deviceUuid, startSec, lengthSec, signal);
  if (spans.length === 0) return null;
  // The console's cookie does not reach the media listener: the grant of a preview does.
  const { playlistUrl } = await openPreview(deviceUuid, null, signal);
  return new URL(`vod/${startSec}/${lengthSec}/clip.mp4`, playlistUrl).href;
}
