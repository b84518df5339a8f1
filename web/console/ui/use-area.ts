/** How large a part of the page is, as it changes. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Area } from '../../wall-layout.ts';

/** Before it is measured. */
const FIRST: Area = { widthPx: 1_280, heightPx: 720 };

/** `measured`: the reference of the element. */
export function useArea(): { readonly area: Area; readonly measured: (element: HTMLElement | null) => void } {
  const [area, setArea] = useState(FIRST);
  const [element, measured] = useState<HTMLElement | null>(null);
  const observer = useMemo(
    () =>
      new ResizeObserver(([entry]) => {
        const { width, height } = entry!.contentRect;
        setArea({ widthPx: Math.floor(width), heightPx: Math.floor(height) });
      }),
    [],
  );
  useEffect(() => {
    if (element === null) return;
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { area, measured };
}
