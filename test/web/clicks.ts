/** Counts what a person presses on a page: the measure of a task. */

import type { Page } from 'playwright-core';

export interface Clicks {
  /** Presses since the last call, or since the start: clicks and taps, and choices in native lists. Typing counts nothing. */
  since(): number;
}

/** Counts in every document that the page opens; a press counts where it begins, so a click that navigates counts, too. */
export async function countClicks(page: Page): Promise<Clicks> {
  let presses = 0;
  await page.exposeFunction('sluicePressed', () => {
    presses += 1;
  });
  const listen = () => {
    const { sluicePressed } = globalThis as unknown as { sluicePressed: () => void };
    const count = ({ isTrusted }: Event) => {
      if (isTrusted) sluicePressed();
    };
    addEventListener('pointerdown', count, { capture: true });
    addEventListener(
      'change',
      ({ target }) => {
        if (target instanceof HTMLSelectElement) sluicePressed();
      },
      { capture: true },
    );
  };
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return {
    since: () => {
      const counted = presses;
      presses = 0;
      return counted;
    },
  };
}
