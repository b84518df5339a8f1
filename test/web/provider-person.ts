/** What a person does on the pages of the sign-in provider (test/support/oidc-provider.ts). */

import type { Page } from 'playwright-core';

/** Any password is right there. */
export async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
