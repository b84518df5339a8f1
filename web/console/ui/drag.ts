/** Drags a part of a plan or a map with the pointer: a press that moves less is no drag. */

const DRAG_PX = 4;

export interface Drag {
  /** How far it is from where it began, in pixels. */
  readonly move: (byXPx: number, byYPx: number) => void;
  /** After at least one move. */
  readonly end: () => void;
}

/** Begins with a `pointerdown` of the main button. */
export function drag(event: PointerEvent & { readonly currentTarget: HTMLElement }, deeds: Drag): void {
  if (event.button !== 0) return;
  const held: HTMLElement = event.currentTarget;
  held.setPointerCapture(event.pointerId);
  const ended = new AbortController();
  let isMoved = false;
  held.addEventListener(
    'pointermove',
    ({ clientX, clientY }: PointerEvent) => {
      const [byXPx, byYPx] = [clientX - event.clientX, clientY - event.clientY];
      isMoved ||= Math.hypot(byXPx, byYPx) >= DRAG_PX;
      if (isMoved) deeds.move(byXPx, byYPx);
    },
    ended,
  );
  const end = () => {
    ended.abort();
    if (isMoved) deeds.end();
  };
  held.addEventListener('pointerup', end, ended);
  held.addEventListener('pointercancel', end, ended);
}
