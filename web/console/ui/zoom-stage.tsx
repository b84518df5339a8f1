/** The place of a camera's picture, which can be zoomed. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isZoomed, transformOf, type Zoom } from '../camera-zoom.ts';
import { followZoom } from './follow-zoom.ts';

export function ZoomStage({
  zoom,
  isFull,
  isWaiting,
  onZoom,
  children,
}: {
  readonly zoom: Zoom;
  readonly isFull: boolean;
  /** The player waits for video: what it says can be clicked. */
  readonly isWaiting: boolean;
  readonly onZoom: (zoom: Zoom) => void;
  readonly children: ComponentChildren;
}) {
  const picture = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const newest = useRef({ zoom, isFull, onZoom });
  newest.current = { zoom, isFull, onZoom };
  useLayoutEffect(() => picture.current!.style.setProperty('transform', transformOf(zoom)), [zoom]);
  useEffect(
    () =>
      followZoom(over.current!, {
        zoom: () => newest.current.zoom,
        isFull: () => newest.current.isFull,
        setZoom: (next) => {
          // Several events can come before the page is rendered again.
          newest.current = { ...newest.current, zoom: next };
          newest.current.onZoom(next);
        },
      }),
    [],
  );
  return (
    <div class="zoom-stage">
      <div ref={picture} class="zoom-picture">
        {children}
      </div>
      <div
        ref={over}
        class={isWaiting ? 'zoom-over waiting' : isZoomed(zoom) ? 'zoom-over zoomed' : 'zoom-over'}
      />
    </div>
  );
}
