/** A part of the page on the whole screen, or where the browser allows that only to videos, as on iPhones, in the whole window. */

import { useEffect, useState } from 'preact/hooks';

export interface FullScreen {
  /** On the whole screen, or in the whole window. */
  readonly isFull: boolean;
  /** In the whole window. */
  readonly isFilled: boolean;
  readonly toggle: () => void;
}

export function useFullScreen(box: { readonly current: HTMLElement | null }): FullScreen {
  const [isOnScreen, setIsOnScreen] = useState(false);
  const [isFilled, setIsFilled] = useState(false);
  useEffect(() => {
    const look = () => setIsOnScreen(document.fullscreenElement === box.current);
    document.addEventListener('fullscreenchange', look);
    return () => document.removeEventListener('fullscreenchange', look);
  }, []);
  const toggle = () => {
    if (isFilled) setIsFilled(false);
    else if (isOnScreen) void document.exitFullscreen();
    else if (document.fullscreenEnabled !== true) setIsFilled(true);
    else box.current!.requestFullscreen().catch(() => setIsFilled(true));
  };
  return { isFull: isOnScreen || isFilled, isFilled, toggle };
}
