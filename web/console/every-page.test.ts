import { expect, it } from 'vitest';
import { type Page, type PageRequest, readEveryPage } from './every-page.ts';

const PAGES: Readonly<Record<string, Page<number>>> = {
  '': { items: [1, 2], lastEvaluatedKey: 'a' },
  a: { items: [3], lastEvaluatedKey: 'b' },
  b: { items: [4], lastEvaluatedKey: undefined },
};

it.each([
  ['all pages', 10, [1, 2, 3, 4], 3],
  ['as many pages as allowed', 2, [1, 2, 3], 2],
])(
  'returns the items of %s, each page by the key of the one before',
  async (_what, maxPages, items, calls) => {
    const requests: PageRequest[] = [];
    const all = await readEveryPage(7, maxPages, async (page) => {
      requests.push(page);
      return PAGES[page.lastEvaluatedKey ?? '']!;
    });
    expect(all).toEqual(items);
    expect(requests).toEqual(
      [
        { maxPageSize: 7 },
        { maxPageSize: 7, lastEvaluatedKey: 'a' },
        { maxPageSize: 7, lastEvaluatedKey: 'b' },
      ].slice(0, calls),
    );
  },
);
