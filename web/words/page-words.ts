/** Puts a viewer page's document into its language: the HTML has English texts, which are their own keys. */

import { loadCatalog } from './catalog.ts';
import { choose, LANGUAGE, LANGUAGES } from './choices.ts';
import { t } from './plain-words.ts';

const ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt'] as const;

/** Resolves once texts can be shown. Called before a script of the page writes into it. */
export async function wordPage(): Promise<void> {
  await loadCatalog();
  addSwitches();
  if (LANGUAGE === 'en') return;
  document.title = t(document.title);
  wordElements(document.body);
  for (const { content } of document.querySelectorAll('template')) wordElements(content);
}

/** Where the switch is: one place for each view. */
const SWITCH_PLACES = '.page, .caption, .wall-head, .clips-head';

/** A page in a frame has the language of the page around it. */
function addSwitches(): void {
  if (window.top !== window) return;
  for (const place of document.querySelectorAll(SWITCH_PLACES)) place.append(languageSwitch());
}

function languageSwitch(): HTMLSelectElement {
  const shown = document.createElement('select');
  shown.className = 'language';
  shown.setAttribute('aria-label', t('Language'));
  for (const [value, name] of Object.entries(LANGUAGES)) {
    const option = new Option(name, value, value === LANGUAGE, value === LANGUAGE);
    option.lang = value;
    shown.append(option);
  }
  shown.addEventListener('change', () => choose('language', shown.value));
  return shown;
}

function wordElements(root: Node & ParentNode): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const { data } = texts.currentNode as Text;
    const text = data.trim();
    if (text !== '') (texts.currentNode as Text).data = data.replace(text, () => t(text));
  }
  for (const name of ATTRIBUTES) {
    for (const found of root.querySelectorAll(`[${name}]`)) {
      found.setAttribute(name, t(found.getAttribute(name)!));
    }
  }
}
