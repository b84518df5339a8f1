/** A real Redis on a free loopback port, for tests. It keeps nothing on disk, so it is empty after a restart. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { endingWithParent } from '../../test/support/ends-with-parent.ts';
import { freePort } from '../../test/support/ports.ts';
import { CredentialUrl } from '../core/secret.ts';

const BINARIES = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'];

export class RedisServerProcess {
  readonly #port: number;
  readonly #binary: string;
  #child: ChildProcess | null = null;

  private constructor(binary: string, port: number) {
    this.#binary = binary;
    this.#port = port;
  }

  /** Resolves when it accepts connections. Rejects with a sentence that says what to install. */
  static async start(): Promise<RedisServerProcess> {
    const binary = BINARIES.find((path) => existsSync(path));
    if (binary === undefined) {
      throw new Error('These tests need redis-server. Install it: apt-get install redis-server');
    }
    const server = new RedisServerProcess(binary, await freePort());
    await server.restart();
    return server;
  }

  get url(): CredentialUrl {
    return new CredentialUrl(`redis://127.0.0.1:${this.#port}`);
  }

  /** Starts it again, empty, on the same port. */
  async restart(): Promise<void> {
    const options = ['--port', this.#port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn(...endingWithParent(this.#binary, options.map(String)), {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('Ready to accept connections')) continue;
      child.stdout.resume();
      return;
    }
    throw new Error(`redis-server did not start on port ${this.#port}`);
  }

  /** Stops responding without closing connections; `thaw` resumes. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** kill -9; resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
