/** Lists that the API returns page by page, as one list. */

/** Fields by which a call returns the next page. */
export interface PageRequest {
  readonly maxPageSize: number;
  /** Absent: the first page. */
  readonly lastEvaluatedKey?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Undefined: this page is the last one. */
  readonly lastEvaluatedKey: string | undefined;
}

/** The items of at most `maxPages` pages, in the order of the API. */
export async function readEveryPage<Item>(
  maxPageSize: number,
  maxPages: number,
  read: (page: PageRequest) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let key: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items, lastEvaluatedKey } = await read({
      maxPageSize,
      ...(key === undefined ? {} : { lastEvaluatedKey: key }),
    });
    all.push(...items);
    key = lastEvaluatedKey;
    if (key === undefined) break;
  }
  return all;
}
