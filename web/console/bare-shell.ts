/** Whether the page that is open has the whole window, without masthead and menu. */

import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

export const isBareShell = signal(false);

/** As long as the component is there. */
export function useBareShell(): void {
  useLayoutEffect(() => {
    isBareShell.value = true;
    return () => {
      isBareShell.value = false;
    };
  }, []);
}
