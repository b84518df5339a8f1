/** A page of an integrator's own, with a player on it, served from another origin than the gateway's. */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';

const MODULES = resolve(import.meta.dirname, '../../node_modules');

export type PlayerName = 'dash.js' | 'Shaka Player' | 'hls.js';

const SCRIPTS: Readonly<Record<PlayerName, string>> = {
  'dash.js': 'dashjs/dist/modern/umd/dash.all.min.js',
  'Shaka Player': 'shaka-player/dist/shaka-player.compiled.js',
  'hls.js': 'hls.js/dist/hls.min.js',
};

/** What each player's page calls: the same functions over its own interface. */
const ADAPTERS: Readonly<Record<PlayerName, string>> = {
  'dash.js': `
    const player = dashjs.MediaPlayer().create();
    player.on('error', ({ error }) => window.playerErrors.push(error.code + ' ' + error.message));
    window.playManifest = (url) => player.initialize(video, url, true);
    window.streamWidths = () => player.getRepresentationsByType('video').map(({ width }) => width);
    window.chooseWidth = (width) => {
      player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
      // By its id: an index counts by measured bandwidth in one call, and by the manifest's order in the other.
      const { id } = player.getRepresentationsByType('video').find((one) => one.width === width);
      player.setRepresentationForTypeById('video', id, true);
    };
    window.dvrStartSec = () => player.getDvrWindow().start;
    window.thumbnailAt = (mediaSec) => new Promise((done) => player.provideThumbnail(mediaSec, done));`,
  'Shaka Player': `
    shaka.polyfill.installAll();
    const player = new shaka.Player();
    player.addEventListener('error', ({ detail }) => window.playerErrors.push(detail.code + ' ' + detail.message));
    window.playManifest = async (url) => {
      await player.attach(video);
      await player.load(url);
      await video.play();
    };
    window.streamWidths = () => [...new Set(player.getVariantTracks().map(({ width }) => width))];
    window.chooseWidth = (width) => {
      player.configure('abr.enabled', false);
      player.selectVariantTrack(player.getVariantTracks().find((one) => one.width === width), true);
    };
    window.dvrStartSec = () => player.seekRange().start;
    window.thumbnailAt = async (mediaSec) => {
      const [{ id }] = player.getImageTracks();
      const found = await player.getThumbnails(id, mediaSec);
      if (found === null) return null;
      const { uris: [url], positionX: x, positionY: y, width, height } = found;
      return { url, x, y, width, height };
    };`,
  'hls.js': `
    const player = new Hls();
    player.on(Hls.Events.ERROR, (_event, { details, fatal }) => {
      if (fatal) window.playerErrors.push(details);
    });
    window.keyFrameAt = async (mediaSec) => {
      const shown = document.createElement('video');
      shown.width = 640;
      shown.height = 360;
      document.body.append(shown);
      const frames = player.createIFramePlayer();
      const faults = [];
      frames.on(Hls.Events.ERROR, (_event, { details }) => faults.push(details));
      const attached = new Promise((done) => frames.once(Hls.Events.MEDIA_ATTACHED, done));
      frames.attachMedia(shown);
      await attached;
      // hls.js forgets a request that comes while it prepares another: it is repeated, as by a pointer that moves.
      for (let turn = 0; shown.readyState < 2 || shown.seeking; turn++) {
        if (turn % 50 === 0) frames.loadMediaAt(mediaSec);
        if (turn === 3000) {
          const { readyState, seeking, currentTime } = shown;
          throw new Error(JSON.stringify({ mediaSec, readyState, seeking, currentTime, faults }));
        }
        await new Promise((done) => setTimeout(done, 20));
      }
      const frame = new VideoFrame(shown);
      const luma = window.readStrip(frame);
      frame.close();
      frames.destroy();
      shown.remove();
      return luma;
    };
    const played = [];
    player.on(Hls.Events.FRAG_CHANGED, (_event, { frag }) => {
      const { start, programDateTime: wallMs } = frag;
      played.push({ start, end: start + frag.duration, wallMs, width: player.levels[frag.level].width });
    });
    // Streams are dated one by one, so a frame has the time of its own one.
    window.playedWallMsAt = (mediaSec, width) => {
      const at = played.filter(({ start, end }) => start <= mediaSec + 0.001 && mediaSec < end);
      const fragment = at.findLast((each) => each.width === width) ?? at.at(-1);
      return fragment === undefined ? NaN : fragment.wallMs + (mediaSec - fragment.start) * 1000;
    };
    window.playManifest = (url) => {
      player.attachMedia(video);
      player.loadSource(url);
      return video.play();
    };
    window.streamWidths = () => player.levels.map(({ width }) => width);
    window.chooseWidth = (width) => {
      player.nextLevel = player.levels.findIndex((level) => level.width === width);
    };
    const playing = () =>
      player.levels[player.currentLevel]?.details ?? player.levels.find(({ details }) => details).details;
    window.wallMsAt = (mediaSec) => {
      const { fragments } = playing();
      const fragment = fragments.findLast(({ start }) => start <= mediaSec + 0.001) ?? fragments[0];
      return fragment.programDateTime + (mediaSec - fragment.start) * 1000;
    };
    window.mediaSecAt = (wallMs) => {
      const { fragments } = playing();
      const fragment = fragments.findLast(({ programDateTime }) => programDateTime <= wallMs) ?? fragments[0];
      return fragment.start + (wallMs - fragment.programDateTime) / 1000;
    };`,
};

/** A picture, and the part of it. */
export interface PlayerThumbnail {
  readonly url: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

declare global {
  interface Window {
    playerErrors: string[];
    playManifest(url: string): unknown;
    streamWidths(): number[];
    chooseWidth(widthPx: number): void;
    /** Where the oldest segment begins that can be played, in presentation time. */
    dvrStartSec(): number;
    /** Of an image track; null: it has none of that time. */
    thumbnailAt(mediaSec: number): Promise<PlayerThumbnail | null>;
    /** The number strip of a frame of the I-frame playlist. */
    keyFrameAt(mediaSec: number): Promise<number[]>;
    /** Of a playlist with dates: the wall time of a media time, and back. */
    wallMsAt(mediaSec: number): number;
    mediaSecAt(wallMs: number): number;
    /** The wall time of a media time that was played from a stream of this width; NaN: it was not. */
    playedWallMsAt(mediaSec: number, widthPx?: number): number;
  }
}

export class PlayerPages {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<PlayerPages> {
    const scripts = new Map<string, Buffer>();
    for (const [name, file] of Object.entries(SCRIPTS))
      scripts.set(name, await readFile(resolve(MODULES, file)));
    const server = createServer((request, response) => {
      const [, kind, encoded = ''] = (request.url ?? '').split('/');
      const name = decodeURIComponent(encoded) as PlayerName;
      const script = scripts.get(name);
      if (script === undefined) response.writeHead(404).end();
      else if (kind === 'script') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(name));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new PlayerPages(server);
  }

  /** Opens the page of `name`, which plays nothing yet. */
  async open(page: Page, name: PlayerName): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/page/${encodeURIComponent(name)}`);
  }

  /** Opens the page of `name` and plays the manifest. */
  async play(page: Page, name: PlayerName, manifestUrl: string): Promise<void> {
    await this.open(page, name);
    await page.evaluate((url) => window.playManifest(url), manifestUrl);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

function pageOf(name: PlayerName): string {
  return `<!doctype html><html><head><title>${name}</title><link rel="icon" href="data:,">
    <script src="/script/${encodeURIComponent(name)}"></script></head>
    <body><video muted autoplay playsinline style="width:320px"></video>
    <script>
    window.playerErrors = [];
    const video = document.querySelector('video');
    ${ADAPTERS[name]}
    </script></body></html>`;
}
