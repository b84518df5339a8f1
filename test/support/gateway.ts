/** A whole gateway the way its users run it: the CLI in its own process, driven over HTTP. */

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { BUILT_MAIN } from '../../scripts/built.mjs';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

/** Clips for synthetic cameras are made once and shared by all tests. */
export const CLIP_CACHE = resolve(import.meta.dirname, '../../.cache');
export const API_KEY = 'test-key-0123456789abcdefghijklmnopqrstuvwxyz';

/** Let any of these tests run on a gateway with viewer threads, or with camera threads. */
const { TEST_VIEWER_THREADS = '0', TEST_CAMERA_THREADS = '0' } = process.env;

/**
 * Settings of `sources` for tests in which no camera falls silent: a busy machine can keep a camera from sending for
 * seconds.
 */
export const PATIENT = { silenceTimeout: '1m' };

export type Json = Record<string, any>;

/** A configuration file's content, without what every test gateway has in common. */
export type TestConfig = Json & { cameras?: Json[] };

export interface TestGatewayOptions {
  /** How many files it can have open, if not as many as the test. */
  readonly descriptors?: number | null;
  readonly readyWithinMs?: number;
  /** Where both listeners accept connections, if not only at 127.0.0.1. */
  readonly listenHost?: string;
  /** Arguments of Node.js, before the name of the program. */
  readonly nodeArgs?: readonly string[];
  /** Further arguments of `sluice serve`. */
  readonly serveArgs?: readonly string[];
  /** Variables besides those of the test. */
  readonly env?: NodeJS.ProcessEnv;
}

export class TestGateway {
  readonly apiUrl: string;
  readonly mediaUrl: string;
  readonly folder: string;
  readonly #descriptors: number | null;
  readonly #nodeArgs: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #serveArgs: readonly string[];
  readonly #listenHost: string;
  #child: Child | null = null;

  private constructor(
    folder: string,
    ports: { api: number; media: number },
    config: TestConfig,
    {
      descriptors = null,
      nodeArgs = [],
      serveArgs = [],
      env = {},
      listenHost = '127.0.0.1',
    }: TestGatewayOptions,
  ) {
    const schemeOf = (listener: 'api' | 'media') => (config.tls?.[listener] === undefined ? 'http' : 'https');
    this.folder = folder;
    this.#descriptors = descriptors;
    this.#nodeArgs = nodeArgs;
    this.#env = env;
    this.#serveArgs = serveArgs;
    this.#listenHost = listenHost;
    this.apiUrl = `${schemeOf('api')}://127.0.0.1:${ports.api}`;
    this.mediaUrl = `${schemeOf('media')}://127.0.0.1:${ports.media}`;
  }

  /** Starts and waits until it is ready; if it is not in time, nothing is left of it. */
  static async start(config: TestConfig = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
    const { readyWithinMs = 110_000 } = options;
    const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
    const ports = { api: await freePort(), media: await freePort() };
    const gateway = new TestGateway(folder, ports, config, options);
    await gateway.configure(config);
    try {
      await gateway.run(readyWithinMs);
    } catch (error) {
      await gateway.end('SIGKILL');
      await gateway.dispose();
      throw error;
    }
    return gateway;
  }

  /** Writes sluice.yaml; takes effect at the next start or SIGHUP. */
  async configure(config: TestConfig): Promise<void> {
    const common = {
      listen: { api: this.#listenAt(this.apiUrl), media: this.#listenAt(this.mediaUrl) },
      public: { apiUrl: this.apiUrl, mediaUrl: this.mediaUrl },
      data: join(this.folder, 'data'),
      bootstrap: { apiKey: API_KEY },
      log: { level: 'debug', format: 'json' },
      // Tests ask more often than clients do.
      api: { rateLimit: 1_000_000 },
      threads: { viewers: Number(TEST_VIEWER_THREADS), cameras: Number(TEST_CAMERA_THREADS) },
    };
    // Most tests say when a camera is contacted.
    const sources = { allowLocal: true, checkInterval: '0s', ...config.sources };
    const file = join(this.folder, 'sluice.yaml');
    // A SIGHUP that is on its way reads the file whole, before or after.
    const publicUrls = { ...common.public, ...config.public };
    const threads = { ...common.threads, ...(config.threads as Json | undefined) };
    await writeFile(`${file}.new`, stringify({ ...common, ...config, sources, threads, public: publicUrls }));
    await rename(`${file}.new`, file);
  }

  #listenAt(url: string): string {
    return `${this.#listenHost}:${new URL(url).port}`;
  }

  async run(readyWithinMs = 110_000): Promise<void> {
    const file = join(this.folder, 'sluice.yaml');
    const args = [...this.#nodeArgs, BUILT_MAIN, 'serve', '--config', file, ...this.#serveArgs];
    const env = { SLUICE_CLIP_CACHE: CLIP_CACHE, ...this.#env };
    const limited = ['-c', `ulimit -n ${this.#descriptors} && exec "$0" "$@"`, process.execPath, ...args];
    this.#child =
      this.#descriptors === null
        ? new Child(process.execPath, args, env)
        : new Child('/bin/sh', limited, env);
    await this.#child.line(/"msg":"ready"/, readyWithinMs);
  }

  get child(): Child {
    return this.#child!;
  }

  /** Graceful end by SIGTERM, or whatever `signal` causes. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#child?.end(signal);
  }

  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.end(signal);
    await this.run();
  }

  async dispose(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** One API call; the body of the response. `path` without `/api/`. */
  async call(path: string, body: Json = {}, key = API_KEY): Promise<Json> {
    const response = await fetch(`${this.apiUrl}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': key, 'x-auth-scheme': 'api-token' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Json;
  }

  /** The UUID of a configured camera, by name. */
  async cameraUuid(name: string): Promise<string> {
    const response = await this.call('camera/getMinimalCameraStateList');
    if (response.error) throw new Error(`no list of cameras: ${response.errorMsg}`);
    const camera = response.cameraStates.find((state: Json) => state.name === name);
    if (camera === undefined) throw new Error(`no camera named ${name}`);
    return camera.uuid;
  }

  /** Shares a camera by name. */
  async share(cameraName: string, fields: Json = {}): Promise<TestShare> {
    const cameraUuid = await this.cameraUuid(cameraName);
    const body = { cameraUuid, streamType: 'USER', vodEnabled: false, ...fields };
    const response = await this.call('camera/createSharedLiveVideoStream', body);
    if (response.error) throw new Error(`not shared: ${response.errorMsg}`);
    return {
      cameraUuid,
      uuid: response.sharedLiveVideoStreamUuid,
      pageUrl: response.sharedLiveVideoStreamUrl,
      m3u8Url: response.sharedLiveM3U8StreamUrl,
      rtspUrl: response.sharedLiveRtspStreamUrl,
    };
  }

  revoke(share: TestShare): Promise<Json> {
    return this.call('camera/deleteSharedLiveVideoStream', {
      cameraUuid: share.cameraUuid,
      uuid: share.uuid,
    });
  }
}

export interface TestShare {
  readonly uuid: string;
  readonly cameraUuid: string;
  readonly pageUrl: string;
  readonly m3u8Url: string;
  /** Undefined: the gateway does not serve RTSP. */
  readonly rtspUrl?: string | undefined;
}
