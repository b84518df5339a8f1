/** A real SAML provider on loopback: pysaml2 (PyPI) with xmlsec1 (test/saml/provider.py). It signs in whom the test names. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installSamlProvider } from '../../scripts/api-tools.mjs';
import { freePort } from './ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface SamlUser {
  /** The NameID. */
  readonly user: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export class TestSamlProvider {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#process = child;
    this.#folder = folder;
  }

  static async start(): Promise<TestSamlProvider> {
    await installSamlProvider();
    const folder = mkdtempSync(join(tmpdir(), 'saml-provider-'));
    const port = await freePort();
    const python = join(ROOT, '.cache/saml-provider/bin/python');
    const script = join(ROOT, 'test/saml/provider.py');
    const child = spawn(python, [script, String(port), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const provider = new TestSamlProvider(`http://127.0.0.1:${port}`, child, folder);
    await once(child.stdout!, 'data');
    return provider;
  }

  get metadataUrl(): string {
    return `${this.url}/metadata`;
  }

  /** Who is signed in from now on, by which services, and how. `renew`: with a new key. */
  async set(changes: {
    readonly metadata?: readonly string[];
    readonly user?: string;
    readonly attributes?: SamlUser['attributes'];
    readonly encrypt?: boolean;
    readonly renew?: boolean;
  }): Promise<void> {
    const response = await fetch(`${this.url}/control`, { method: 'POST', body: JSON.stringify(changes) });
    if (!response.ok) throw new Error(`the provider refused: ${response.status}`);
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill();
      await once(this.#process, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
