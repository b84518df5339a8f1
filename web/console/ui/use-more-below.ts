/** Whether a box that scrolls has something below what it shows. */

import { useLayoutEffect, useState } from 'preact/hooks';

/** Less than a line is nothing to scroll for. */
const NOTHING_PX = 8;

export function useMoreBelow(box: { readonly current: HTMLElement | null }): boolean {
  const [isMore, setIsMore] = useState(false);
  useLayoutEffect(() => {
    const shown = box.current!;
    const look = () => setIsMore(shown.scrollHeight - shown.clientHeight - shown.scrollTop > NOTHING_PX);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(shown);
    for (const child of shown.children) watch.observe(child);
    shown.addEventListener('scroll', look, { passive: true });
    return () => {
      watch.disconnect();
      shown.removeEventListener('scroll', look);
    };
  }, []);
  return isMore;
}
