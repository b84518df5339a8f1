/** Says that someone talks to people at the camera. */

import { element } from './dom.ts';
import { t } from './words/plain-words.ts';

const note = element('talking', HTMLElement);

export function showTalk(isTalking: boolean): void {
  note.textContent = isTalking ? t('Someone is talking through this camera.') : '';
}
