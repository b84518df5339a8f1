import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  addKeys,
  KeyBoard,
  type KeyDeed,
  keyName,
  keySets,
  keysText,
  type Press,
  pressed,
} from './key-board.ts';

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  code: '',
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  repeat: false,
  ...more,
});
const FREE = { isTyping: false, isPressing: false, isCovered: false };

const ends: (() => void)[] = [];
let board: KeyBoard;
beforeEach(() => {
  board = new KeyBoard();
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function add(...keys: KeyDeed[]): void {
  ends.push(addKeys({ title: 'This page', keys }));
}

test.each([
  ['K', {}, 'k'],
  ['?', { shiftKey: true }, '?'],
  ['k', { ctrlKey: true }, 'Ctrl+k'],
  ['k', { metaKey: true }, 'Ctrl+k'],
  ['л', { code: 'KeyK', ctrlKey: true }, 'Ctrl+k'],
  ['ArrowUp', {}, 'ArrowUp'],
])('%s is named as tables name it', (key, more, name) => {
  expect(keyName(press(key, more))).toBe(name);
});

test('a key acts, and what declared it last comes first', () => {
  const [common, own] = [vi.fn(), vi.fn()];
  add({ keys: ['s'], title: 'Search', act: common });
  add({ keys: ['s'], title: 'Snapshot', act: own });
  expect(board.down(press('s'), FREE)).toBe(true);
  expect(own).toHaveBeenCalledTimes(1);
  expect(common).not.toHaveBeenCalled();
});

test('a key that has nothing to do here leaves the press to others, and to the browser', () => {
  const rest = vi.fn();
  add({ keys: ['ArrowLeft'], title: 'Back', act: rest });
  add({ keys: ['ArrowLeft'], title: 'Pan', act: () => false });
  expect(board.down(press('ArrowLeft'), FREE)).toBe(true);
  expect(rest).toHaveBeenCalled();
  expect(board.down(press('x'), FREE)).toBe(false);
});

test('keys are off while someone types and below a dialog; those with Ctrl act in fields, too', () => {
  const [letter, search] = [vi.fn(), vi.fn()];
  add({ keys: ['s'], title: 'Snapshot', act: letter }, { keys: ['Ctrl+k'], title: 'Search', act: search });
  expect(board.down(press('s'), { ...FREE, isTyping: true })).toBe(false);
  expect(board.down(press('s'), { ...FREE, isCovered: true })).toBe(false);
  expect(board.down(press('k', { ctrlKey: true }), { ...FREE, isCovered: true })).toBe(false);
  expect(board.down(press('s', { altKey: true }), FREE)).toBe(false);
  expect(letter).not.toHaveBeenCalled();
  expect(board.down(press('k', { ctrlKey: true }), { ...FREE, isTyping: true })).toBe(true);
  expect(search).toHaveBeenCalledTimes(1);
});

test('a button keeps the keys that press it', () => {
  const play = vi.fn();
  add({ keys: [' '], title: 'Play', act: play });
  expect(board.down(press(' '), { ...FREE, isPressing: true })).toBe(false);
  expect(board.down(press(' '), FREE)).toBe(true);
});

test('two keys in turn, as long as the second comes soon and nothing comes between', () => {
  const [go, own] = [vi.fn(), vi.fn()];
  add({ keys: ['g c'], title: 'Cameras', act: go });
  add({ keys: ['c'], title: 'Cut', act: own });
  expect(board.down(press('g'), FREE, 0)).toBe(true);
  expect(board.down(press('c'), FREE, 500)).toBe(true);
  expect(go).toHaveBeenCalledTimes(1);
  expect(own).not.toHaveBeenCalled();
  board.down(press('g'), FREE, 1_000);
  board.down(press('c'), FREE, 5_000);
  expect(own).toHaveBeenCalledTimes(1);
  board.down(press('g'), FREE, 6_000);
  board.down(press('x'), FREE, 6_100);
  board.down(press('c'), FREE, 6_200);
  expect(own).toHaveBeenCalledTimes(2);
  expect(go).toHaveBeenCalledTimes(1);
});

test('without single-character keys, arrows and keys with Ctrl still act', () => {
  const [letter, arrow, search] = [vi.fn(), vi.fn(), vi.fn()];
  add(
    { keys: ['s', 'g c', '?'], title: 'Snapshot', act: letter },
    { keys: ['ArrowUp'], title: 'Up', act: arrow },
    { keys: ['Ctrl+k'], title: 'Search', act: search },
  );
  board.hasCharacters = false;
  for (const key of ['s', 'g', 'c', '?']) expect(board.down(press(key), FREE, 0)).toBe(false);
  expect(board.down(press('ArrowUp'), FREE)).toBe(true);
  expect(board.down(press('k', { ctrlKey: true }), FREE)).toBe(true);
  expect(letter).not.toHaveBeenCalled();
});

test('a held key is released where it was pressed, also when the page has changed', () => {
  const release = vi.fn();
  add({ keys: ['ArrowUp'], title: 'Move', act: () => true, release });
  board.down(press('ArrowUp'), FREE);
  for (const end of ends.splice(0)) end();
  board.up('ArrowUp');
  board.up('ArrowUp');
  expect(release).toHaveBeenCalledTimes(1);
  expect(release).toHaveBeenCalledWith('ArrowUp');
});

test('keys of a page leave the list with it', () => {
  const before = keySets.value.length;
  const end = addKeys({ title: 'Timeline', keys: [] });
  expect(keySets.value.length).toBe(before + 1);
  end();
  expect(keySets.value.length).toBe(before);
});

test('a part that has the focus acts by its own table', () => {
  const back = vi.fn();
  const keys: KeyDeed[] = [{ keys: ['ArrowLeft'], title: 'Back', act: back }];
  expect(pressed(keys, press('ArrowLeft', { shiftKey: true }))).toBe(true);
  expect(back).toHaveBeenCalledWith(expect.objectContaining({ shiftKey: true }));
  expect(pressed(keys, press('ArrowLeft', { ctrlKey: true }))).toBe(false);
});

test('keys are written as they are on a keyboard', () => {
  expect(keysText({ keys: ['Ctrl+k', '/'] }, false)).toEqual(['Ctrl K', '/']);
  expect(keysText({ keys: ['Ctrl+k'] }, true)).toEqual(['⌘ K']);
  expect(keysText({ keys: ['ArrowLeft', ' ', 'g c', '1'] }, false)).toEqual(['←', 'Space', 'G C', '1']);
  expect(keysText({ keys: ['1', '2', '9'], shown: ['1 – 9'] }, false)).toEqual(['1 – 9']);
});
