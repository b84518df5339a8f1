/** Keeps the screen on while someone watches. Browsers release the lock when the page is hidden, and it is requested again when it returns. */

import { useEffect } from 'preact/hooks';

export function useWakeLock(): void {
  useEffect(() => {
    // Missing on pages without TLS.
    const { wakeLock } = navigator as { wakeLock?: WakeLock };
    if (wakeLock === undefined) return;
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    const hold = () => {
      if (document.visibilityState !== 'visible' || isLeft) return;
      wakeLock.request('screen').then(
        (held) => {
          // The page may have been left, or asked again, in the meantime.
          if (isLeft) void held.release();
          else lock = held;
        },
        // The battery is low, or the browser does not allow it: the screen turns off as usual.
        () => undefined,
      );
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      isLeft = true;
      document.removeEventListener('visibilitychange', hold);
      void lock?.release();
    };
  }, []);
}
