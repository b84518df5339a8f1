import { expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually-fixture.ts';

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { PAGE_ROWS, PagedList } = await import('./paged-list.ts');
const { CallError } = await import('./api.ts');

const TOTAL = 1_050;

function listOf(state: { total: number; fails: boolean } = { total: TOTAL, fails: false }) {
  const offsets: number[] = [];
  const list = new PagedList<string>(async (offset, limit) => {
    offsets.push(offset);
    if (state.fails) throw new CallError('No network.', { status: 0 });
    const length = Math.max(0, Math.min(limit, state.total - offset));
    return { items: Array.from({ length }, (_, i) => `row ${offset + i}`), total: state.total };
  });
  const rows = () => {
    const current = list.state.value;
    if (current.kind !== 'read') throw new Error(current.kind);
    return current.value;
  };
  const isRead = () => eventually('the first page is read', () => list.state.value.kind === 'read');
  return { list, offsets, rows, isRead, state };
}

test('it reads the first page, then those that are shown', async () => {
  const { list, offsets, rows, isRead } = listOf();
  list.refresh();
  await isRead();
  expect(rows().total).toBe(TOTAL);
  expect(rows().row(3)).toBe('row 3');
  await Promise.resolve();
  for (let i = 495; i < 510; i++) rows().row(i);
  await eventually('the row is read', () => rows().row(505) !== null);
  expect(rows().row(505)).toBe('row 505');
  expect(offsets).toEqual([0, 4 * PAGE_ROWS, 5 * PAGE_ROWS]);
});

test('a change reads what is shown again, and forgets the rest', async () => {
  const { list, offsets, rows, isRead } = listOf();
  list.refresh();
  await isRead();
  rows().row(700);
  await eventually('the row is read', () => rows().row(700) !== null);
  expect(rows().row(700)).toBe('row 700');
  await Promise.resolve();
  offsets.length = 0;
  list.refresh();
  await eventually('a page is read', () => offsets.length > 0);
  expect(offsets).toEqual([700]);
  expect(rows().row(0)).toBeNull();
});

test('rows stay when they cannot be read again, with what went wrong', async () => {
  const { list, rows, isRead, state } = listOf();
  list.refresh();
  await isRead();
  state.fails = true;
  list.refresh();
  await eventually('reading fails', () => 'error' in list.state.value && list.state.value.error !== null);
  expect(list.state.value).toMatchObject({ kind: 'read', error: { status: 0 } });
  expect(rows().row(0)).toBe('row 0');
  state.fails = false;
  list.refresh();
  await eventually('reading works', () => 'error' in list.state.value && list.state.value.error === null);
  expect(list.state.value).toMatchObject({ kind: 'read', error: null });
});

test('a list that has become shorter is shown to its end', async () => {
  const { list, offsets, rows, isRead, state } = listOf();
  list.refresh();
  await isRead();
  rows().row(1_040);
  await eventually('the row is read', () => rows().row(1_040) !== null);
  expect(rows().row(1_040)).toBe('row 1040');
  state.total = 50;
  list.refresh();
  await eventually('the list is shorter', () => rows().total === 50);
  await eventually('the row is read', () => rows().row(10) !== null);
  expect(rows().row(10)).toBe('row 10');
  expect(offsets.at(-1)).toBe(0);
});
