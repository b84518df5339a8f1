/**
 * The part of the front door that the page of a share link talks to, with responses that a test chooses: the page
 * and its assets under the real Content-Security-Policy, the open call, a poster and a live stream behind a grant.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { loadWebAssets } from '../../src/front-door/page/web-assets.ts';
import { type Clip, ClipStream } from './clip-stream.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  'frame-ancestors *',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A response instead of the stream: to the open call, and to every request with the grant. */
export interface StubRefusal {
  readonly status: number;
  readonly reason: string;
  readonly until?: number | null;
  readonly retryAfterSec?: number;
  readonly retryAtEpochMs?: number;
}

const GRANT_EXPIRED: StubRefusal = { status: 403, reason: 'grant-expired' };

export class StubGateway {
  /** null: anyone who knows the password gets in. */
  refusal: StubRefusal | null = null;
  password: string | null = null;
  name = 'Front entrance';
  cameraState: 'idle' | 'starting' | 'live' | 'offline' = 'live';
  /** Holds back playlists, like a camera that has not sent its first frame. */
  isWaking = false;
  /** Accepts requests, and answers none that comes in the meantime, ever: its process was stopped. */
  isHanging = false;
  /** The requested paths, in order. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #clip: Clip;
  readonly #assets: ReadonlyMap<string, Asset>;
  readonly #poster: Buffer;
  readonly #waiting = new Set<ServerResponse>();
  readonly #atDoor = new Set<ServerResponse>();
  #stream: ClipStream;
  #newestGrant = 1;

  private constructor(clip: Clip, assets: ReadonlyMap<string, Asset>, poster: Buffer) {
    this.#clip = clip;
    this.#stream = new ClipStream(clip);
    this.#assets = assets;
    this.#poster = poster;
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(clip: Clip): Promise<StubGateway> {
    const background = { r: 46, g: 62, b: 84 };
    const poster = sharp({ create: { width: 640, height: 360, channels: 3, background } });
    const gateway = new StubGateway(clip, await buildAssets(), await poster.jpeg().toBuffer());
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get shareUrl(): string {
    return `${this.origin}/share/token`;
  }

  /** Back to a share that anyone can watch, from the clip's beginning. */
  reset(): void {
    this.refusal = null;
    this.password = null;
    this.name = 'Front entrance';
    this.cameraState = 'live';
    this.isWaking = false;
    this.isHanging = false;
    this.requests.length = 0;
    this.#stream = new ClipStream(this.#clip);
  }

  /** Refuses from now on, including waiting requests. */
  cutOff(refusal: StubRefusal): void {
    this.refusal = refusal;
    this.#refuseWaiting(refusal);
  }

  /** Ends the grants issued so far; the open call issues new ones. */
  expireGrants(): void {
    this.#newestGrant++;
    this.#refuseWaiting(GRANT_EXPIRED);
  }

  #refuseWaiting(refusal: StubRefusal): void {
    for (const waiting of [this.#waiting, this.#atDoor]) {
      for (const response of waiting) sendRefusal(response, refusal);
      waiting.clear();
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    this.requests.push(`${request.method} ${url.pathname}`);
    if (this.isHanging) return;
    const asset = this.#assets.get(url.pathname);
    if (asset !== undefined) return send(response, 200, asset.type, asset.body);
    if (url.pathname === '/share/token/open') return this.#respondOpen(request, response);
    if (url.pathname === '/share/token/wait') return this.#respondWait(response);
    if (url.pathname === '/poster.jpg') return send(response, 200, 'image/jpeg', this.#poster);
    const [, grant, name] = /^\/live\/grant(\d+)\/([^/]+)$/.exec(url.pathname) ?? [];
    if (name === undefined) return send(response, 404, 'text/plain', 'not found');
    if (this.refusal !== null) return sendRefusal(response, this.refusal);
    if (Number(grant) < this.#newestGrant) return sendRefusal(response, GRANT_EXPIRED);
    if (name === 'status') return sendJson(response, 200, { camera: { state: this.cameraState } });
    if (name === 'file.m3u8') return this.#respondPlaylist(url, response);
    const body = this.#stream.read(name);
    if (body === null) return send(response, 404, 'text/plain', 'not found');
    return send(response, 200, 'video/mp4', body);
  }

  async #respondOpen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { password } = JSON.parse(Buffer.concat(chunks).toString()) as { password?: string };
    if (this.refusal !== null) return sendRefusal(response, this.refusal);
    if (this.password !== null && password !== this.password) {
      const reason = password === undefined ? 'password-needed' : 'password-wrong';
      return sendRefusal(response, { status: 401, reason });
    }
    return sendJson(response, 200, {
      status: 'open',
      name: this.name,
      streamType: 'USER',
      playlistUrl: `/live/grant${this.#newestGrant}/file.m3u8`,
      posterUrl: '/poster.jpg',
      posterAtMs: Date.now(),
      serverTimeMs: Date.now(),
      expiresAtSec: null,
    });
  }

  /** Holds the request until the share is shown. */
  #respondWait(response: ServerResponse): void {
    if (this.refusal === null) response.writeHead(204).end();
    else this.#atDoor.add(response);
  }

  /** Shows the share again. */
  showAgain(): void {
    this.refusal = null;
    for (const response of this.#atDoor) response.writeHead(204).end();
    this.#atDoor.clear();
  }

  #respondPlaylist(url: URL, response: ServerResponse): void {
    const sequence = url.searchParams.get('_HLS_msn');
    const part = Number(url.searchParams.get('_HLS_part') ?? 5);
    const waitMs = sequence === null ? 0 : this.#stream.untilPartMs(Number(sequence), part);
    this.#waiting.add(response);
    setTimeout(() => {
      if (!this.isWaking && !this.isHanging && this.#waiting.delete(response)) {
        send(response, 200, 'application/vnd.apple.mpegurl', this.#stream.playlist());
      }
    }, waitMs);
  }
}

interface Asset {
  readonly type: string;
  readonly body: string | Buffer;
}

/** The page by its path, and its assets by hashed names, as the asset server serves them. */
async function buildAssets(): Promise<ReadonlyMap<string, Asset>> {
  const { page, byName } = await loadWebAssets({ publicMediaUrl: 'http://127.0.0.1' });
  const assets = [...byName].map(([name, asset]) => [`/assets/${name}`, asset] as const);
  return new Map<string, Asset>([...assets, ['/share/token', page]]);
}

function sendRefusal(response: ServerResponse, refusal: StubRefusal): void {
  const { status, ...rest } = refusal;
  if (refusal.retryAfterSec !== undefined) response.setHeader('retry-after', refusal.retryAfterSec);
  sendJson(response, status, { error: true, errorMsg: `Refused: ${refusal.reason}.`, ...rest });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  response.end(body);
}
