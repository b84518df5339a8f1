/** What the link of a sealed case shows: its contents, its archive, and what proves that it is unchanged. */

import type { SealedCase } from './clips-open.ts';
import { sizeText, timeText } from './clips-text.ts';
import { element, setText } from './dom.ts';
import { t } from './words/plain-words.ts';

export class CaseView {
  readonly #root = element('case', HTMLElement);
  readonly #waiting = element('case-waiting', HTMLElement);
  readonly #sealed = element('case-sealed', HTMLElement);
  readonly #archive = element('case-archive', HTMLAnchorElement);
  readonly #withheld = element('case-withheld', HTMLElement);
  readonly #size = element('case-size', HTMLElement);
  readonly #verify = element('case-verify', HTMLAnchorElement);
  readonly #facts = element('case-facts', HTMLElement);
  readonly #fingerprint = element('case-fingerprint', HTMLElement);
  readonly #items = element('case-items', HTMLElement);
  /** What the document shows: lists are not made again if they are the same. */
  #shown = '';

  /** `sealed` null: the case is not sealed, or no longer. */
  show(sealed: SealedCase | null): void {
    this.#root.hidden = false;
    this.#waiting.hidden = sealed !== null;
    this.#sealed.hidden = sealed === null;
    if (sealed === null) this.#clear();
    else this.#fill(sealed);
  }

  #fill(sealed: SealedCase): void {
    // Each grant has other addresses.
    this.#archive.href = sealed.isWithheld ? '.' : sealed.archiveUrl;
    this.#archive.hidden = sealed.isWithheld;
    this.#withheld.hidden = !sealed.isWithheld;
    this.#verify.href = sealed.verifyUrl;
    const { archiveUrl: _, verifyUrl: __, ...content } = sealed;
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    this.#shown = shown;
    setText(this.#size, sizeText({ byteLength: sealed.archiveBytes }));
    setText(this.#fingerprint, sealed.fingerprint.replaceAll(/..(?=.)/g, '$&:'));
    this.#facts.replaceChildren(
      ...factsOf(sealed).flatMap(([name, value]) => [textElement('dt', name), textElement('dd', value)]),
    );
    this.#items.replaceChildren(...sealed.items.map(itemRow));
  }

  hide(): void {
    this.#root.hidden = true;
    this.#clear();
  }

  /** Nothing of a case stays in a document that may not show it. */
  #clear(): void {
    this.#shown = '';
    for (const link of [this.#archive, this.#verify]) link.href = '.';
    for (const part of [this.#facts, this.#items, this.#size, this.#fingerprint]) part.replaceChildren();
  }
}

function factsOf({ number, notes, sealedAtMs, sealedBy }: SealedCase): [name: string, value: string][] {
  const facts: [string, string][] = [
    [t('Number'), number],
    [t('Sealed'), sealedBy === '' ? timeText(sealedAtMs) : `${timeText(sealedAtMs)} · ${sealedBy}`],
    [t('Notes'), notes],
  ];
  return facts.filter(([, value]) => value !== '');
}

function itemRow({ camera, fromMs, toMs, note, byteLength }: SealedCase['items'][number]): HTMLElement {
  const row = document.createElement('li');
  const name = camera === null ? t('Clip') : camera === '' ? t('Removed camera') : camera;
  row.append(textElement('b', name));
  if (fromMs !== null && toMs !== null) {
    row.append(textElement('span', t('{from} to {to}', { from: timeText(fromMs), to: timeText(toMs) })));
  }
  if (note !== '') row.append(textElement('span', note));
  const size = byteLength === 0 ? t('Nothing was recorded.') : sizeText({ byteLength });
  row.append(textElement('span', size));
  return row;
}

function textElement(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
