/** A camera in a window of its own that stays above others, or where the browser has none, in a small ordinary window. */

import { openPreview } from '../stream-state.ts';

/** Document Picture-in-Picture (WICG), of Chromium. */
interface PictureWindows {
  requestWindow(size: { readonly width: number; readonly height: number }): Promise<Window>;
}

const SIZE = { width: 640, height: 360 };

/** Must be called in a click. `fill` shows the camera in the window, and returns what ends that. Fails with a CallError. */
export async function openCameraWindow(
  cameraUuid: string,
  fill: (body: HTMLElement) => () => void,
): Promise<void> {
  const { documentPictureInPicture: windows } = globalThis as { documentPictureInPicture?: PictureWindows };
  if (windows === undefined) {
    // Opened in the click, so that no browser blocks it.
    const shown = window.open('about:blank', `camera-${cameraUuid}`, 'popup,width=640,height=360');
    const { pageUrl } = await openPreview(cameraUuid, null, new AbortController().signal);
    if (shown !== null) shown.location.href = pageUrl;
    return;
  }
  const shown = await windows.requestWindow(SIZE).catch(() => null);
  // The browser refused, and says so itself.
  if (shown === null) return;
  for (const sheet of document.querySelectorAll('link[rel="stylesheet"]')) {
    shown.document.head.append(sheet.cloneNode());
  }
  shown.document.body.classList.add('camera-window');
  const end = fill(shown.document.body);
  shown.addEventListener('pagehide', end);
}
