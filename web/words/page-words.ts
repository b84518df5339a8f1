/** Puts a viewer page's document into its language: the HTML has English texts, which are their own keys. */

import { loadCatalog } from './catalog.ts';
import { LANGUAGE } from './choices.ts';
import { t } from './plain-words.ts';

const ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt'] as const;

/** Resolves once texts can be shown. Called before a script of the page writes into it. */
export async function wordPage(): Promise<void> {
  await loadCatalog();
  if (LANGUAGE === 'en') return;
  document.title = t(document.title);
  wordElements(document.body);
  for (const { content } of document.querySelectorAll('template')) wordElements(content);
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
