/** The player of the page of shared clips: one clip at a time, of the camera that the viewer chose. */

import type { ClipFile, SharedClip } from './clips-open.ts';
import { clipTitle, downloadUrl, placeText, sizeText } from './clips-text.ts';
import { element, setText } from './dom.ts';
import { t } from './words/plain-words.ts';

export interface ClipPlayerEvents {
  /** The clip does not play: perhaps it may no longer be seen. */
  onTrouble(): void;
}

/** Attempts to reload after a network failure, without any progress between them. */
const MAX_RELOADS = 3;

export class ClipPlayer {
  readonly #events: ClipPlayerEvents;
  readonly #root = element('player', HTMLElement);
  readonly #video = element('video', HTMLVideoElement);
  readonly #picture = element('picture', HTMLImageElement);
  readonly #trouble = element('trouble', HTMLElement);
  readonly #troubleText = element('trouble-text', HTMLElement);
  readonly #title = element('clip-title', HTMLElement);
  readonly #time = element('clip-time', HTMLElement);
  readonly #description = element('clip-description', HTMLElement);
  readonly #cameras = element('cameras', HTMLElement);
  readonly #download = element('download', HTMLAnchorElement);
  readonly #size = element('download-size', HTMLElement);
  #clip: SharedClip | null = null;
  #file: ClipFile | null = null;
  /** A failure that the page has asked the gateway about; null: there is none. */
  #failure: { readonly isNetwork: boolean; readonly atSec: number } | null = null;
  #reloads = 0;

  constructor(events: ClipPlayerEvents) {
    this.#events = events;
    this.#video.addEventListener('error', () => this.#onError());
    this.#video.addEventListener('timeupdate', () => {
      if (!this.#video.paused) this.#reloads = 0;
    });
    this.#picture.addEventListener('error', () => this.#onError());
    element('trouble-retry', HTMLButtonElement).addEventListener('click', () => {
      this.#reloads = 0;
      const atSec = this.#failure?.atSec ?? 0;
      if (this.#file !== null) this.#load(this.#file, atSec, true);
    });
  }

  get clip(): SharedClip | null {
    return this.#clip;
  }

  get isPlaying(): boolean {
    return this.#clip !== null && !this.#video.paused;
  }

  /** `isPlayed`: the viewer asked for it. */
  choose(clip: SharedClip, isPlayed: boolean): void {
    this.#reloads = 0;
    this.#clip = clip;
    this.#root.hidden = false;
    this.#describe(clip);
    this.#load(clip.files[0]!, 0, isPlayed);
  }

  /** Takes the clip's current state; playback continues. The clip's addresses may have changed. */
  update(clip: SharedClip): void {
    const index = this.#file === null ? -1 : (this.#clip?.files.indexOf(this.#file) ?? -1);
    this.#clip = clip;
    this.#file = clip.files[Math.max(0, index)] ?? clip.files[0]!;
    this.#describe(clip);
    const failure = this.#failure;
    if (failure === null || !this.#trouble.hidden) return;
    // The gateway answers, and still shows the clip.
    if (failure.isNetwork && this.#reloads < MAX_RELOADS) {
      this.#reloads++;
      this.#load(this.#file, failure.atSec, true);
    } else this.#showTrouble(failure.isNetwork);
  }

  /** No clip, and nothing of one. */
  clear(): void {
    this.#clip = null;
    this.#file = null;
    this.#failure = null;
    this.#root.hidden = true;
    this.#trouble.hidden = true;
    this.#video.removeAttribute('src');
    this.#video.removeAttribute('poster');
    this.#video.load();
    this.#picture.removeAttribute('src');
    this.#cameras.replaceChildren();
    for (const node of [this.#title, this.#time, this.#description, this.#size]) setText(node, '');
    this.#download.removeAttribute('href');
  }

  focus(): void {
    this.#title.focus({ preventScroll: true });
    this.#root.scrollIntoView({ block: 'nearest' });
  }

  #load(file: ClipFile, atSec: number, isPlayed: boolean): void {
    this.#file = file;
    this.#failure = null;
    this.#trouble.hidden = true;
    const isPicture = new URL(file.url).pathname.endsWith('.gif');
    this.#video.hidden = isPicture;
    this.#picture.hidden = !isPicture;
    if (isPicture) {
      this.#video.removeAttribute('src');
      this.#picture.src = file.url;
    } else {
      this.#picture.removeAttribute('src');
      if (file.imageUrl === null) this.#video.removeAttribute('poster');
      else this.#video.poster = file.imageUrl;
      // A time in the address makes the player begin there.
      this.#video.src = atSec > 0 ? `${file.url}#t=${atSec}` : file.url;
      // Refused without a tap: then the viewer has the controls.
      if (isPlayed) this.#video.play().catch(() => undefined);
    }
    this.#showDownload(file);
    this.#showCameras();
  }

  #describe(clip: SharedClip): void {
    setText(this.#title, clipTitle(clip));
    setText(this.#time, placeText(clip));
    setText(this.#description, clip.description);
    if (this.#file !== null) this.#showDownload(this.#file);
    this.#showCameras();
  }

  #showDownload(file: ClipFile): void {
    this.#download.href = downloadUrl(file);
    // It is not known before the file is made.
    setText(this.#size, file.byteLength === 0 ? '' : sizeText(file));
  }

  /** A button for each camera; none for a clip of one camera. */
  #showCameras(): void {
    const files = this.#clip?.files ?? [];
    this.#cameras.hidden = files.length < 2;
    while (this.#cameras.children.length > files.length) this.#cameras.lastElementChild!.remove();
    for (const [index, file] of files.entries()) {
      let button = this.#cameras.children[index] as HTMLButtonElement | undefined;
      if (button === undefined) {
        button = document.createElement('button');
        button.type = 'button';
        button.className = 'clip-camera';
        button.addEventListener('click', () => this.#switchTo(index));
        this.#cameras.append(button);
      }
      setText(button, file.label === '' ? t('Camera {number}', { number: index + 1 }) : file.label);
      button.setAttribute('aria-pressed', String(file === this.#file));
    }
  }

  /** To the same moment of another camera. */
  #switchTo(index: number): void {
    const file = this.#clip?.files[index];
    if (file === undefined || file === this.#file) return;
    this.#reloads = 0;
    this.#load(file, this.#video.currentTime, !this.#video.paused);
  }

  #onError(): void {
    if (this.#clip === null) return;
    const isNetwork = this.#video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    this.#failure = { isNetwork, atSec: this.#video.currentTime };
    this.#events.onTrouble();
  }

  #showTrouble(isNetwork: boolean): void {
    this.#trouble.hidden = false;
    setText(
      this.#troubleText,
      isNetwork
        ? t('The video server stopped answering.')
        : t('This browser can’t play the clip. Download it to watch it with another program.'),
    );
  }
}
