/** A clip in the list of shared clips. */

import type { SharedClip } from './clips-open.ts';
import { clipTitle, durationText, placeText, statusText } from './clips-text.ts';
import { setText } from './dom.ts';
import { t } from './words/plain-words.ts';

const MAX_IMAGE_FAILURES = 3;

export class ClipRow {
  readonly root: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #image: HTMLImageElement;
  readonly #progress: HTMLProgressElement;
  readonly #duration: HTMLElement;
  readonly #title: HTMLElement;
  readonly #time: HTMLElement;
  readonly #status: HTMLElement;
  #imagePath: string | null = null;
  #imageFailures = 0;
  #clip: SharedClip | null = null;

  constructor(template: HTMLTemplateElement, onChoose: (clip: SharedClip) => void) {
    this.root = template.content.firstElementChild?.cloneNode(true) as HTMLElement;
    this.#button = part(this.root, 'button', HTMLButtonElement);
    this.#image = part(this.root, 'image', HTMLImageElement);
    this.#progress = part(this.root, 'progress', HTMLProgressElement);
    this.#duration = part(this.root, 'duration', HTMLElement);
    this.#title = part(this.root, 'title', HTMLElement);
    this.#time = part(this.root, 'time', HTMLElement);
    this.#status = part(this.root, 'status', HTMLElement);
    this.#button.addEventListener('click', () => {
      if (this.#clip?.state === 'ready') onChoose(this.#clip);
    });
    this.#image.addEventListener('error', () => {
      this.#image.dataset.loaded = 'false';
      // The gateway may have refused the image because of too many requests. The next look tries again.
      if (++this.#imageFailures < MAX_IMAGE_FAILURES) this.#imagePath = null;
    });
    this.#image.addEventListener('load', () => {
      this.#image.dataset.loaded = 'true';
    });
  }

  show(clip: SharedClip, isChosen: boolean): void {
    this.#clip = clip;
    const { state, percent, durationSec, files } = clip;
    this.root.dataset.state = state;
    this.root.dataset.chosen = String(isChosen);
    this.#button.setAttribute('aria-pressed', String(isChosen));
    this.#button.setAttribute('aria-disabled', String(state !== 'ready'));
    setText(this.#title, clipTitle(clip));
    setText(this.#time, placeText(clip));
    setText(this.#duration, durationText(durationSec));
    setText(this.#status, statusText(clip));
    this.#progress.hidden = state !== 'making';
    this.#progress.setAttribute('aria-label', t('Progress of {clip}', { clip: clipTitle(clip) }));
    // Nothing yet: a job may wait for the end of its time.
    if (percent === null || percent === 0) this.#progress.removeAttribute('value');
    else this.#progress.value = percent;
    this.#showImage(files[0]?.imageUrl ?? null);
  }

  /** A new grant changes the address of the same image: it is not loaded again. */
  #showImage(url: string | null): void {
    const path = url === null ? null : url.split('/').slice(-2).join('/');
    if (path === this.#imagePath) return;
    this.#imagePath = path;
    this.#image.dataset.loaded = 'false';
    if (url === null) this.#image.removeAttribute('src');
    else this.#image.src = url;
  }
}

function part<T extends Element>(root: Element, name: string, type: new () => T): T {
  const found = root.querySelector(`[data-part="${name}"]`);
  if (!(found instanceof type)) throw new TypeError(`clips.html has no ${type.name} for ${name}`);
  return found;
}
