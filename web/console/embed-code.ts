/** A share's links as people pass them on. Pure. */

import type { ShareItem } from './share-item.ts';

/** The code that shows it on a web page. A name is a person's choice, so it is escaped. */
export function embedCode({ pageUrl, name }: Pick<ShareItem, 'pageUrl' | 'name'>): string {
  return (
    `<iframe src="${escapeAttribute(pageUrl)}" title="${escapeAttribute(name)}" ` +
    'allow="autoplay; fullscreen; picture-in-picture" ' +
    'style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>'
  );
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
