/** People who are signed in to the console of a test gateway, as those are who accepted an invitation. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';

export type PersonRole = 'viewer' | 'operator' | 'admin';

export const PERSON_NAME = 'Ada Lovelace';
export const PASSWORD = 'correct horse battery';

let invited = 0;

/** The link that invites someone new. */
export async function invite(
  gateway: TestGateway,
  role: PersonRole,
): Promise<{ inviteUrl: string; email: string }> {
  const email = `ada-${++invited}@example.com`;
  const { inviteUrl } = await gateway.call('console/invitePerson', { name: PERSON_NAME, email, role });
  return { inviteUrl, email };
}

/** The browser that `page` belongs to gets the session of someone new. */
export async function signInAs(page: Page, gateway: TestGateway, role: PersonRole): Promise<void> {
  const { inviteUrl } = await invite(gateway, role);
  const response = await page.request.post(`${gateway.apiUrl}/api/console/acceptInvite`, {
    headers: { origin: gateway.apiUrl, 'x-auth-scheme': 'console' },
    data: { inviteToken: inviteUrl.split('#invite=')[1], password: PASSWORD },
  });
  expect(response.status(), await response.text()).toBe(200);
}

/** On a phone, the way out is in the menu. */
export async function signOut(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More', exact: true });
  if (await more.isVisible()) await more.click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** Someone new joins at the console, and comes back later with email address and password, as people do. */
export async function joinAndSignIn(page: Page, gateway: TestGateway, role: PersonRole): Promise<void> {
  const { inviteUrl, email } = await invite(gateway, role);
  await page.goto(inviteUrl);
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
  await signOut(page);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Cameras', level: 1 }).waitFor();
}
