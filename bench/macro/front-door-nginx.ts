/**
 * The second reference of the front-door benchmark: nginx, one worker, the same bytes as files in memory. At another port it
 * asks a service about each request first: the third reference.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { hrtimeMs, type ProcessUsage } from '../support/child-module.ts';
import { foreignPssBytes, threadCpuMicros } from '../support/foreign-process.ts';

const NGINX = '/usr/sbin/nginx';
const START_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;

export class NginxServer {
  readonly port: number;
  /** Where it asks the service. */
  readonly guardedPort: number;
  readonly #process: ChildProcess;

  private constructor(port: number, guardedPort: number, process: ChildProcess) {
    this.port = port;
    this.guardedPort = guardedPort;
    this.#process = process;
  }

  /** Serves `folder`, where it also puts its own files; null if nginx is not installed. `deciderPort`: of the service, if it is asked. */
  static async start(folder: string, deciderPort = 9): Promise<NginxServer | null> {
    if (!existsSync(NGINX)) return null;
    const port = await freePort();
    const guardedPort = await freePort();
    const configFile = join(folder, 'nginx.conf');
    writeFileSync(configFile, config(folder, port, guardedPort, deciderPort));
    const process = spawn(NGINX, ['-p', folder, '-c', configFile, '-e', join(folder, 'error.log')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const server = new NginxServer(port, guardedPort, process);
    await server.#untilListening();
    return server;
  }

  /** Usage of the worker: in single-process mode, it is the process itself. */
  usage(): ProcessUsage {
    const pid = this.#process.pid!;
    return { cpuMicros: threadCpuMicros(pid), rssBytes: foreignPssBytes(pid), atMs: hrtimeMs() };
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
  }

  async #untilListening(): Promise<void> {
    const deadlineMs = hrtimeMs() + START_TIMEOUT_MS;
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${this.port}/`).catch(() => null);
      if (response !== null) return;
      if (this.#process.exitCode !== null || hrtimeMs() > deadlineMs) {
        throw new Error('nginx does not start');
      }
      await delay(POLL_INTERVAL_MS);
    }
  }
}

function config(folder: string, port: number, guardedPort: number, deciderPort: number): string {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100;
  client_body_temp_path ${folder}/tmp1;
  proxy_temp_path ${folder}/tmp2;
  fastcgi_temp_path ${folder}/tmp3;
  uwsgi_temp_path ${folder}/tmp4;
  scgi_temp_path ${folder}/tmp5;
  types { application/vnd.apple.mpegurl m3u8; video/mp4 m4v; }
  upstream decider { server 127.0.0.1:${deciderPort}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${guardedPort};
    root ${folder};
    add_header Cache-Control "no-store";
    add_header Access-Control-Allow-Origin "*";
    location /guarded/ { auth_request /decide; rewrite ^/guarded/[^/]+/(.*)$ /$1 break; }
    location = /decide {
      internal;
      proxy_pass http://decider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Original-URI $request_uri;
    }
  }
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    add_header Cache-Control "no-cache";
    add_header Access-Control-Allow-Origin "*";
  }
}
`;
}
