import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Resource, ResourceMark, ResourcePageQuery } from './resource.ts';
import { type ResourcePage, resourcePage } from './resource-page.ts';

interface Body {
  readonly at: number;
}

const orgUuid = newRuuid();
const resources = [0, 1, 1, 1, 2].map(
  (createdAtMs, at): Resource<Body> => ({
    uuid: newRuuid(),
    orgUuid,
    name: '',
    parentUuid: null,
    secret: null,
    body: { at },
    createdAtMs,
    updatedAtMs: createdAtMs,
  }),
);

/** Stores them in this order. */
const repository = {
  async page(_org: unknown, { after, limit }: ResourcePageQuery) {
    const start = after === null ? 0 : resources.findIndex(({ uuid }) => uuid === after.uuid) + 1;
    return resources.slice(start, start + limit);
  },
};

const pagesOf = async (limit: number): Promise<number[][]> => {
  const pages: number[][] = [];
  let after: ResourceMark | null = null;
  do {
    const page: ResourcePage<Body> = await resourcePage(repository, orgUuid, { after, limit });
    pages.push(page.items.map(({ body }) => body.at));
    after = page.next;
  } while (after !== null);
  return pages;
};

describe('pages of resources', () => {
  it.each([
    [1, [[0], [1], [2], [3], [4]]],
    [2, [[0, 1], [2, 3], [4]]],
    [4, [[0, 1, 2, 3], [4]]],
    [5, [[0, 1, 2, 3, 4]]],
    [6, [[0, 1, 2, 3, 4]]],
  ])('of %d have each once, and the last is marked as such', async (limit, pages) => {
    expect(await pagesOf(limit)).toEqual(pages);
  });

  it('say where the next one begins', async () => {
    const { next } = await resourcePage(repository, orgUuid, { after: null, limit: 2 });
    expect(next).toEqual({ createdAtMs: 1, uuid: resources[1]!.uuid });
  });

  it('are one empty page if there is nothing', async () => {
    const nothing = { page: async () => [] };
    expect(await resourcePage(nothing, orgUuid, { after: null, limit: 2 })).toEqual({
      items: [],
      next: null,
    });
  });
});
