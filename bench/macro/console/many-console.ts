/** The gateway of the `api` bench, with 1,000 cameras and 10,000 shares, and someone who looks at its console. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../test/support/ports.ts';
import { ChildModule } from '../../support/child-module.ts';
import { BenchBrowser } from './bench-browser.ts';

export const CAMERAS = 1_000;
export const SHARES = 10_000;
/** The calls of api-gateway.ts that this file uses; its other types are not those of browsers. */
interface ApiGatewayCalls {
  start(setup: {
    readonly folder: string;
    readonly apiPort: number;
    readonly mediaPort: number;
    readonly nvrs: number;
    readonly shares: number;
    readonly doors: number;
    readonly alerts: number;
  }): Promise<{ readonly apiKey: string }>;
  close(nothing: null): Promise<void>;
}

const SHARED_MEMORY = '/dev/shm';

export class ManyConsole {
  readonly browser: BenchBrowser;
  readonly apiUrl: string;
  readonly #gateway: ChildModule<ApiGatewayCalls>;
  readonly #folder: string;

  private constructor(
    browser: BenchBrowser,
    apiUrl: string,
    gateway: ChildModule<ApiGatewayCalls>,
    folder: string,
  ) {
    this.browser = browser;
    this.apiUrl = apiUrl;
    this.#gateway = gateway;
    this.#folder = folder;
  }

  static async open(): Promise<ManyConsole> {
    const base = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
    const folder = mkdtempSync(join(base, 'sluice-bench-console-'));
    const gateway = new ChildModule<ApiGatewayCalls>(join(import.meta.dirname, '../api-gateway.ts'));
    try {
      const [apiPort, mediaPort] = [await freePort(), await freePort()];
      const setup = { folder, apiPort, mediaPort, nvrs: CAMERAS, shares: SHARES, doors: 1, alerts: 0 };
      const { apiKey } = await gateway.call('start', setup);
      const apiUrl = `http://127.0.0.1:${apiPort}`;
      const browser = await BenchBrowser.open();
      await browser.signIn(apiUrl, await invite(apiUrl, apiKey));
      return new ManyConsole(browser, apiUrl, gateway, folder);
    } catch (error) {
      await gateway.end();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.#gateway.call('close', null);
    await this.#gateway.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function invite(apiUrl: string, apiKey: string): Promise<string> {
  const response = await fetch(`${apiUrl}/api/console/invitePerson`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-apikey': apiKey, 'x-auth-scheme': 'api-token' },
    body: JSON.stringify({ name: 'Ada Lovelace', email: 'bench@example.com', role: 'admin' }),
  });
  const body = (await response.json()) as { inviteUrl?: string; errorMsg?: string };
  if (body.inviteUrl === undefined) throw new Error(`not invited: ${body.errorMsg}`);
  return body.inviteUrl;
}
