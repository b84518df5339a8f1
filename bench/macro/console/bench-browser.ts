/** Chromium for the console's measurements: a profile of its own, and a port for Lighthouse. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { freePort } from '../../../test/support/ports.ts';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PASSWORD = 'correct horse battery';
const TIMEOUT_MS = 60_000;
const DESKTOP = { width: 1_440, height: 900 };

export class BenchBrowser {
  readonly port: number;
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, port: number, profile: string) {
    this.#context = context;
    this.port = port;
    this.#profile = profile;
  }

  static async open(): Promise<BenchBrowser> {
    const profile = await mkdtemp(join(tmpdir(), 'sluice-bench-chromium-'));
    const port = await freePort();
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: EXECUTABLE,
      headless: false, // the argument below chooses the new headless mode
      args: [
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
        ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
        ...['--autoplay-policy=no-user-gesture-required', `--remote-debugging-port=${port}`],
      ],
      // Lighthouse gives its tab a size of its own: another one, given at the same time, moved the whole page.
      viewport: null,
    });
    return new BenchBrowser(context, port, profile);
  }

  async newPage(): Promise<Page> {
    const page = await this.#context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.setViewportSize(DESKTOP);
    return page;
  }

  /** Signs an admin in, as those are who accept an invitation. `inviteUrl`: of it. */
  async signIn(apiUrl: string, inviteUrl: string): Promise<void> {
    const response = await this.#context.request.post(`${apiUrl}/api/console/acceptInvite`, {
      headers: { origin: apiUrl, 'x-auth-scheme': 'console' },
      data: { inviteToken: inviteUrl.split('#invite=')[1], password: PASSWORD },
    });
    if (!response.ok()) throw new Error(`not signed in: ${await response.text()}`);
  }

  signOut(): Promise<void> {
    return this.#context.clearCookies();
  }

  async close(): Promise<void> {
    await this.#context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}
