/** Whether an element has come near the screen, since it was there. */

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const NEAR = '200px';

export function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true);
      },
      { rootMargin: NEAR },
    );
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [isSeen]);
  return isSeen;
}
