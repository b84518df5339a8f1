/** Says under the video whether it is as it was signed. Hidden where nothing is signed, and while nothing is known. */

import { element, setText } from './dom.ts';
import type { LiveProofState } from './playback.ts';
import { t } from './words/plain-words.ts';

interface ProofText {
  readonly title: string;
  readonly text: string;
}

export class ProofNote {
  readonly #note = element('proof', HTMLDetailsElement);
  readonly #title = element('proof-title', HTMLElement);
  readonly #text = element('proof-text', HTMLElement);
  readonly #announced = element('announce', HTMLElement);

  /** null: nothing is known. */
  show(proof: LiveProofState | null): void {
    this.#note.hidden = proof === null;
    if (proof === null) return;
    const { title, text } = proofText(proof);
    const isWarning = proof.kind === 'changed' || proof.kind === 'unsigned';
    if (isWarning && this.#note.dataset.state !== proof.kind) setText(this.#announced, `${title}. ${text}`);
    this.#note.dataset.state = proof.kind;
    setText(this.#title, title);
    setText(this.#text, text);
  }
}

function proofText(proof: LiveProofState): ProofText {
  switch (proof.kind) {
    case 'signed':
      return {
        title: t('Verified'),
        text: t('This video is as its video server signed it. Fingerprint of the signer: {signer}', {
          signer: proof.signer,
        }),
      };
    case 'unsigned':
      return {
        title: t('Not signed'),
        text: t(
          'This video should be signed, but it isn’t. Someone may have removed its signature on the way.',
        ),
      };
    case 'changed':
      return {
        title: t('Changed on the way'),
        text: t('This video isn’t as its video server signed it. Don’t rely on it.'),
      };
    case 'unchecked':
      return {
        title: t('Not verified'),
        text: t('This video is signed, but this browser can’t check its signature.'),
      };
  }
}
