/** The test's own nginx on a loopback port: one process, for HTTP with `locations` in its only server, or for TCP. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const PROGRAM = '/usr/sbin/nginx';

export class TestNginx {
  readonly url: string;
  readonly #child: Child;
  readonly #folder: string;

  private constructor(url: string, child: Child, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** A whole configuration; `configOf` gets a folder for its files and the port to listen at. */
  static async startWith(configOf: (folder: string, port: number) => string): Promise<TestNginx> {
    const port = await freePort();
    const nginx = TestNginx.#launch(`http://127.0.0.1:${port}`, (folder) => configOf(folder, port));
    await until('nginx', () => isOpen(port));
    return nginx;
  }

  /** `locations`: for a server whose upstream `sluice_media` is at `mediaUrl`. */
  static async start(locations: string, mediaUrl: string): Promise<TestNginx> {
    const port = await freePort();
    const nginx = TestNginx.#launch(`http://127.0.0.1:${port}`, (folder) =>
      httpConfig(folder, port, new URL(mediaUrl).host, locations),
    );
    await until('nginx', () => fetch(`${nginx.url}/nowhere`).then(() => true));
    return nginx;
  }

  /** `stream`: a block whose server listens at the port of `url`. */
  static async startStream(stream: string, url: string): Promise<TestNginx> {
    const { port } = new URL(url);
    const module = 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;';
    const nginx = TestNginx.#launch(url, (folder) => `${module}\n${common(folder)}\n${stream}`);
    await until('nginx', () => isOpen(Number(port)));
    return nginx;
  }

  static #launch(url: string, configOf: (folder: string) => string): TestNginx {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'));
    const configFile = join(folder, 'nginx.conf');
    writeFileSync(configFile, configOf(folder));
    const child = new Child(PROGRAM, ['-p', folder, '-c', configFile, '-e', join(folder, 'error.log')]);
    return new TestNginx(url, child, folder);
  }

  async stop(): Promise<void> {
    await this.#child.end('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Whether something listens at a port of this machine. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
  socket.destroy();
  return outcome;
}

function common(folder: string): string {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 64; }`;
}

function httpConfig(folder: string, port: number, media: string, locations: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `${common(folder)}
http {
  access_log off;
  ${temporary.join('\n  ')}
  upstream sluice_media { server ${media}; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`;
}
