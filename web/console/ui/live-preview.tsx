/** Shows a camera live, in the viewer page's own player, without a share, as long as it is on the page. */

import { useEffect, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { openPreview } from '../stream-state.ts';
import { t } from '../words.ts';
import { ErrorNotice } from './notice.tsx';

/** A preview is extended when this much of its time is left. */
const EXTEND_BEFORE_MS = 300_000;
const RETRY_MS = 10_000;

type Shown =
  | { readonly kind: 'opening' }
  | { readonly kind: 'playing'; readonly pageUrl: string }
  | { readonly kind: 'failed'; readonly error: CallError };

/** Opens a preview and extends it. `retry` opens a new one after a failure. */
export function usePreview(cameraUuid: string): { readonly shown: Shown; readonly retry: () => void } {
  const [shown, setShown] = useState<Shown>({ kind: 'opening' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let grant: string | null = null;
    const open = async (): Promise<void> => {
      try {
        const preview = await openPreview(cameraUuid, grant, left.signal);
        // An extended preview keeps its address: the player plays on.
        grant = preview.grant;
        setShown({ kind: 'playing', pageUrl: preview.pageUrl });
        timer = setTimeout(open, Math.max(RETRY_MS, preview.endsAtMs - gatewayNowMs() - EXTEND_BEFORE_MS));
      } catch (error) {
        if (left.signal.aborted) return;
        if (!(error instanceof CallError)) throw error;
        if (grant === null) setShown({ kind: 'failed', error });
        else timer = setTimeout(open, RETRY_MS);
      }
    };
    setShown({ kind: 'opening' });
    void open();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [cameraUuid, attempt]);
  return { shown, retry: () => setAttempt(attempt + 1) };
}

export function LivePreview({ cameraUuid, name }: { readonly cameraUuid: string; readonly name: string }) {
  const { shown, retry } = usePreview(cameraUuid);
  switch (shown.kind) {
    case 'opening':
      return <div class="preview" />;
    case 'failed':
      return <ErrorNotice error={shown.error} retry={retry} />;
    case 'playing':
      return (
        <iframe
          class="preview"
          src={shown.pageUrl}
          title={t('{name}, live', { name })}
          allow="autoplay; fullscreen; picture-in-picture"
        />
      );
  }
}
