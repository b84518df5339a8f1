/**
 * The stage for a camera that sends only audio: it explains that there is no picture, and a button unmutes,
 * because the page starts muted and viewers would notice nothing.
 */

import { element, setText } from './dom.ts';
import { soundOnlyText } from './wording.ts';
import { t } from './words/plain-words.ts';

export class SoundOnlySign {
  readonly #video: HTMLVideoElement;
  readonly #stage = element('stage', HTMLElement);
  readonly #sign = element('sound-only', HTMLElement);
  readonly #text = element('sound-only-text', HTMLElement);
  readonly #unmute = element('unmute', HTMLButtonElement);
  readonly #announce: (text: string) => void;

  /** Follows `video` for the life of the page. `announce`: tells screen readers. `onUnmute`: the button was pressed. */
  constructor(video: HTMLVideoElement, announce: (text: string) => void, onUnmute: () => void) {
    this.#video = video;
    this.#announce = announce;
    this.#unmute.addEventListener('click', () => {
      onUnmute();
      this.#stage.focus({ preventScroll: true });
    });
    for (const event of ['loadeddata', 'resize', 'emptied', 'volumechange'])
      video.addEventListener(event, () => this.#refresh());
  }

  #refresh(): void {
    const { readyState, videoWidth, muted, volume } = this.#video;
    const isSoundOnly = readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && videoWidth === 0;
    const isSilent = muted || volume === 0;
    const isNews = isSoundOnly && this.#sign.hidden;
    this.#sign.hidden = !isSoundOnly;
    this.#unmute.hidden = !isSilent;
    this.#stage.dataset.soundOnly = String(isSoundOnly);
    const text = soundOnlyText(isSilent);
    setText(this.#text, text);
    if (isNews) this.#announce(`${t('This camera has no picture')}. ${text}`);
  }
}
