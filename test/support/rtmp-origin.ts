/** node-media-server as an origin: a server of its own that devices push to and players pull from. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

const PROGRAM = resolve(import.meta.dirname, '../../node_modules/node-media-server/bin/app.js');

export class RtmpOrigin {
  readonly port: number;
  readonly child: Child;
  readonly #folder: string;

  private constructor(port: number, child: Child, folder: string) {
    this.port = port;
    this.child = child;
    this.#folder = folder;
  }

  /** `port`: where an earlier one listened. */
  static async start(port?: number): Promise<RtmpOrigin> {
    const chosen = port ?? (await freePort());
    const folder = mkdtempSync(join(tmpdir(), 'sluice-rtmp-origin-'));
    const file = join(folder, 'config.json');
    const config = { bind: '127.0.0.1', rtmp: { port: chosen }, store: { path: 'data' } };
    writeFileSync(file, JSON.stringify(config));
    const child = new Child(process.execPath, [PROGRAM, '-c', file]);
    await child.line(/Rtmp Server listening/);
    return new RtmpOrigin(chosen, child, folder);
  }

  /** Where `name` is pushed to and pulled from. */
  url(name: string): string {
    return `rtmp://127.0.0.1:${this.port}/live/${name}`;
  }

  /** As if its machine lost its power, except that the kernel closes its connections. */
  async kill(): Promise<void> {
    await this.child.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
