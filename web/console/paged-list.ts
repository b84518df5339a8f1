/**
 * A list that reads only the pages near the screen. A change makes them outdated: the list reads the visible pages again,
 * and forgets the others.
 */

import { type ReadonlySignal, signal } from '@preact/signals';
import { CallError } from './api.ts';
import type { Reading, ReadingHandle } from './reading.ts';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** On all pages. */
  readonly total: number;
}

/** The rows on display; each change creates a new object. */
export interface PagedRows<Item> {
  readonly total: number;
  /** Null: it is on its way. Asking for it brings it. */
  readonly row: (index: number) => Item | null;
  /** Those that are read. */
  readonly known: readonly Item[];
}

export const PAGE_ROWS = 100;
/** Pages that are kept while one scrolls; the screen shows two at most. */
const MAX_PAGES = 30;

interface Kept<Item> {
  readonly items: readonly Item[];
  readonly generation: number;
}

export type ReadPage<Item> = (offset: number, limit: number, signal: AbortSignal) => Promise<ListPage<Item>>;

export class PagedList<Item> implements ReadingHandle<PagedRows<Item>> {
  readonly #state = signal<Reading<PagedRows<Item>>>({ kind: 'loading' });
  readonly state: ReadonlySignal<Reading<PagedRows<Item>>> = this.#state;
  readonly #read: ReadPage<Item>;
  readonly #pages = new Map<number, Kept<Item>>();
  #total = 0;
  #generation = 0;
  /** Shown last; the first page before anything is. */
  #wanted = new Set([0]);
  #requested = new Set<number>();
  #running: { readonly page: number; readonly abort: AbortController } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  readonly refresh = (): void => {
    this.#cancelTimer();
    this.#generation += 1;
    this.#running?.abort.abort();
    this.#running = null;
    for (const page of this.#pages.keys()) if (!this.#wanted.has(page)) this.#pages.delete(page);
    this.#readNext();
  };

  /** Changes come in bursts: one more reading serves all of them. */
  refreshSoon(withinMs: number): void {
    this.#timer ??= setTimeout(this.refresh, withinMs);
  }

  readonly put = (update: (rows: PagedRows<Item>) => PagedRows<Item>): void => {
    const current = this.#state.value;
    if (current.kind === 'read') this.#state.value = { ...current, value: update(current.value) };
  };

  /** Replaces items that were read; null: leaves the item. */
  patch(change: (item: Item) => Item | null): void {
    let isChanged = false;
    for (const [page, { items, generation }] of this.#pages) {
      const changed = items.map((item) => change(item) ?? item);
      if (changed.every((item, index) => item === items[index])) continue;
      this.#pages.set(page, { items: changed, generation });
      isChanged = true;
    }
    if (isChanged) this.#show(null);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#running?.abort.abort();
    this.#running = null;
  }

  readonly #row = (index: number): Item | null => {
    const page = Math.floor(index / PAGE_ROWS);
    if (this.#requested.size === 0) queueMicrotask(() => this.#settle());
    this.#requested.add(page);
    return this.#pages.get(page)?.items[index % PAGE_ROWS] ?? null;
  };

  /** The rows of one drawing have been asked for. */
  #settle(): void {
    this.#wanted = this.#requested;
    this.#requested = new Set();
    if (this.#running !== null && !this.#wanted.has(this.#running.page)) {
      this.#running.abort.abort();
      this.#running = null;
    }
    this.#readNext();
  }

  #readNext(): void {
    if (this.#isClosed || this.#running !== null) return;
    const page = [...this.#wanted].find((one) => this.#pages.get(one)?.generation !== this.#generation);
    if (page === undefined) return;
    const running = { page, abort: new AbortController() };
    this.#running = running;
    this.#read(page * PAGE_ROWS, PAGE_ROWS, running.abort.signal).then(
      ({ items, total }) => {
        if (this.#running !== running) return;
        this.#running = null;
        this.#keep(page, items, total);
        this.#readNext();
      },
      (thrown: unknown) => {
        if (this.#running !== running) return;
        this.#running = null;
        this.#failed(thrown);
      },
    );
  }

  #keep(page: number, items: readonly Item[], total: number): void {
    this.#pages.delete(page);
    this.#pages.set(page, { items, generation: this.#generation });
    for (const other of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      if (!this.#wanted.has(other)) this.#pages.delete(other);
    }
    this.#total = total;
    // The list has become shorter: there is nothing to read beyond its end.
    const last = Math.max(0, Math.ceil(total / PAGE_ROWS) - 1);
    this.#wanted = new Set([...this.#wanted].map((one) => Math.min(one, last)));
    this.#show(null);
  }

  #failed(thrown: unknown): void {
    const error = thrown instanceof CallError ? thrown : new CallError(String(thrown), { status: 0 });
    if (this.#state.value.kind === 'read') this.#show(error);
    else this.#state.value = { kind: 'failed', error };
  }

  #show(error: CallError | null): void {
    const known = [...this.#pages.values()].flatMap(({ items }) => items);
    this.#state.value = { kind: 'read', value: { total: this.#total, row: this.#row, known }, error };
  }

  #cancelTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
