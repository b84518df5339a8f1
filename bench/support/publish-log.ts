/** Records when each part of a rendition came into being, before anyone who waited for it gets a response. */

import type { AccessUnit, Track } from '../../src/codec/track.ts';
import type { Numbering } from '../../src/stream/numbering/numbering.ts';
import type { Packager } from '../../src/stream/packaging/packager.ts';
import type { PackagerStats, RenditionPackager } from '../../src/stream/packaging/packaging.ts';
import type { PackagingHost } from '../../src/stream/packaging/packaging-host.ts';
import { hrtimeMs } from './child-module.ts';
import { type PartNumber, readPreloadHint } from './preload-hint.ts';

export interface PublishedPart extends PartNumber {
  /** `hrtimeMs` at which the frame that completed the part was passed to the packager. */
  readonly atMs: number;
}

const WHOLE_PLAYLIST = { msn: -1, part: -1, skip: false };

/** A packager whose parts are recorded. */
export class PublishLog implements RenditionPackager {
  readonly #packager: Packager;
  #parts = 0;
  #hint: PartNumber | null = null;
  #taken: PublishedPart[] = [];

  constructor(packager: Packager) {
    this.#packager = packager;
  }

  get published(): Packager['published'] {
    return this.#packager.published;
  }

  /** Those since the last call. */
  take(): PublishedPart[] {
    const published = this.#taken;
    this.#taken = [];
    return published;
  }

  setHost(host: PackagingHost | null): void {
    this.#packager.setHost(host);
  }

  own(numbering: Numbering | null): void {
    this.#packager.own(numbering);
  }

  push(unit: AccessUnit): void {
    const atMs = hrtimeMs();
    this.#packager.push(unit);
    const { parts } = this.#packager.stats();
    if (parts === this.#parts) return;
    this.#parts = parts;
    if (this.#hint !== null) this.#taken.push({ ...this.#hint, atMs });
    const playlist = this.published.window.playlist(WHOLE_PLAYLIST);
    this.#hint = typeof playlist === 'string' ? null : readPreloadHint(playlist.text);
  }

  sharePicture(): ReturnType<Packager['sharePicture']> {
    return this.#packager.sharePicture();
  }

  setCameraTime(...time: Parameters<Packager['setCameraTime']>): void {
    this.#packager.setCameraTime(...time);
  }

  setTracks(tracks: readonly Track[]): void {
    this.#packager.setTracks(tracks);
  }

  discontinuity(): void {
    this.#packager.discontinuity();
  }

  close(): void {
    this.#packager.close();
  }

  stats(): PackagerStats {
    return this.#packager.stats();
  }
}
