/** Digital zoom: which part of a camera's picture is shown. Pure. Places are shares, 0 to 1, of the picture or of the stage. */

export interface Zoom {
  /** 1: the whole picture. */
  readonly scale: number;
  /** The place of the picture in the middle of the stage. */
  readonly x: number;
  readonly y: number;
}

export const WHOLE: Zoom = { scale: 1, x: 0.5, y: 0.5 };
export const MAX_SCALE = 8;

export function isZoomed({ scale }: Zoom): boolean {
  return scale > 1;
}

/** `factor` above 1: closer. The place of the picture under (`atX`, `atY`) of the stage stays there. */
export function zoomedBy(zoom: Zoom, factor: number, atX = 0.5, atY = 0.5): Zoom {
  const scale = Math.min(MAX_SCALE, Math.max(1, zoom.scale * factor));
  const moved = (center: number, at: number) => center + (at - 0.5) * (1 / zoom.scale - 1 / scale);
  return within({ scale, x: moved(zoom.x, atX), y: moved(zoom.y, atY) });
}

/** Moves the picture by shares of the stage, as a finger that holds it does. */
export function dragged(zoom: Zoom, byX: number, byY: number): Zoom {
  return within({ ...zoom, x: zoom.x - byX / zoom.scale, y: zoom.y - byY / zoom.scale });
}

/** For the picture's element, whose transformations begin in its middle. */
export function transformOf({ scale, x, y }: Zoom): string {
  return scale === 1 ? 'none' : `scale(${scale}) translate(${(0.5 - x) * 100}%, ${(0.5 - y) * 100}%)`;
}

/** Nothing beyond the picture is shown. */
function within({ scale, x, y }: Zoom): Zoom {
  const half = 0.5 / scale;
  const bounded = (center: number) => Math.min(1 - half, Math.max(half, center));
  return { scale, x: bounded(x), y: bounded(y) };
}
