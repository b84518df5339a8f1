/** Whether an element has come near the screen: what takes long to draw is not drawn before. */

import { useEffect, useState } from 'preact/hooks';

/** In CSS pixels beyond the edges of the screen. */
const NEAR_PX = 200;

/** Once true, it stays so. */
export function useNear(element: { readonly current: Element | null }): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        setIsNear(true);
      },
      { rootMargin: `${NEAR_PX}px` },
    );
    watch.observe(element.current!);
    return () => watch.disconnect();
  }, [element]);
  return isNear;
}
