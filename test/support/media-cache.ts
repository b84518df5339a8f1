/** Caches in front of a gateway, as the guide sets them up (docs/guide/cdn.md), and their requests to the gateway. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type Server, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import { TestNginx } from './nginx.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guide/cdn.md');
const VARNISH = '/usr/sbin/varnishd';

export interface MediaCache {
  readonly url: string;
  stop(): Promise<void>;
}

/** The only block of the guide in this language. */
function blockOf(language: string): string {
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [block, ...others] = blocks.filter(([, name]) => name === language);
  if (block === undefined || others.length > 0) throw new Error(`not one block of ${language} in the guide`);
  return block[2]!;
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the guide no longer has ${from}`);
  return text.replace(from, () => to);
}

/** The guide's, which caches, and passes on everything else. */
export function guideNginx(folder: string, port: number, originUrl: string): string {
  let config = replaced(blockOf('nginx'), '/var/cache/nginx/sluice', `${folder}/cache`);
  config = replaced(config, '127.0.0.1:8081', new URL(originUrl).host);
  const rest = `location / {
        proxy_pass http://sluice_media;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_buffering off;
        proxy_read_timeout 60s;
    }`;
  config = replaced(config, 'server {', `server {\n    listen 127.0.0.1:${port};\n    ${rest}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.join('\n  ')}
${config}
}
`;
}

/** The guide's additions for an nginx behind another cache: those before its server, and those to its location. */
function behindAnother(config: string): string {
  const [before, rest] = blockOf('conf').split(/^server \{\n {4}location \/cdn\/ \{\n/m);
  const location = replaced(rest ?? '', '    }\n}\n', '');
  return replaced(replaced(config, 'server {', `${before}server {`), 'add_header', `${location}add_header`);
}

export function startNginxCache(originUrl: string): Promise<MediaCache> {
  return TestNginx.startWith((folder, port) => guideNginx(folder, port, originUrl));
}

export function startNginxBehindAnother(originUrl: string): Promise<MediaCache> {
  return TestNginx.startWith((folder, port) => behindAnother(guideNginx(folder, port, originUrl)));
}

async function startVarnishBeforeNginx(originUrl: string): Promise<MediaCache> {
  const nginx = await startNginxBehindAnother(originUrl);
  const varnish = await startVarnish(nginx.url);
  return {
    url: varnish.url,
    async stop() {
      await varnish.stop();
      await nginx.stop();
    },
  };
}

export async function startVarnish(originUrl: string): Promise<MediaCache> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-varnish-'));
  const port = await freePort();
  const vcl = join(folder, 'default.vcl');
  const { port: originPort } = new URL(originUrl);
  writeFileSync(vcl, replaced(blockOf('vcl'), '.port = "8081"', `.port = "${originPort}"`));
  const listener = ['-a', `127.0.0.1:${port}`, '-n', join(folder, 'work'), '-s', 'malloc,64m'];
  // In the foreground, as the user who runs the test, with little shared memory.
  const process = ['-F', '-j', 'none', '-p', 'vsl_space=1m', '-t', '120'];
  const child = new Child(VARNISH, [...process, ...listener, '-f', vcl]);
  const url = `http://127.0.0.1:${port}`;
  await until('Varnish', () => fetch(`${url}/healthz`).then(({ ok }) => ok));
  return {
    url,
    async stop() {
      await child.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const CACHES = [
  ['nginx', startNginxCache],
  ['Varnish', startVarnish],
  ['Varnish in front of nginx', startVarnishBeforeNginx],
] as const;

/** Between a cache and the gateway: counts requests. */
export class CountedOrigin {
  readonly url: string;
  /** By path with its query, and status. */
  readonly #responses = new Map<string, number>();
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(url: string, server: Server, agent: Agent) {
    this.url = url;
    this.#server = server;
    this.#agent = agent;
  }

  static async start(gatewayUrl: string): Promise<CountedOrigin> {
    const { hostname, port } = new URL(gatewayUrl);
    const agent = new Agent({ keepAlive: true });
    const server = createServer((incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      const requested = sendRequest({ hostname, port, path: url, method, headers, agent }, (response) => {
        origin.#note(url, response.statusCode!);
        outgoing.writeHead(response.statusCode!, response.rawHeaders);
        response.pipe(outgoing);
      });
      requested.on('error', () => outgoing.destroy());
      outgoing.on('close', () => requested.destroy());
      incoming.pipe(requested);
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port: ownPort } = server.address() as AddressInfo;
    const origin = new CountedOrigin(`http://127.0.0.1:${ownPort}`, server, agent);
    return origin;
  }

  #note(url: string, status: number): void {
    const key = `${status} ${url}`;
    this.#responses.set(key, (this.#responses.get(key) ?? 0) + 1);
  }

  count(path: string, status = 200): number {
    return this.#responses.get(`${status} ${path}`) ?? 0;
  }

  /** Responses to shared paths: how many had this status. */
  shared(status = 200): Map<string, number> {
    const found = [...this.#responses].filter(([key]) => key.startsWith(`${status} /cdn/`));
    return new Map(found.map(([key, times]) => [key.slice(`${status} `.length), times]));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}
